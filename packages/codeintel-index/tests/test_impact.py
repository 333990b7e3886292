"""Impact analysis: one test a rule."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from codeintel_index import Index
from codeintel_index.impact.modules import means
from codeintel_index.results import Impact, ImpactItem, Import
from codeintel_index.testing import make_repo


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


def test_tests_and_documents_have_lists_of_their_own(synced: Index) -> None:
    impact = synced.impact(["shop/money.py"])
    assert paths(impact.must_verify) == ["shop/cart.py"]
    assert paths(impact.tests) == ["tests/test_money.py"]
    assert paths(impact.docs) == ["docs/money.md"]
    assert paths(impact.should_verify) == ["docs/money.md"]
    assert impact.counts == {"must_verify": 1, "should_verify": 1, "tests": 1, "docs": 1, "depth_2": 1}


def test_the_second_degree_is_what_uses_the_users(synced: Index) -> None:
    assert synced.impact(["shop/money.py"]).depth_2 == ("shop/mail.py",)


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
    assert paths(impact.must_verify) == [importer]


@pytest.mark.parametrize(
    ("importer", "module", "target", "expected"),
    [
        ("web/app.ts", "./util/format", "web/util/format.ts", True),
        ("web/app.ts", "./util/format.js", "web/util/format.ts", True),
        ("web/pages/a.tsx", "../util", "web/util/index.ts", True),
        ("web/app.ts", "@/util/format", "src/util/format.ts", True),
        ("web/app.ts", "./format", "web/util/format.ts", False),
        ("web/app.ts", "format", "web/util/format.ts", False),
        ("src/main.rs", "crate::net::tcp", "src/net/tcp.rs", True),
        ("src/net/udp.rs", "super::tcp::Stream", "src/net/tcp.rs", True),
        ("src/net/udp.rs", "crate::net::tcp::Stream", "src/net/tcp.rs", True),
        ("src/net/mod.rs", "self::tcp", "src/net/tcp.rs", True),
        ("cmd/main.go", "example.org/shop/store", "store/db.go", True),
        ("cmd/main.go", "example.org/shop/restore", "store/db.go", False),
        ("src/a.c", "net/tcp.h", "include/net/tcp.h", True),
        ("src/a.c", "tcp.h", "src/tcp.h", True),
        ("src/main/java/app/A.java", "com.shop.model.Order", "src/main/java/com/shop/model/Order.java", True),
        ("app/Http/A.php", "App\\Models\\User", "app/Models/User.php", False),
        ("app/a.py", "os.path", "lib/path.py", False),
        ("pkg/__init__.py", ".core", "pkg/core.py", True),
        ("pkg/a.py", "..core", "pkg/core.py", False),
        ("pkg/a.py", ".", "pkg/__init__.py", True),
    ],
)
def test_an_import_means_a_file_or_not(importer: str, module: str, target: str, expected: bool) -> None:
    assert means(importer, Import(module, (), 1), target) is expected


def test_an_import_through_the_package_counts(analyze: Analyze) -> None:
    files = {
        "pkg/__init__.py": "from .core import run\n",
        "pkg/core.py": "def run(): ...\n",
        "a.py": "from pkg import run\n\nrun()\n",
        "b.py": "from other import run\n\nrun()\n",
    }
    impact = analyze(files, "pkg/core.py")
    assert sorted(paths(impact.must_verify)) == ["a.py", "pkg/__init__.py"]


def test_a_name_defined_elsewhere_too_only_counts_where_the_target_is_imported(analyze: Analyze) -> None:
    files = {
        "orders.py": "class Order:\n    def settle_now(self): ...\n",
        "bills.py": "class Bill:\n    def settle_now(self): ...\n",
        "a.py": "from orders import Order\n\nOrder().settle_now()\n",
        "b.py": "from bills import Bill\n\nBill().settle_now()\n",
    }
    impact = analyze(files, "orders.py")
    assert paths(impact.must_verify) == ["a.py"]
    assert [(item.path, item.reason) for item in impact.should_verify] == [("b.py", "possible")]


def test_files_of_one_go_package_see_each_other(analyze: Analyze) -> None:
    files = {
        "store/db.go": "package store\n\nfunc Get() int { return 1 }\n",
        "store/cache.go": "package store\n\nfunc Warm() int { return Get() }\n",
        "web/page.go": "package web\n\nfunc Show() int { return Get() }\n",
    }
    assert paths(analyze(files, "store/db.go").must_verify) == ["store/cache.go"]


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


def test_a_file_that_does_not_exist_yet_is_allowed(synced: Index) -> None:
    impact = synced.impact(["shop/new_thing.py"])
    assert (impact.targets, impact.must_verify) == (("shop/new_thing.py",), ())


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
