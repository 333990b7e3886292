"""Impact analysis: one test a rule."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.errors import NotAFile
from codeintel_index.mcp.meaning import analyze_impact
from codeintel_index.results import Impact, ImpactItem
from codeintel_index.testing import git, make_repo, write_files

pytestmark = pytest.mark.draws(18)


class Analyze(Protocol):
    """Makes a project of these files and analyses a change of the targets."""

    def __call__(self, files: dict[str, str], *targets: str, description: str = "") -> Impact: ...


@pytest.fixture
def analyze(tmp_path: Path) -> Iterator[Analyze]:
    opened: list[Index] = []

    def run(files: dict[str, str], *targets: str, description: str = "") -> Impact:
        index = Index.open(make_repo(tmp_path / "project", files))
        opened.append(index)
        index.sync()
        return index.impact(targets, description)

    yield run
    for index in opened:
        index.close()


def paths(items: Iterable[ImpactItem]) -> list[str]:
    return [item.path for item in items]


MODEL = "class OrderLine:\n    def subtotal(self):\n        return 1\n\n\ndef load_lines():\n    return [OrderLine()]\n"


def test_code_that_uses_a_symbol_must_be_verified_with_lines_and_enclosing(synced: Index) -> None:
    (item,) = synced.impact(["shop/cart.py"]).must_verify
    assert (item.path, item.reason) == ("shop/mail.py", "reference")
    assert 6 in item.lines
    assert "send_receipt" in item.symbols


def test_every_file_that_the_tool_names_counts_as_listed(synced: Index) -> None:
    """Whoever was told that a folder has tests may put another beside them."""
    told = analyze_impact(synced, ["shop/money.py"])
    used, tests, together = ("shop/cart.py", "shop/mail.py"), ("tests/test_money.py",), ("shop/__init__.py",)
    assert told.listed == (*used, *tests, *together, "docs/money.md")
    assert told.shown == ()
    assert "shop/mail.py" not in analyze_impact(synced, ["shop/money.py"], max_results=1).listed
    far = analyze_impact(synced, ["shop/cart.py"], depth_2=True)
    assert set(far.data["depth_2"]) <= set(far.listed)


def test_tests_and_documents_have_lists_of_their_own(synced: Index) -> None:
    impact = synced.impact(["shop/money.py"])
    assert paths(impact.must_verify) == ["shop/cart.py", "shop/mail.py"]
    assert paths(impact.tests) == ["tests/test_money.py"]
    assert paths(impact.docs) == ["docs/money.md"]
    assert impact.should_verify == ()
    assert impact.counts == {"must_verify": 2, "should_verify": 0, "tests": 1, "docs": 1, "depth_2": 0}


def test_tests_and_code_outside_source_dirs_are_found_by_their_text(shop: Path) -> None:
    write_files(
        shop,
        {
            "scripts/prices.py": "from shop.money import Price\n\nprint(Price(1))\n",
            "scripts/other.py": "money = 'money'\n",
            "tests/test_use.py": "import shop.money\n",
        },
    )
    with Index.open(shop, IndexConfig(source_dirs=("shop",))) as index:
        index.sync()
        impact = index.impact(["shop/money.py"])
    assert paths(impact.tests) == ["tests/test_money.py", "tests/test_use.py"]
    assert [(item.path, item.lines) for item in impact.should_verify if item.reason == "possible"] == [
        ("scripts/prices.py", (1, 3))
    ]


def test_the_second_degree_is_what_uses_the_users(synced: Index) -> None:
    assert synced.impact(["shop/money.py"], symbols=["add_prices"]).depth_2 == ("shop/mail.py",)


def test_changed_symbols_come_first(synced: Index) -> None:
    assert synced.impact(["shop/money.py"]).symbols[0] == "Price"
    assert synced.impact(["shop/money.py"], changed={"shop/money.py": [(19, 19)]}).symbols[0] == "parse_price"


def test_symbols_named_in_the_description_come_first(synced: Index) -> None:
    assert synced.impact(["shop/money.py"], "make add_prices faster").symbols[0] == "add_prices"


def test_a_mention_in_prose_is_not_a_use(analyze: Analyze) -> None:
    impact = analyze({"a.py": "def load_lines(): ...\n", "b.py": "# load_lines is old\nX = 'load_lines'\n"}, "a.py")
    assert impact.must_verify == ()


@pytest.mark.parametrize(
    ("importer", "line"),
    [
        ("pkg/other.py", "from pkg.db import store"),
        ("pkg/other.py", "from .db import store"),
        ("pkg/other.py", "from .db.store import save"),
        ("pkg/sub/deep.py", "from ..db import store as s"),
        ("main.py", "import pkg.db.store"),
        ("main.py", "from pkg.db.store import save as keep"),
        ("main.py", "from db.store import save"),
    ],
)
def test_importers_are_found_by_any_spelling_in_python(analyze: Analyze, importer: str, line: str) -> None:
    impact = analyze(
        {"pkg/db/store.py": "def save(): ...\n", importer: f"{line}\n", "pkg/x.py": "import store\n"}, "pkg/db/store.py"
    )
    assert [item.path for item in impact.likely_to_change if item.lines] == [importer]


def test_a_file_that_only_imports_the_target_is_likely_to_change_and_need_not_be_verified(analyze: Analyze) -> None:
    files = {"two.py": TWO, "imports.py": "import two\n", "uses.py": "import two\ntwo.early()\n"}
    impact = analyze(files, "two.py")
    assert paths(impact.must_verify) == ["uses.py"]
    assert [(item.path, item.lines) for item in impact.likely_to_change] == [("uses.py", (2,)), ("imports.py", (1,))]


def test_an_import_through_the_package_counts(analyze: Analyze) -> None:
    files = {
        "pkg/__init__.py": "from .core import run\n",
        "pkg/core.py": "def run(): ...\n",
        "a.py": "from pkg import run\n\nrun()\n",
        "b.py": "from other import run\n\nrun()\n",
        "other.py": "def run(): ...\n",
        "pkg/sub/c.py": "from .. import run\n\nrun()\n",
        "web/util/format.ts": "export const pad = 1;\n",
        "web/util/index.ts": "export {pad} from './format';\n",
        "web/app.ts": "import {pad} from './util';\n",
        "web/other.ts": "import {pad} from './other-util';\nexport const pad2 = pad;\n",
        "web/other-util.ts": "export const pad = 2;\n",
    }
    impact = analyze(files, "pkg/core.py")
    assert sorted(paths(impact.must_verify)) == ["a.py", "pkg/__init__.py", "pkg/sub/c.py"]
    again = analyze({}, "web/util/format.ts")
    assert sorted(paths(again.must_verify)) == ["web/app.ts", "web/util/index.ts"]


def test_a_name_defined_elsewhere_too_only_counts_where_the_target_is_imported(analyze: Analyze) -> None:
    files = {
        "orders.py": "class Order:\n    def settle_now(self): ...\n    def settle_late(self): ...\n",
        "bills.py": "class Bill:\n    def settle_now(self): ...\n    def settle_late(self): ...\n",
        "a.py": "from orders import Order\n\nOrder().settle_now()\n",
        "b.py": "from bills import Bill\n\nBill().settle_now()\nBill().settle_late()\n",
        "c.py": "def f(it):\n    it.settle_now()\n",
    }
    impact = analyze(files, "orders.py")
    assert paths(impact.must_verify) == ["a.py"]
    assert impact.should_verify == ()


def test_files_of_one_go_package_see_each_other(analyze: Analyze) -> None:
    files = {
        "store/db.go": "package store\n\nfunc Get() int { return 1 }\n",
        "net/get.go": "package net\n\nfunc Get() int { return 2 }\n",
        "store/cache.go": "package store\n\nfunc Warm() int { return Get() }\n",
        "web/page.go": "package web\n\nfunc Show() int { return Get() }\n",
    }
    assert paths(analyze(files, "store/db.go").must_verify) == ["store/cache.go"]


def test_a_member_of_a_common_name_counts_in_a_package_where_its_class_is_named(analyze: Analyze) -> None:
    files = {
        "store/Box.java": "package store;\nclass Box { int size() { return 1; } }\n",
        "other/Bag.java": "package other;\nclass Bag { int size() { return 1; } }\n",
        "store/Uses.java": "package store;\nclass Uses {\n  int f(Box b) { return b.size(); }\n}\n",
        "store/Lists.java": "package store;\nclass Lists { int f(java.util.List b) { return b.size(); } }\n",
    }
    (item,) = analyze(files, "store/Box.java").must_verify
    assert (item.path, item.reason, item.symbols) == ("store/Uses.java", "reference", ("Uses.f",))


def test_a_word_of_another_language_is_no_use(analyze: Analyze) -> None:
    files = {"a.py": "def load_lines(): ...\n", "b.js": "load_lines();\n", "c.py": "load_lines()\n"}
    assert paths(analyze(files, "a.py").must_verify) == ["c.py"]


def test_importing_a_package_of_go_is_not_using_every_file_of_it(analyze: Analyze) -> None:
    files = {
        "go.mod": "module example.org/shop\n",
        "store/db.go": "package store\n\nfunc Open() int { return 1 }\n",
        "store/cache.go": "package store\n\nfunc Warm() int { return 2 }\n",
        "web/page.go": 'package web\n\nimport "example.org/shop/store"\n\nvar a = store.Open()\n',
        "web/form.go": 'package web\n\nimport "example.org/shop/store"\n\nvar b = store.Warm()\n',
        "net/dial.go": "package net\n\nfunc Open() int { return 3 }\n",
        "net/own.go": "package net\n\nfunc Shut(hidden int) int { return hidden }\n",
    }
    files["store/db.go"] += "\nvar hidden = 2\n"
    assert paths(analyze(files, "store/db.go").must_verify) == ["web/page.go"]


def test_a_class_called_a_factory_is_code_unless_it_makes_test_data(analyze: Analyze) -> None:
    use = "import com.shop.Box;\nclass {name} {{ Box b; }}\n"
    files = {
        "main/com/shop/Box.java": "package com.shop;\npublic class Box {}\n",
        "main/com/web/BoxFactory.java": use.format(name="BoxFactory"),
        "database/factories/CrateFactory.java": use.format(name="CrateFactory"),
    }
    impact = analyze(files, "main/com/shop/Box.java")
    assert paths(impact.must_verify) == ["main/com/web/BoxFactory.java"]
    assert [(i.path, i.reason) for i in impact.should_verify] == [("database/factories/CrateFactory.java", "factory")]


def test_a_module_of_rust_is_likely_to_change_where_it_is_declared(analyze: Analyze) -> None:
    files = {"src/lib.rs": "mod net;\nmod other;\n", "src/net/mod.rs": "fn a() {}\n", "src/x/lib.rs": "mod net;\n"}
    (item,) = [item for item in analyze(files, "src/net/mod.rs").likely_to_change if item.lines]
    assert (item.path, item.lines) == ("src/lib.rs", (1,))


def test_what_a_test_is_about_is_likely_to_change(analyze: Analyze) -> None:
    files = {
        "shop/line.py": "x = 1\n",
        "shop/sums.py": "def add_up(): ...\n",
        "shop/other.py": "y = 1\n\n\ndef test_it(): ...\n",
        "tests/test_line.py": "from shop.sums import add_up\n\n\ndef test_it():\n    assert add_up() == 1\n",
        "tests/test_line_of_more.py": "",
    }
    impact = analyze(files, "tests/test_line.py")
    assert [(item.path, item.reason) for item in impact.likely_to_change][:2] == [
        ("shop/line.py", "tested"),
        ("shop/sums.py", "tested"),
    ]


def test_factories_migrations_and_configuration_should_be_verified(analyze: Analyze) -> None:
    files = {
        "shop/models.py": MODEL,
        "shop/factories/line.py": "from shop.models import OrderLine\n",
        "db/migrations/0001.sql": "CREATE TABLE order_lines (id int);\n",
        "db/seeds/lines.sql": "INSERT INTO order_line VALUES (1);\n",
        "config/shop.yml": "loader: shop.models.load_lines\n",
        "config/other.yml": "loader: nothing\n",
    }
    impact = analyze(files, "shop/models.py")
    assert impact.must_verify == ()
    assert {item.path: item.reason for item in impact.should_verify} == {
        "shop/factories/line.py": "factory",
        "db/migrations/0001.sql": "migration",
        "db/seeds/lines.sql": "factory",
        "config/shop.yml": "config",
    }


@pytest.mark.parametrize(
    ("target", "test"),
    [
        ("shop/order_line.py", "tests/test_order_line.py"),
        ("shop/order_line.py", "tests/test_order_line_totals.py"),
        ("web/orderLine.ts", "web/orderLine.spec.ts"),
        ("web/order-line.ts", "web/__tests__/order-line.test.ts"),
        ("store/order_line.go", "store/order_line_test.go"),
        ("src/main/OrderLine.java", "src/test/OrderLineTest.java"),
        ("shop/orders/__init__.py", "tests/test_orders.py"),
    ],
)
def test_tests_are_found_by_name(analyze: Analyze, target: str, test: str) -> None:
    impact = analyze({target: "", test: "", "tests/test_other.py": ""}, target)
    assert paths(impact.tests) == [test]
    assert impact.tests[0].reason == "test"


def test_a_file_that_does_not_exist_yet_is_allowed_if_a_plan_names_it(synced: Index) -> None:
    impact = synced.impact(["shop/new_thing.py"], planned=["shop/new_thing.py"])
    assert (impact.targets, impact.must_verify) == (("shop/new_thing.py",), ())


def test_targets_that_nothing_knows_are_refused_all_at_once(synced: Index) -> None:
    with pytest.raises(NotAFile, match="no plan names it") as refused:
        synced.impact(["shop/cart.py", "shop/nowhere.py", "gone.py"])
    assert refused.value.path == "shop/nowhere.py, gone.py"


def test_a_file_that_a_commit_deleted_is_a_target(synced: Index) -> None:
    git(synced.root, "rm", "--quiet", "shop/mail.py")
    git(synced.root, "commit", "--quiet", "--message", "no mail")
    assert synced.impact(["shop/mail.py"]).must_verify == ()


TWO = "def early():\n    return 1\n\n\ndef late():\n    return 2\n"
USES_TWO = {"two.py": TWO, "a.py": "from two import early\nearly()\n", "b.py": "from two import late\nlate()\n"}


def test_only_users_of_changed_definitions_must_be_verified(tmp_path: Path) -> None:
    with Index.open(make_repo(tmp_path / "project", USES_TWO)) as index:
        assert paths(index.impact(["two.py"]).must_verify) == ["a.py", "b.py"]
        assert paths(index.impact(["two.py"], changed={"two.py": [(6, 6)]}).must_verify) == ["b.py"]
        assert paths(index.impact(["two.py"], symbols=["early"]).must_verify) == ["a.py"]
        assert paths(index.impact(["two.py"], "make late() faster").must_verify) == ["b.py"]


@pytest.mark.parametrize(
    "name", ["Shop.add", "Shop::add", "\\Acme\\Shop::add()", "Acme.Shop.add", "Shop->add", "add", "Shop#add"]
)
def test_a_member_is_named_with_as_much_of_its_place_as_one_likes(tmp_path: Path, name: str) -> None:
    shop = "<?php\nnamespace Acme;\nclass Shop { function add() {} function take() {} protected $total; }\n"
    shop += "class OtherShop { function adds() {} }\n"
    with Index.open(make_repo(tmp_path / "project", {"shop.php": shop})) as index:
        assert index.impact(["shop.php"], symbols=[name]).symbols == ("add",)
        assert index.impact(["shop.php"], symbols=["Shop::$total"]).symbols == ("total",)
        assert len(index.impact(["shop.php"], symbols=["hop.add"]).symbols) > 4  # that is no name of it


def test_what_the_task_is_about_counts_where_nothing_else_says_what_changes(tmp_path: Path) -> None:
    with Index.open(make_repo(tmp_path / "project", USES_TWO)) as index:
        assert index.impact(["two.py"], about=["early", "other"]).symbols == ("early",)
        assert index.impact(["two.py"], about=["other"]).symbols == ("early", "late")
        assert index.impact(["two.py"], "make late() faster", about=["early"]).symbols == ("late",)
        assert index.impact(["two.py"], changed={"two.py": [(6, 6)]}, about=["early"]).symbols == ("late",)
        assert index.impact(["two.py"], symbols=["late"], about=["early"]).symbols == ("late",)


RESPONSE = """res.status = function status(code) {
  this.code = code;
};

res.send = function send(body) {
  if (body === null) return this.send('');
  this.end(body);
};

res.json = function json(obj) {
  return this.send(JSON.stringify(obj));
};
"""
RESPONSE_FILES = {
    "lib/response.js": f"var res = {{}}\nmodule.exports = res\n{RESPONSE}",
    "test/res.send.js": "describe('res.send', function () { it('sends', function () {}) })\n",
    "test/res.status.js": "describe('res.status', function () {})\n",
}


def test_a_target_that_uses_its_own_changed_definition_is_told_with_the_lines(tmp_path: Path) -> None:
    with Index.open(make_repo(tmp_path / "project", RESPONSE_FILES)) as index:
        (item,) = index.impact(["lib/response.js"], symbols=["res.send"]).in_targets
        assert (item.path, item.lines, item.symbols) == ("lib/response.js", (13,), ("res.json",))
        assert index.impact(["lib/response.js"]).in_targets == ()  # nothing says what changes


@pytest.mark.parametrize("suffix", ["md", "markdown", "rdoc", "adoc", "org"])
def test_a_document_of_any_kind_that_names_what_changes_is_found(tmp_path: Path, suffix: str) -> None:
    files = {"src/a.rb": "def add_tax(x)\n  x\nend\n", f"guide/a.{suffix}": "Use add_tax for it.\n"}
    with Index.open(make_repo(tmp_path / "project", files)) as index:
        assert paths(index.impact(["src/a.rb"], symbols=["add_tax"]).docs) == [f"guide/a.{suffix}"]


def test_a_test_named_after_a_target_counts_beside_others_also_if_it_imports_the_target(tmp_path: Path) -> None:
    """The changed name is defined twice, so its use proves nothing, but the name of the test does."""
    files = {
        "src/disk.ts": "export function contains (root: string) { return root !== '' }\n",
        "src/map.ts": "export function contains (root: string) { return true }\n",
        "src/disk.spec.ts": "import { contains } from './disk'\ntest('root', () => contains('/'))\n",
        "src/build/disk-browser.spec.ts": "test('nothing', () => {})\n",
        "test/whole.spec.ts": "import { contains } from '../src/disk'\ntest('all', () => contains('/'))\n",
    }
    with Index.open(make_repo(tmp_path / "project", files)) as index:
        tests = index.impact(["src/disk.ts"], symbols=["contains"]).tests
        assert sorted(paths(tests)) == ["src/build/disk-browser.spec.ts", "src/disk.spec.ts"]


def test_a_test_named_after_the_changed_definition_is_found(tmp_path: Path) -> None:
    with Index.open(make_repo(tmp_path / "project", RESPONSE_FILES)) as index:
        assert paths(index.impact(["lib/response.js"], symbols=["res.send"]).tests) == ["test/res.send.js"]
        assert paths(index.impact(["lib/response.js"]).tests) == []


def test_at_most_ten_files_must_be_verified_and_the_rest_is_counted(analyze: Analyze) -> None:
    users = {f"u{number:02}.py": "from two import early\nearly()\n" for number in range(14)}
    impact = analyze({"two.py": TWO, **users}, "two.py")
    assert (len(impact.must_verify), impact.counts["must_verify"]) == (10, 14)


def test_a_file_is_the_likelier_to_change_the_more_speaks_for_it(analyze: Analyze) -> None:
    files = {
        "two.py": TWO,
        "imports.py": "import two\n",
        "uses.py": "from two import early\nearly()\n",
        "test_two.py": "from two import early, late\nearly(), late()\n",
        "other.py": "x = 1\n",
    }
    likely = analyze(files, "two.py").likely_to_change
    assert [(item.path, item.reason) for item in likely] == [
        ("test_two.py", "test"),
        ("uses.py", "reference"),
        ("imports.py", "import"),
        ("other.py", "history"),
    ]


def test_a_file_of_the_same_name_and_one_that_the_target_uses_are_likely_to_change(tmp_path: Path) -> None:
    files = {
        "src/cart_view.py": "from tools import add_up\n\n\ndef show():\n    return add_up()\n",
        "web/cart_view.js": "var shown = 1;\n",
        "web/menu.js": "var menu = 1;\n",
        "tools.py": "def add_up():\n    return 1\n",
    }
    root = make_repo(tmp_path / "project", {})
    for path, text in files.items():  # nothing changed together, but that tools.py is of the last commit
        write_files(root, {path: text})
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", path)
    with Index.open(root) as index:
        likely = index.impact(["src/cart_view.py"]).likely_to_change
    assert [(item.path, item.reason) for item in likely] == [("web/cart_view.js", "name")]


def test_a_folder_means_its_files(synced: Index) -> None:
    impact = synced.impact(["shop"])
    assert "shop/cart.py" in impact.targets
    assert impact.must_verify == ()
    assert paths(impact.tests) == ["tests/test_money.py"]


PAGE = '<link href="style.css"><div class="price-tag big" id="total">1</div><script src="app.js"></script>\n'
SHEET = "/* .gone */ .price-tag:hover { color: #fff; background: url(x.wide) } #total { margin: .5em }\n"
SITE = {
    "web/page.html": PAGE,
    "web/style.css": SHEET,
    "web/app.js": "document.querySelector('.price-tag').classList.add('big');\n",
    "web/App.jsx": "export const App = () => <b className='price-tag'>1</b>;\n",
    "web/other.html": '<p class="price-tagline">total</p>\n',
}


def test_a_style_sheet_reaches_the_pages_that_use_its_classes(analyze: Analyze) -> None:
    impact = analyze(SITE, "web/style.css")
    assert impact.mode == "relaxed_markup"
    assert impact.must_verify == ()
    assert {"web/page.html", "web/App.jsx", "web/app.js"} <= set(paths(impact.should_verify))
    assert "web/other.html" not in [item.path for item in impact.markup if "price-tag" in item.symbols]


def test_a_page_reaches_sheets_and_scripts_that_touch_it(analyze: Analyze) -> None:
    impact = analyze(SITE, "web/page.html")
    assert impact.mode == "relaxed_markup"
    assert {item.path: item.symbols for item in impact.markup} == {
        "web/style.css": ("price-tag", "total"),
        "web/app.js": ("big", "price-tag"),
        "web/App.jsx": ("price-tag",),
    }


@pytest.mark.parametrize("target", ["view.blade.php", "view.vue", "view.jsx", "view.tsx", "view.svelte", "a.py"])
def test_templates_with_logic_are_not_relaxed(analyze: Analyze, target: str) -> None:
    assert analyze({target: "x\n", "b.css": ".x{}\n"}, target, "b.css").mode == "code"


def test_a_document_reaches_the_documents_that_link_to_it(analyze: Analyze) -> None:
    impact = analyze({"docs/a.md": "# A\n", "README.md": "[a](docs/a.md)\n", "b.md": "nothing\n"}, "docs/a.md")
    assert (impact.mode, paths(impact.should_verify)) == ("relaxed_markup", ["README.md"])


def test_generated_and_vendored_files_are_left_out(analyze: Analyze) -> None:
    use = "from shop.models import load_lines\nload_lines()\n"
    impact = analyze({"shop/models.py": MODEL, "vendor/x/a.py": use, "shop/a_pb2.py": use}, "shop/models.py")
    assert impact.must_verify == ()


def test_a_bundle_is_left_out_whatever_its_name(analyze: Analyze) -> None:
    bundle = "function current(e){return e}" + "var a=function(e){return current(e)};" * 40 + "\n"
    files = {
        "src/menu.js": "export function current(e) {\n  return e;\n}\n",
        "src/page.js": "import { current } from './menu.js';\n\nexport function page(e) {\n  return current(e);\n}\n",
        "js/theme.js": f"import {{ current }} from '../src/menu.js';{bundle}",
    }
    assert paths(analyze(files, "src/menu.js").must_verify) == ["src/page.js"]


def test_where_no_test_surely_uses_the_change_the_nearest_that_name_it_or_import_its_file_are_told(
    analyze: Analyze,
) -> None:
    files = {
        "lib/dial.ts": "export class Dial {\n  turned(by: number) {\n    return by;\n  }\n}\n",
        "lib/knob.ts": "export class Knob {\n  turned(by: number) {\n    return by;\n  }\n}\n",
        "lib/__tests__/panel.ts": "import { panel } from '../index';\n\npanel().turned(2);\n",
        "test/other.test.ts": "import { panel } from '../lib/index';\n\npanel();\n",
        "test/uses.test.ts": "import { panel } from '../lib/index';\n\npanel().turned(3);\n",
    }
    assert paths(analyze(files, "lib/dial.ts").tests) == ["lib/__tests__/panel.ts", "test/uses.test.ts"]


def test_what_calls_a_function_of_c_must_be_verified_though_a_header_announces_it(tmp_path: Path) -> None:
    files = {
        "copy.h": "int *copy_all(int *a);\n",
        "copy.c": '#include "copy.h"\nint *copy_all(int *a) { return a; }\n',
        "tools.h": '#include "copy.h"\nint *use(int *a);\n',
        "tools.c": '#include "tools.h"\nint *use(int *a) { return copy_all(a); }\n',
    }
    with Index.open(make_repo(tmp_path / "c", files)) as index:
        index.sync()
        impact = index.impact(["copy.c"], symbols=["copy_all"])
    assert "tools.c" in paths(impact.must_verify)


def test_a_class_is_no_part_of_a_function_of_its_name(analyze: Analyze) -> None:
    made = "class CSV\n  Info = Struct.new(:index)\nend\n\ndef CSV(text)\n  helper = Info\nend\n"
    assert analyze({"lib/csv.rb": made}, "lib/csv.rb").symbols == ("CSV", "Info")
