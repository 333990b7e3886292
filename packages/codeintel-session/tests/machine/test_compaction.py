"""Summaries are sent when the echo shows a loss of context, and then once."""

import pytest

from codeintel_session.machine.decide import note_echo, summary_key, with_summary
from codeintel_session.machine.limits import SUMMARY_CHARS
from codeintel_session.machine.steps import STEPS
from codeintel_session.testing import state_at

STATE = state_at(6, summaries={"a": "1", "b": "2"}, compaction_count=2)


@pytest.mark.parametrize(
    ("received", "count", "tells"), [(2, 2, False), (None, 2, True), (3, 3, True), (1, 2, True), (-7, 2, True)]
)
def test_a_missing_or_different_echo_tells_and_the_higher_count_wins(
    received: int | None, count: int, tells: bool
) -> None:
    after, told = note_echo(STATE, received)
    assert (after.compaction_count, told) == (count, tells)


def test_the_same_wrong_echo_is_told_once() -> None:
    once, _ = note_echo(STATE, None)
    assert not note_echo(once, None)[1]


def test_a_right_echo_in_between_makes_the_next_loss_count() -> None:
    once, _ = note_echo(STATE, None)
    right, _ = note_echo(once, 2)
    assert note_echo(right, None)[1]


def test_the_first_submission_does_not_use_up_the_once() -> None:
    fresh = state_at(5, summaries={"a": "1"})
    first, told = note_echo(fresh, None)
    assert not told
    assert note_echo(first.model_copy(update={"summaries": {"a": "1", "b": "2"}}), None)[1]


def test_summaries_of_one_step_do_not_overwrite_each_other_and_are_cut() -> None:
    state = with_summary(with_summary(with_summary(state_at(12), "k", " one "), "k", "two"), "k", "x" * 5000)
    assert list(state.summaries.items()) == [("k", "one"), ("k#2", "two"), ("k#3", "x" * SUMMARY_CHARS)]


def test_summaries_are_kept_under_the_step_and_its_name() -> None:
    assert [summary_key(row) for row in STEPS] == [
        "step_02_BRANCH_INTERVENTION",
        "step_03_DOCUMENT_RESEARCH",
        "step_04_QUERY_FRAME",
        "step_05_EXPLORATION",
        "step_06_Q1",
        "step_07_SEMANTIC",
        "step_08_Q2",
        "step_09_VERIFICATION",
        "step_10_Q3",
        "step_11_IMPACT_ANALYSIS",
        "step_12_READY_PLANNING",
        "step_13_READY_IMPLEMENTATION",
        "step_14_READY_COMPLETION",
        "step_15_POST_IMPL_VERIFY",
        "step_16_VERIFY_INTERVENTION",
        "step_17_PRE_COMMIT",
        "step_18_QUALITY_REVIEW",
        "step_19_MERGE",
    ]


def test_an_empty_summary_is_not_kept() -> None:
    assert with_summary(state_at(12), "k", " \n").summaries == {}
