"""Symbols, definitions and references: the right ones, from the file as it is, with or without an index."""

from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.errors import BadArgument
from codeintel_index.testing import write_files

pytestmark = pytest.mark.draws(18)


@pytest.fixture(params=["cold", "synced"])
def any_index(index: Index, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Index:
    """The same questions are answered without an index (no sync is allowed to happen) and with one."""
    if request.param == "synced":
        index.sync()
    else:
        monkeypatch.setattr(index._updater, "refresh", lambda: None)
    return index


def test_definitions_have_range_kind_and_signature(any_index: Index) -> None:
    (symbol,) = any_index.definitions("parse_price")
    assert (symbol.path, symbol.line, symbol.end_line, symbol.kind) == ("shop/money.py", 18, 21, "function")
    assert symbol.signature.startswith("def parse_price(text: str)")


@pytest.mark.parametrize(
    "name", ["Cart.total", "shop.cart.Cart.total", "cart.Cart.total", "Cart::total", "Cart#total()"]
)
def test_qualified_names_are_understood(any_index: Index, name: str) -> None:
    assert [s.line for s in any_index.definitions(name)] == [16]


@pytest.mark.parametrize("name", ["", "()", "no_such_name", "Cart.no_such_name"])
def test_what_is_not_defined_is_not_found(any_index: Index, name: str) -> None:
    assert any_index.definitions(name) == ()


def test_definitions_are_narrowed_by_path_and_kind(any_index: Index) -> None:
    write_files(any_index.root, {"other/cart.py": "class Cart: ...\n"})
    if any_index.stats().state == "ready":
        any_index.sync()
    assert [s.path for s in any_index.definitions("Cart")] == ["other/cart.py", "shop/cart.py"]
    assert [s.path for s in any_index.definitions("Cart", path="shop")] == ["shop/cart.py"]
    assert any_index.definitions("Cart", kind="function") == ()


def test_part_of_a_name_is_found_in_any_case(synced: Index) -> None:
    found = {symbol.name for symbol in synced.definitions("PRICE", exact=False)}
    assert found == {"Price", "add_prices", "parse_price", "test_parse_price"}


def test_references_come_with_code_first_and_without_the_definition(any_index: Index) -> None:
    found = any_index.references("parse_price")
    assert [(r.path, r.line, r.where, r.enclosing) for r in found] == [
        ("tests/test_money.py", 1, "code", ""),
        ("tests/test_money.py", 5, "code", "test_parse_price"),
        ("docs/money.md", 3, "docs", "Money"),
    ]
    assert found.total == 3


def test_references_tell_code_from_comment_and_string(any_index: Index) -> None:
    text = '# uses Cart\nNAME = "Cart"\n\n\ndef é(x):  # é Cart\n    return Cart\n'
    write_files(any_index.root, {"shop/uses.py": text})
    if any_index.stats().state == "ready":
        any_index.sync()
    found = [(r.line, r.where) for r in any_index.references("Cart", path="shop/uses.py")]
    assert found == [(6, "code"), (2, "string"), (1, "comment"), (5, "comment")]


def test_a_decorator_with_the_same_name_is_a_reference(any_index: Index) -> None:
    getter = "class A:\n    @property\n    def size(self):\n        return 1\n\n"
    text = f"{getter}    @size.setter\n    def size(self, n):\n        self.n = n\n"
    write_files(any_index.root, {"shop/a.py": text})
    if any_index.stats().state == "ready":
        any_index.sync()
    assert [r.line for r in any_index.references("size", path="shop/a.py")] == [6]


def test_a_call_of_itself_on_the_line_of_the_definition_is_a_reference(any_index: Index) -> None:
    write_files(any_index.root, {"shop/r.py": "def again(n): return again(n - 1)\n"})
    if any_index.stats().state == "ready":
        any_index.sync()
    assert [r.line for r in any_index.references("again")] == [1]


def test_references_see_edits_without_a_sync(synced: Index) -> None:
    write_files(synced.root, {"shop/mail.py": "from shop.money import parse_price\n\nparse_price('1')\n"})
    assert ("shop/mail.py", 3) in {(r.path, r.line) for r in synced.references("parse_price")}


def test_a_limit_cuts_references_and_keeps_the_count(any_index: Index) -> None:
    found = any_index.references("Price", limit=2)
    assert (len(found), found.total > 2) == (2, True)


def test_a_name_used_on_very_many_lines_is_counted(synced: Index) -> None:
    write_files(synced.root, {"shop/many.py": "x = Price\n" * 300})
    synced.sync()
    found = synced.references("Price", path="shop/many.py", limit=500)
    assert (len(found), found.total) == (300, 300)


def test_symbols_of_a_file_by_line_and_kind(index: Index) -> None:
    assert [s.name for s in index.symbols("shop/cart.py")] == ["Cart", "__init__", "lines", "add_item", "total"]
    assert [s.name for s in index.symbols("shop/cart.py", "class")] == ["Cart"]


def test_structure_is_the_outline(index: Index) -> None:
    outline = index.structure("shop/cart.py")
    assert (outline.language, outline.doc, outline.lines) == ("python", "Shopping carts.", 18)
    assert [each.module for each in outline.imports] == ["shop.money"]


def test_the_innermost_function_is_found_after_foreign_letters(index: Index) -> None:
    write_files(
        index.root, {"n.py": "# ünïcödé\nclass A:\n    def f(self):\n        def g():\n            return 'é'\n"}
    )
    found = index.function_at("n.py", 5)
    assert found is not None
    assert (found.symbol.name, found.text) == ("g", "        def g():\n            return 'é'")
    assert index.function_at("n.py", 1) is None
    with pytest.raises(BadArgument, match="between 1 and 5"):
        index.function_at("n.py", 10_000)


@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        ("d.py", "@cache\n@other(1)\ndef f():\n    return 1\n", 1, "f"),
        ("d.py", "class A:\n    @property\n    def size(self):\n        return 1\n", 2, "size"),
        ("d.py", "def f():\n    key = lambda x: (\n        x.name\n    )\n    return key\n", 3, "f"),
        ("d.py", "@a(\n    1,\n)\n@b\ndef f():\n    return 1\n", 1, "f"),
        ("d.py", "class A:\n    x = [\n        1,\n    ]\n\n    def f(self):\n        return 1\n", 2, "A"),
        ("d.rs", "#[test]\n#[ignore]\nfn f() {\n    g();\n}\n", 1, "f"),
        ("d.py", "class A:\n    x = 1\n\n    class B:\n        y = 2\n", 5, "B"),
        ("d.js", "export const load = async () => {\n  return 1;\n};\n", 2, "load"),
        ("d.ts", "class A {\n  @Input()\n  run(): void {\n    go(() => {\n      stop();\n    });\n  }\n}\n", 5, "run"),
        ("d.go", "package d\n\nfunc F() func() {\n\treturn func() {\n\t\tG()\n\t}\n}\n", 5, "F"),
    ],
)
def test_the_innermost_definition_around_a_line(index: Index, path: str, text: str, line: int, name: str) -> None:
    write_files(index.root, {path: text})
    found = index.function_at(path, line)
    assert found is not None
    assert found.symbol.name == name
    assert text.split("\n")[line - 1] in found.text


def test_what_lines_hold_is_read_from_the_file_on_disk(index: Index) -> None:
    write_files(index.root, {"e.py": "def a():\n    pass\n\n\ndef b():\n    # why\n    return compute(1)\n"})
    kinds = [index.kind_of_lines("e.py", *lines) for lines in ((1, 2), (5, 7), (6, 6))]
    assert kinds == ["empty", "work", "documentation"]


def test_a_name_stands_in_the_text_of_the_project_or_not(index: Index) -> None:
    write_files(index.root, {"res.js": "res.send = function () {};\n", ".code-intel/x.json": "Zebra.nowhere_at_all"})
    found = index.names_in_text(["res.send", "App::send()", "Zebra.nowhere_at_all", "the login page", ""])
    assert found == {"res.send": True, "App::send()": True, "Zebra.nowhere_at_all": False}
    assert index.names_in_text([]) == {}


def test_a_name_is_held_by_code_and_not_by_its_comments_and_tests(index: Index) -> None:
    files = {
        "a.py": '"""Says said_once."""\n# noted\nKEY = "spelled"\n\n\ndef defined():\n    pass\n',
        "tests/test_a.py": "tested = 1\n", "settings.json": '{"set_here": 1}',
    }  # fmt: skip
    write_files(index.root, files)
    held = index.names_in_code(["defined()", "spelled", "set_here", "spelled()", "said_once", "noted", "tested", ""])
    assert [name for name, is_held in held.items() if is_held] == ["defined()", "spelled", "set_here"]
    assert len(held) == 7


USERS = {
    "lib/core.py": "def frob(x):\n    return frob_once(x)\n\n\nclass Box:\n    def weigh(self):\n        return 1\n",
    "lib/use.py": "from lib.core import frob\n\n\ndef go(box):\n    return box.weigh()\n",
    "lib/call.py": "import lib.core as c\n\n\ndef go(x):\n    return c.frob(x)\n",
    "lib/__init__.py": "from lib.core import frob\n",
    "more/__init__.py": "from lib.core import frob\n\nFIRST = frob(1)\n",
    "web/index.ts": "export { frob } from './frob';\n",
    "web/all.ts": "export {frob} from './frob'\nexport type {frob as Frob} from './frob'\n",
    "src/lib.rs": "pub use core::frob;\npub(crate) use core::frob as other;\n",
    "lib/says.py": "# frob(x) is slow\nTEXT = 'frob(1)'\nOTHER = frob\n",
    "docs/frob.md": "Call `frob(x)`.\n",
    "tests/test_core.py": "from lib.core import frob\n\n\ndef test_it():\n    assert frob(1)\n",
    "examples/first.py": "from lib.core import frob\n\nfrob(1)\n",
}


def test_product_code_that_calls_or_imports_a_symbol_uses_it(index: Index) -> None:
    write_files(index.root, USERS)
    assert index.files_using("frob", known={"lib/core.py"}) == ["lib/call.py", "lib/use.py", "more/__init__.py"]
    assert index.files_using("frob", known={"lib/core.py"}, limit=1) == ["lib/call.py"]
    assert index.files_using("the login page") == []
    index.sync()
    assert index.files_using("frob", known={"lib/core.py", "lib/use.py", "more/__init__.py"}) == ["lib/call.py"]
    assert index.files_using("Box.weigh", known={"lib/core.py"}) == ["lib/use.py"]


def test_a_module_that_bears_the_name_is_not_the_symbol(index: Index) -> None:
    modules = {
        "lib/a.py": "from lib.weigh import other\n\nother()\n",
        "lib/b.py": "from lib.frob import other\nfrom lib.frob.deep import more\n\nother(more)\n",
        "lib/c.py": "from lib.frob import frob\n\nFROB = frob\n",
    }
    write_files(index.root, USERS | modules)
    index.sync()
    assert index.files_using("Box.weigh", known={"lib/core.py"}) == ["lib/use.py"]
    assert index.files_using("weigh", known={"lib/core.py"}) == ["lib/use.py"]
    assert "lib/b.py" not in index.files_using("frob", known={"lib/core.py"}, limit=9)
    assert "lib/c.py" in index.files_using("frob", known={"lib/core.py"}, limit=9)


def test_a_name_that_several_definitions_share_is_used_only_as_it_is_written(index: Index) -> None:
    more = {"lib/other.py": "class Other:\n    def weigh(self):\n        return 2\n", "lib/s.py": "Other.weigh(1)\n"}
    write_files(index.root, USERS | more)
    index.sync()
    assert index.files_using("weigh", known=()) == []
    assert index.files_using("Other.weigh", known=()) == ["lib/s.py"]


def test_definitions_without_an_index_end_with_the_time_for_them(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(index.root, {f"more/m{n}.py": "def same(): ...\n" for n in range(3)})
    monkeypatch.setattr(index._updater, "refresh", lambda: None)
    monkeypatch.setattr("codeintel_index.lookup.definitions.COLD_S", -1.0)
    found = index.definitions("same")
    assert (len(found), found.total_is_minimum) == (1, True)


def test_definitions_are_no_references_where_a_name_has_more_than_are_judged(
    synced: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeintel_index.lookup.references.MAX_LINES", 2)
    write_files(synced.root, {f"more/m{n}.py": "def same(): ...\n\n\nsame()\n" for n in range(3)})
    synced.sync()
    assert [(each.path, each.line) for each in synced.references("same")] == [(f"more/m{n}.py", 4) for n in range(3)]


def test_a_name_with_more_definitions_than_are_read_is_answered_with_those_that_its_qualifier_means(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeintel_index.lookup.definitions.MOST_NAMED", 3)
    monkeypatch.setattr("codeintel_index.lookup.references.MAX_LINES", 6)
    text = "class {0}:\n    def settle(self):\n        return 1\n\n\n{1} = {0}().settle()\n"
    write_files(shop, {f"many/m{at}.py": text.format(f"Maker{at}", f"made_{at}") for at in range(8)})
    with Index.open(shop) as index:
        index.sync()
        assert [(each.path, each.parent) for each in index.definitions("Maker6.settle")] == [("many/m6.py", "Maker6")]
        found = index.references("settle")
    assert [each.line for each in found] == [6] * 8  # no definition among them
