"""Quotes stand in the request and say something; a value is free, and what it plainly adds is named."""

import pytest
from hypothesis import given, strategies as st

from codeintel_session.machine.quotes import added, has_content, new_words, occurs_in

REQUEST = "count_all crashes on an empty list, so make it return the number of entries and warn the caller"


@pytest.mark.parametrize(
    ("quote", "request_text"),
    [
        ("the  list\nis EMPTY", "When the list is empty, it fails"),
        ("ﬁle", "open the file"),  # NFKC
        ("空のリスト", "空のリストで落ちる"),
        ("--fast", "use --fast here"),
        ("count_all", "fix count_all()"),
    ],
)
def test_folding_finds_the_quote(quote: str, request_text: str) -> None:
    assert occurs_in(quote, request_text)


@pytest.mark.parametrize(
    ("quote", "request_text"),
    [("", "anything"), ("  ", "anything"), ("is", "this list"), ("list fails", "the list that fails")],
)
def test_a_piece_of_a_word_or_nothing_is_no_quote(quote: str, request_text: str) -> None:
    assert not occurs_in(quote, request_text)


@pytest.mark.parametrize("quote", ["when", "it is", "so that", "!!!", "in the"])
def test_function_words_alone_are_no_quote(quote: str) -> None:
    assert not has_content(quote)


@pytest.mark.parametrize("quote", ["crashes", "instead of `{}`", "0", "does nothing", "空", "x = y"])
def test_a_word_or_a_sign_of_code_is_enough_for_a_quote(quote: str) -> None:
    assert has_content(quote)


@pytest.mark.parametrize(
    "value",
    [
        "counting fails for lists without entries",
        "countAll gives the number, and callers are warned",
        "an unhandled exception when nothing is in the list",
        "Crash (e.g. on []); the number is wanted instead",
        "",
        "!!!",
    ],
)
def test_an_honest_paraphrase_adds_nothing(value: str) -> None:
    assert added(value, REQUEST, {}) == []


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("make count_all and sum_all return the number", ["sum_all"]),
        ("return the number, see src/stats.py", ["src/stats.py"]),
        ("use BytesRecorder", ["BytesRecorder"]),  # both parts are common, but nothing of it is the request's
        ("call reset()", ["reset()"]),
        ("accept --bluetooth", ["--bluetooth"]),
        ("return the number and delete the list", ["delete"]),
        ("return the number over bluetooth to a printer", ["bluetooth", "printer"]),
    ],
)
def test_a_name_a_loss_or_another_subject_is_named(value: str, names: list[str]) -> None:
    assert added(value, REQUEST, {}) == names


def test_a_loss_that_the_request_asks_for_is_no_addition() -> None:
    assert added("delete the old entries", "remove the entries that are old", {}) == []


def test_a_fault_may_be_told_as_a_loss_that_nobody_asked_for() -> None:
    value, request = "the letter is taken for a flag and removed", "it eats the letter, which is taken for a flag"
    assert added(value, request, {}) == ["removed"]
    assert added(value, request, {}, is_fault=True) == []


def test_words_similar_to_those_of_the_request_are_no_addition() -> None:
    value = "return the cardinality of the sequence's nodes"
    assert added(value, REQUEST, {}) == ["cardinality", "nodes"]
    assert added(value, REQUEST, {"cardinality": 0.4, "nodes": 0.1}) == []


def test_a_request_in_another_language_is_compared_by_names_only() -> None:
    request = "Beim Laden einer leeren Liste stürzt das Programm ab"
    assert new_words("crashes while bluetooth printers load", request) == []
    assert added("call drop_banks", request, {}) == ["drop_banks"]


@given(st.text())
def test_a_text_adds_nothing_to_itself(text: str) -> None:
    assert added(text, text, {}) == []
