"""A quote proves a value only if it stands in the request and its words carry the value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeintel_session.machine.quotes import stands_in, uncovered


def test_a_common_word_does_not_carry_a_destructive_value() -> None:
    """The cheat: 'when' stands in the request, so an agent quotes it for what nobody asked."""
    request = "show a warning when the list is empty"
    assert stands_in("when", request)
    assert uncovered("delete production database when", "when") == ["delete", "production", "database"]


@pytest.mark.parametrize(
    ("quote", "request_text"),
    [
        ("the  list\nis EMPTY", "When the list is empty, it fails"),
        ("ﬁle", "open the file"),  # NFKC
        ("空のリスト", "空のリストで落ちる"),
        ("--fast", "use --fast here"),
        ("count_all", "mend count_all()"),
    ],
)
def test_folding_finds_the_quote(quote: str, request_text: str) -> None:
    assert stands_in(quote, request_text)


@pytest.mark.parametrize(
    ("quote", "request_text"),
    [("", "anything"), ("  ", "anything"), ("is", "this list"), ("list fails", "the list that fails")],
)
def test_a_piece_of_a_word_or_nothing_is_no_quote(quote: str, request_text: str) -> None:
    assert not stands_in(quote, request_text)


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("deleting the entries", "delete an entry"),
        ("returns a number", "return the number"),
        ("stopping classes", "stop the class"),
        ("countAll", "count all values"),
        ("user_name", "the user name"),
        ("login form of the page", "page with login form"),
        ("空リスト", "空のリスト"),
        ("APIの一覧", "API の一覧"),
    ],
)
def test_inflection_case_and_function_words_do_not_count(value: str, quote: str) -> None:
    assert uncovered(value, quote) == []


@pytest.mark.parametrize(("value", "quote"), [("!!!", "when"), ("the", "when"), ("", "when")])
def test_a_value_of_no_content_must_stand_in_the_quote_itself(value: str, quote: str) -> None:
    assert uncovered(value, quote) == [value]
    if value:
        assert uncovered(value, f"so {value} is") == []


@given(st.text())
def test_a_text_always_covers_itself(text: str) -> None:
    assert uncovered(text, text) in ([], [text.strip()])
