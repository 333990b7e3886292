"""Each signal decides on its own: two files, alike but for the one thing that the signal looks at."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.search.query import Query
from codeintel_index.search.ranking import likeness
from codeintel_index.search.weights import OFF, WEIGHTS, Weights
from codeintel_index.testing import make_repo

Hits = Callable[[Mapping[str, str], str], list[tuple[str, str]]]
FILLER = {f"other_{n}.py": f"def unrelated_{n}(rows):\n    return sorted(rows)[{n}]\n" for n in range(12)}


@pytest.fixture
def hits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hits:
    """Search a project of some files among unrelated ones, without vectors; (path, symbol) of the hits, best first."""

    monkeypatch.setattr(IndexConfig, "embeds_while_parsing", False)

    def search(files: Mapping[str, str], query: str) -> list[tuple[str, str]]:
        with Index.open(make_repo(tmp_path / "project", {**FILLER, **files})) as index:
            monkeypatch.setattr(index._updater, "start_background", lambda rows=False: None)
            index.sync()
            return [(hit.path, hit.symbol) for hit in index.search(query, "forest").hits]

    return search


def function(name: str, body: str) -> str:
    return f"def {name}(given):\n    {body}\n    return given\n"


def test_a_file_with_many_matching_parts_comes_before_one_with_a_single_part(hits: Hits) -> None:
    many = "\n\n".join(function(f"step_{n}", "given.ledger.balance()\n" + "    given.wait()\n" * 30) for n in range(4))
    one = function("alone", "given.ledger.balance()\n" + "    given.wait()\n" * 30)
    assert hits({"a.py": one, "z.py": many}, "how the ledger is brought to balance")[0][0] == "z.py"


def test_words_of_a_files_name_count(hits: Hits) -> None:
    files = {
        "abacus.py": function("run", "given.print_invoice()\n    given.invoice.printed()\n    given.invoice()"),
        "invoices.py": function("run", "given.printed()"),
    }
    assert hits(files, "where is an invoice printed")[0][0] == "invoices.py"


def test_a_beginning_of_a_word_in_a_files_name_counts(hits: Hits) -> None:
    text = function("run", "given.authentication()")
    assert hits({"abacus.py": text, "auth.py": text}, "authentication of a request")[0][0] == "auth.py"


BASKETS = {
    "a.py": "\n\n".join(function(f"fill_{n}", "Basket(Basket(given)).contents = Basket.contents") for n in range(4)),
    "b.py": "class Basket:\n    inside = ()\n\n    def size(self):\n        return 1\n" + "\n    waits = 1\n" * 30,
}


def test_a_type_named_in_a_sentence_is_found_where_it_is_defined(hits: Hits) -> None:
    assert hits(BASKETS, "what are the contents of a Basket")[0] == ("b.py", "Basket")


def test_a_name_is_found_where_it_is_defined(hits: Hits) -> None:
    assert hits(BASKETS, "Basket")[0] == ("b.py", "Basket")


def test_tests_come_after_the_code_even_if_they_say_it_more_often(hits: Hits) -> None:
    files = {
        "test/dry.py": function("check", "given.rinse(given.glasses)\n    given.rinse()"),
        "wash.py": function("go", "given.rinse(given.glasses)"),
    }
    assert hits(files, "rinse the glasses")[0][0] == "wash.py"


def test_a_name_that_stands_in_every_file_says_little_in_a_sentence(hits: Hits) -> None:
    files = {f"part_{n}.py": f"import Acme\n\n{function(f'do_{n}', 'Acme.call(given)')}" for n in range(8)}
    files["acme.py"] = "class Acme:\n    def call(self, given):\n        return given\n"
    files["retry.py"] = f"import Acme\n\n{function('retry', 'Acme.call(given)  # retry with backoff')}"
    assert hits(files, "how Acme does a retry with backoff")[0][0] == "retry.py"


def test_the_spelling_of_a_name_decides_between_two_definitions(hits: Hits) -> None:
    text = (
        "def session(given):\n    return Session(given)\n\n\nclass Session:\n"
        + "    def close(self):\n        pass\n" * 3
    )
    assert hits({"a.py": text}, "Session")[0] == ("a.py", "Session")


def test_a_definition_that_many_use_comes_before_one_that_nobody_uses(hits: Hits) -> None:
    users = {f"user_{n}.py": f"def call_{n}(rows):\n    return press(rows)\n" for n in range(9)}
    files = {
        "a.py": function("steam", "given.iron_shirts()"),
        "b.py": function("press", "given.iron_shirts()"),
        **users,
    }
    assert hits(files, "iron the shirts")[0][0] == "b.py"


def test_words_written_together_in_code_are_found_when_written_apart(hits: Hits) -> None:
    files = {f"a{n}.py": function(f"f{n}", "given.event()") for n in range(8)}
    files["z.py"] = function("go", "given.eventloop()")
    assert hits(files, "event loop")[0][0] == "z.py"


def test_what_the_head_of_a_file_says_counts_more(hits: Hits) -> None:
    rest = "\n\n".join(function(f"step_{n}", "given.wait()\n" * 1 + "    given.walk()\n" * 30) for n in range(2))
    said = "# Ferries cross the river.\nimport boats\nimport banks\nimport bridges\nimport boards\nimport bells\n"
    files = {"a.py": f"{rest}\n\n{said}", "b.py": f"{said}\n\n{rest}"}
    assert hits(files, "ferries across a river")[0][0] == "b.py"


def test_an_index_file_with_code_of_its_own_is_no_re_export(hits: Hits) -> None:
    code = function("settle", "given.settle_accounts()\n    given.accounts.settle()")
    assert hits({"pay/__init__.py": code, "zeta.py": function("x", "given.settle_accounts()")}, "settle accounts")[
        0
    ] == (
        "pay/__init__.py",
        "settle",
    )


def test_a_word_in_most_files_still_counts_in_a_small_project(hits: Hits) -> None:
    files = {f"p{n}.py": function(f"f{n}", "given.order()") for n in range(30)}
    files["q.py"] = function("g", "given.order()\n    given.orders.order()")
    assert hits(files, "order")[0][0] == "q.py"


def test_in_a_large_project_the_commonest_words_are_left_out(hits: Hits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.search.lexical.ENOUGH", 8)
    files = {f"p{n}.py": function(f"f{n}", "given.order()") for n in range(9)}
    files |= {"x.py": function("x", "given.refund_voucher()"), "y.py": function("y", "given.voucher()")}
    found = hits(files, "refund a voucher of an order")
    assert [path for path, _ in found[:3]] == ["x.py", "y.py"]


@pytest.mark.parametrize(
    ("path", "query", "share"),
    [
        ("src/auth.py", "auth", 1.0),
        ("src/auth_token.py", "auth", 0.5**0.5),  # half of the name
        ("src/auth.py", "auth user", 0.5),  # half of the query
        ("src/config.py", "configuration", 0.7),
        ("src/recovery.go", "recoverer", 0.7),
        ("src/to.py", "token", 0.0),  # too short to be a beginning
        ("src/format.py", "forest", 0.0),
    ],
)
def test_likeness_of_a_files_name(path: str, query: str, share: float) -> None:
    assert likeness(path, dict.fromkeys(Query(query).terms, 2.0), near=0.7) == pytest.approx(share)


def test_queries_are_read_for_types_and_joined_words() -> None:
    assert Query("how the Basket of HTTPServer is filled").types == ["Basket"]  # HTTPServer is a name already
    assert Query("Where is it").types == []
    assert Query("event loop run").joined == ["eventloop", "looprun", "eventlooprun"]
    assert Query("eventLoop").joined == []


def test_every_weight_has_a_value_at_which_it_is_off() -> None:
    assert {each.name for each in fields(Weights)} == set(OFF)
    assert all(getattr(WEIGHTS, name) != off for name, off in OFF.items())


def test_odd_queries_are_answered(synced: Index) -> None:
    odd = [
        "\0",
        "'; DROP TABLE chunks --",
        '"',
        "NEAR(a b)",
        "a" * 5000,
        "💥 ⟨x⟩",
        "Ω≈ç√",
        "-",
        "* AND *",
        "где 价格 ist",
    ]
    assert all(isinstance(synced.search(query, "forest").hits, tuple) for query in odd)
    assert synced.search("parse_price", "forest").hits
