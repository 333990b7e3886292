"""Search answers with the code that is meant, from both halves or from the lexical one alone."""

from pathlib import Path

import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.errors import UnknownChunk
from codeintel_index.testing import SHOP, make_repo, write_files

pytestmark = pytest.mark.draws(18)


def best(index: Index, query: str) -> tuple[str, str]:
    hit = index.search(query, collection="forest").hits[0]
    return hit.path, hit.symbol


def test_a_sentence_finds_the_function_that_does_it(dense: Index) -> None:
    assert best(dense, "mail a receipt to the customer") == ("shop/mail.py", "send_receipt")


def test_a_name_finds_its_definition_before_its_uses(dense: Index) -> None:
    assert best(dense, "parse_price") == ("shop/money.py", "parse_price")
    assert best(dense, "Cart") == ("shop/cart.py", "Cart")


def test_a_name_in_a_sentence_finds_its_definition(dense: Index) -> None:
    assert best(dense, "what calls add_prices and why") == ("shop/money.py", "add_prices")


def test_split_identifiers_and_stems_match(dense: Index) -> None:
    write_files(dense.root, {"shop/x.py": "def recomputeInvoiceTotals(rows):\n    return rows\n"})
    dense.sync()
    assert best(dense, "recompute invoice total")[1] == "recomputeInvoiceTotals"


def test_words_of_other_scripts_match(dense: Index) -> None:
    write_files(
        dense.root, {"shop/税.py": "# 消費税を計算する\ndef tax():\n    return 1\n", "docs/é.md": "Crème brûlée\n"}
    )
    dense.sync()
    assert best(dense, "消費税の計算")[0] == "shop/税.py"
    assert best(dense, "crème BRÛLÉE")[0] == "docs/é.md"


def test_vectors_take_part_once_they_are_made(dense: Index) -> None:
    assert dense.search("receipt").dense == ""


def test_a_search_on_an_index_that_was_never_synced_syncs_first(index: Index) -> None:
    assert best(index, "mail a receipt to the customer") == ("shop/mail.py", "send_receipt")


def test_scores_are_shares_and_fall(dense: Index) -> None:
    scores = [hit.score for hit in dense.search("price of a cart").hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_query_about_nothing_here_scores_low(dense: Index) -> None:
    assert max((hit.score for hit in dense.search("kubernetes price ingress annotations").hits), default=0) < 0.6


def test_a_query_without_a_known_word_scores_very_low(dense: Index) -> None:
    for query in ("zxqv frobnicate", "quantum chromodynamics lattice"):
        assert max((hit.score for hit in dense.search(query, "forest").hits), default=0) < 0.3


def test_a_limit_cuts_the_same_order(dense: Index) -> None:
    whole = [hit.chunk_id for hit in dense.search("price of a cart", "forest", limit=50).hits]
    assert len(whole) > 3
    assert [hit.chunk_id for hit in dense.search("price of a cart", "forest", limit=3).hits] == whole[:3]


def test_a_hit_leads_to_its_whole_chunk(dense: Index) -> None:
    hit = dense.search("mail a receipt").hits[0]
    chunk = dense.chunk(hit.chunk_id)
    assert (chunk.path, chunk.start_line, chunk.end_line) == (hit.path, hit.start_line, hit.end_line)
    assert "def send_receipt" in chunk.text


def test_an_unknown_chunk_is_an_error(dense: Index) -> None:
    with pytest.raises(UnknownChunk):
        dense.chunk("nonsense")


def test_empty_queries_and_unknown_collections(dense: Index) -> None:
    assert dense.search("").hits == ()
    assert dense.search('"*" OR NEAR( -- \0').hits is not None
    with pytest.raises(ValueError, match="collection"):
        dense.search("x", collection="woods")


def test_tests_examples_and_copies_come_after_the_code(tmp_path: Path) -> None:
    code = 'def rotate_tokens(store):\n    """Rotate the access tokens."""\n    return store.rotate()\n'
    folders = ("tests", "examples", "vendor", "legacy", "auth")
    with Index.open(make_repo(tmp_path / "p", {f"{folder}/tokens.py": code for folder in folders})) as index:
        index.sync()
        assert index.search("rotate access tokens").hits[0].path == "auth/tokens.py"
        assert index.search("test that access tokens rotate").hits[0].path in ("tests/tokens.py", "auth/tokens.py")


def test_a_query_that_asks_for_tests_gets_them(dense: Index) -> None:
    assert dense.search("tests of parsing a price").hits[0].path == "tests/test_money.py"


def test_one_file_does_not_fill_the_page(tmp_path: Path) -> None:
    many = "\n\n".join(f"def load_user_{n}(key):\n    return key + {n} + user + load\n" * 4 for n in range(12))
    one = "def load_user(key):\n    return key\n"
    files = {"a.py": many, "b.py": one, "c.py": one.replace("load_user", "load_any_user")}
    with Index.open(make_repo(tmp_path / "p", files), IndexConfig(chunk_max_tokens=64)) as index:
        index.sync()
        assert len({hit.path for hit in index.search("load a user", limit=4).hits}) == 3


def test_relevance_is_high_for_the_same_words_and_low_for_others(index: Index) -> None:
    near, far = index.relevance(["add price to cart"], ["add_price(cart)", "http server"])[0]
    assert near > 0.6 > 0.3 > far
    assert index.relevance([], ["a"]) == []
    assert index.relevance(["a"], []) == [[]]


def test_a_question_is_routed_and_says_what_it_ran(dense: Index) -> None:
    answer = dense.ask('where does parse_price read "partition(" and who mails receipts')
    assert [(step["tool"], step["argument"]) for step in answer["ran"]] == [  # type: ignore[attr-defined]
        ("find_definitions", "parse_price"),
        ("search_text", "partition("),
        ("forest_search", "where does parse_price read and who mails receipts"),
    ]
    assert answer["definitions"][0]["path"] == "shop/money.py"  # type: ignore[index]
    assert answer["matches"][0]["line"] == 20  # type: ignore[index]
    assert answer["hits"]


def test_the_shop_has_what_these_tests_assume() -> None:
    assert 'partition(".")' in SHOP["shop/money.py"].split("\n")[19]
