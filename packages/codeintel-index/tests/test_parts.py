"""Small parts with a law of their own: terms, file kinds, query reading, text in and out."""

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from codeintel_index.errors import BadPattern
from codeintel_index.globs import compile_glob
from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.search.query import Query
from codeintel_index.text.bags import Bags
from codeintel_index.text.postings import postings
from codeintel_index.text.stems import stems
from codeintel_index.text.tokens import path_tokens, query_terms, split, tokens, words


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("getUserName", ("getusername", "get", "user", "name")),
        ("get_user_name", ("getusername", "get", "user", "name")),
        ("HTTPServer2", ("httpserver2", "http", "server2")),
        ("sha256", ("sha256",)),
        ("x", ()),
        ("x" * 65, ()),
        ("naïve", ("naïve",)),
        ("検索エンジン", ("検索", "索エ", "エン", "ンジ", "ジン")),
    ],
)
def test_an_identifier_yields_itself_and_its_parts(word: str, terms: tuple[str, ...]) -> None:
    assert split(word) == terms


def test_a_query_loses_its_stop_words_unless_nothing_is_left() -> None:
    assert query_terms("how is the cart stored in the database") == ["cart", "stored", "database"]
    assert query_terms("what is this") == ["what", "is", "this"]


def test_a_path_yields_its_folders_and_its_stem_twice() -> None:
    assert path_tokens("src/shop/cart_lines.test.ts").count("cart") == 2
    assert {"src", "shop", "ts"} <= set(path_tokens("src/shop/cart_lines.test.ts"))


@given(st.text())
def test_a_text_is_indexed_by_the_stems_of_the_terms_a_query_is_made_of(text: str) -> None:
    found, (size,) = postings([""], Bags.of([text]), np.zeros(1, np.int64))
    wanted = [stem for stem in map(stems(tokens(text)).__getitem__, tokens(text)) if stem]
    assert found.stems == sorted({*wanted})
    assert size == len(wanted)


@given(st.text(st.characters(codec="ascii") | st.sampled_from("_a ")))
def test_words_are_runs_of_letters_and_digits_and_what_is_between_them(text: str) -> None:
    assert words(text) == re.findall(r"[^\W_](?:\w*[^\W_])?", text)


def test_a_stem_is_that_of_sqlite() -> None:
    wanted = {"handled": "handl", "handles": "handl", "crème": "creme", "検索": "検索", "_": "", "a'b\0\"c": "abc"}
    assert stems(wanted) == wanted


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/shop/cart.py", "code"),
        ("src/contest/latest.py", "code"),
        ("build/make.py", "code"),
        ("tests/cart.py", "test"),
        ("src/cart_test.go", "test"),
        ("src/CartTest.java", "test"),
        ("web/cart.spec.ts", "test"),
        ("conftest.py", "test"),
        ("docs/guide.md", "docs"),
        ("README.md", "docs"),
        ("guide/Printing.markdown", "docs"),
        ("lib/element.rdoc", "docs"),
        ("examples/a.py", "example"),
        ("app/migrations/0001_init.py", "migration"),
        ("database/factories/UserFactory.php", "factory"),
        ("package-lock.json", "generated"),
        ("uv.lock", "generated"),
        ("api_pb2.py", "generated"),
        ("third_party/x/y.c", "vendored"),
        ("pyproject.toml", "config"),
        ("types/index.d.ts", "stub"),
        ("pkg/__init__.py", "reexport"),
        ("src/legacy/a.py", "legacy"),
    ],
)
def test_a_path_tells_its_kind(path: str, kind: str) -> None:
    assert kind_of(path) == kind


@pytest.mark.parametrize(
    ("text", "is_symbol", "names"),
    [
        ("CartLine", True, ["CartLine"]),
        ("parse_price", True, ["parse_price"]),
        ("shop.Cart.total", True, ["total"]),
        ("ns::run", True, ["run"]),
        ("login", False, ["login"]),
        ("how does parse_price work", False, ["parse_price"]),
        ("What is the HTTPServer for?", False, ["HTTPServer"]),
        ("how does it work", False, []),
        ("see e.g. this. And that.", False, []),
    ],
)
def test_a_query_tells_a_name_from_a_sentence(text: str, is_symbol: bool, names: list[str]) -> None:
    query = Query(text)
    assert (query.is_symbol, query.names) == (is_symbol, names)


@given(st.text(alphabet="ab/*?[]{},!.\\-", min_size=1, max_size=12), st.text(alphabet="ab/.", max_size=12))
def test_any_glob_compiles_or_is_refused(pattern: str, path: str) -> None:
    with contextlib.suppress(BadPattern):
        assert path or not compile_glob(pattern)(path)
