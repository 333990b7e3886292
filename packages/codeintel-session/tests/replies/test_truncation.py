"""Replies stay within their size; what says where the session stands is never cut."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from codeintel_session.machine.limits import REPLY_BYTES
from codeintel_session.replies.truncation import SHRINKABLE, bound_reply, json_size, shortened

FIXED = {"success": True, "session_id": "s", "phase": "READY", "step": 13, "call": "submit_phase"}
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.text(max_size=300) | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=9), inner, max_size=9),
    max_leaves=60,
)


def test_a_reply_that_fits_is_left_as_it_is() -> None:
    reply = {**FIXED, "notices": ["x"]}
    assert bound_reply(reply) == reply


@pytest.mark.parametrize("name", SHRINKABLE)
@pytest.mark.parametrize(
    "value", ["x" * 99999, ["x" * 500] * 400, ["ü" * 99999], {f"k{number}": "y" * 900 for number in range(90)}]
)
def test_one_huge_field_is_cut_and_the_rest_stays(name: str, value: Any) -> None:
    cut = bound_reply({**FIXED, name: value})
    assert json_size(cut) <= REPLY_BYTES
    assert FIXED.items() <= cut.items()
    assert "…" in str(cut[name])


def test_all_fields_huge_at_once_still_fit() -> None:
    cut = bound_reply({**FIXED, **{name: ["x" * 900] * 50 for name in SHRINKABLE}})
    assert json_size(cut) <= REPLY_BYTES
    assert FIXED.items() <= cut.items()


def test_what_the_agent_needs_goes_last() -> None:
    cut = bound_reply({**FIXED, "phase_summaries": {"a": "x" * 9000}, "instruction": "do " * 300})
    assert cut["instruction"] == "do " * 300


@given(VALUES, st.integers(60, 900))
def test_shortening_keeps_the_type_and_never_grows(value: Any, budget: int) -> None:
    cut = shortened(value, budget)
    assert type(cut) is type(value)
    assert json_size({"": cut}) <= json_size({"": value})


def test_numbers_cannot_be_cut() -> None:
    assert shortened(10**50, 4) == 10**50
