"""The flow table against the design document's phase matrix, cell by cell, and against the specification's rows."""

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.names import Intent, Key, Phase
from codeintel_session.machine.steps import END, JUMPS, ROWS, STEPS, active_tags, applies, may_follow, next_step

# The matrix of the design document, v1.16, without its first row (start_session is no row) and its notes.
MATRIX = """
| Step | Phase | Impl | Investigate | --no-verify | --no-quality | --fast | --quick | --no-doc | -ni |
| 2 | BRANCH_INTERVENTION | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ |
| 3 | DOCUMENT_RESEARCH | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ | ❌ | ✅ |
| 4 | QUERY_FRAME | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ |
| 5 | EXPLORATION | ✅ | ✅ | ✅ | ✅ | ❌ | ❌ | ✅ | ✅ |
| 6 | Q1 | ✅ | ✅ | ✅ | ✅ | ❌ | ❌ | ✅ | ✅ |
| 7 | SEMANTIC | ✅ | ✅ | ✅ | ✅ | ❌ | ❌ | ✅ | ✅ |
| 8 | Q2 | ✅ | ✅ | ✅ | ✅ | ❌ | ❌ | ✅ | ✅ |
| 9 | VERIFICATION | ✅ | ✅ | ✅ | ✅ | ❌ | ❌ | ✅ | ✅ |
| 10 | Q3 | ✅ | ✅ | ✅ | ✅ | ❌ | ❌ | ✅ | ✅ |
| 11 | IMPACT_ANALYSIS | ✅ | ✅ | ✅ | ✅ | ❌ | ❌ | ✅ | ✅ |
| 12 | READY (planning) | ✅ | ❌ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ |
| 13 | READY (implementation) | ✅ | ❌ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ |
| 14 | READY (completion) | ✅ | ❌ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ |
| 15 | POST_IMPL_VERIFY | ✅ | ❌ | ❌ | ✅ | ✅ | ✅ | ✅ | ✅ |
| 16 | VERIFY_INTERVENTION | ✅ | ❌ | ❌ | ✅ | ✅ | ❌ | ✅ | ❌ |
| 17 | PRE_COMMIT | ✅ | ❌ | ✅ | ✅ | ✅ | ❌ | ✅ | ✅ |
| 18 | QUALITY_REVIEW | ✅ | ❌ | ✅ | ❌ | ❌ | ❌ | ✅ | ✅ |
| 19 | MERGE | ✅ | ❌ | ✅ | ✅ | ✅ | ❌ | ✅ | ✅ |
"""
COLUMNS = {
    "Impl": (Flags(), Intent.IMPLEMENT),
    "Investigate": (Flags(), Intent.INVESTIGATE),
    "--no-verify": (Flags(no_verify=True), Intent.IMPLEMENT),
    "--no-quality": (Flags(no_quality=True), Intent.IMPLEMENT),
    "--fast": (Flags(fast=True), Intent.IMPLEMENT),
    "--quick": (Flags(quick=True), Intent.IMPLEMENT),
    "--no-doc": (Flags(no_doc=True), Intent.IMPLEMENT),
    "-ni": (Flags(no_intervention=True), Intent.IMPLEMENT),
}
CELLS = {"✅": True, "❌": False}
TABLE = [[cell.strip() for cell in line.strip("|").split("|")] for line in MATRIX.strip().splitlines()]
PARSED = [
    (int(row[0]), row[1], column, CELLS[cell])
    for row in TABLE[1:]
    for column, cell in zip(TABLE[0][2:], row[2:], strict=True)
]


def test_the_matrix_is_whole() -> None:
    assert len(PARSED) == 18 * len(COLUMNS)


def test_every_cell_of_the_matrix_holds() -> None:
    named = [number for number, name, _, _ in PARSED if ROWS[number].phase.value != name.split(" ")[0]]
    wrong = [cell for cell in PARSED if applies(ROWS[cell[0]].key, active_tags(*COLUMNS[cell[2]])) is not cell[3]]
    assert (named, wrong) == ([], [])


@pytest.mark.parametrize(
    ("number", "phase", "key", "substep", "only_if"),
    [
        (2, Phase.BRANCH_INTERVENTION, Key.BRANCH_INTERVENTION, "", "stale_branch"),
        (3, Phase.DOCUMENT_RESEARCH, Key.DOCUMENT_RESEARCH, "", "documents"),
        (4, Phase.QUERY_FRAME, Key.QUERY_FRAME, "", ""),
        (5, Phase.EXPLORATION, Key.EXPLORATION, "", ""),
        (6, Phase.Q1, Key.Q1, "", ""),
        (7, Phase.SEMANTIC, Key.SEMANTIC, "", "q1"),
        (8, Phase.Q2, Key.Q2, "", ""),
        (9, Phase.VERIFICATION, Key.VERIFICATION, "", "q2"),
        (10, Phase.Q3, Key.Q3, "", ""),
        (11, Phase.IMPACT_ANALYSIS, Key.IMPACT_ANALYSIS, "", "q3"),
        (12, Phase.READY, Key.READY_PLAN, "plan", ""),
        (13, Phase.READY, Key.READY_IMPL, "implement", "pending_task"),
        (14, Phase.READY, Key.READY_COMPLETE, "complete", ""),
        (15, Phase.POST_IMPL_VERIFY, Key.POST_IMPL_VERIFY, "", ""),
        (16, Phase.VERIFY_INTERVENTION, Key.VERIFY_INTERVENTION, "", "jump"),
        (17, Phase.PRE_COMMIT, Key.PRE_COMMIT, "", ""),
        (18, Phase.QUALITY_REVIEW, Key.QUALITY_REVIEW, "", ""),
        (19, Phase.MERGE, Key.MERGE, "", ""),
    ],
)
def test_a_row_is_what_the_specification_says(number: int, phase: Phase, key: Key, substep: str, only_if: str) -> None:
    row = ROWS[number]
    assert (row.phase, row.key, row.substep, row.only_if) == (phase, key, substep, only_if)


def test_the_rows_stand_in_order_and_name_every_key_once() -> None:
    assert [row.number for row in STEPS] == list(range(2, 20))
    assert {row.key for row in STEPS} == set(Key)


def test_the_jumps_are_those_of_the_specification() -> None:
    assert JUMPS == {
        (13, "tasks_left"): 13,
        (14, "unreported"): 13,
        (15, "unreported"): 13,
        (15, "failed"): 12,
        (15, "failed_at_limit"): 16,
        (15, "only_verify_failed"): END,
        (16, "accepted"): 12,
        (17, "unreported"): 13,
        (17, "unverified"): 15,
        (18, "unreported"): 13,
        (18, "unverified"): 15,
        (18, "unreviewed"): 17,
        (18, "issues"): 12,
        (18, "issues_at_limit"): 19,
        (19, "unreported"): 13,
        (19, "unverified"): 15,
        (19, "unreviewed"): 17,
    }


@pytest.mark.parametrize(
    ("number", "outcome", "active", "facts", "expected"),
    [
        (13, "tasks_left", "", "pending_task", 13),
        (13, "accepted", "", "", 14),
        (15, "accepted", "", "", 17),
        (15, "failed", "", "", 12),
        (15, "failed_at_limit", "", "", 16),
        (16, "accepted", "", "", 12),
        (18, "accepted", "", "", 19),
        (18, "issues", "", "", 12),
        (18, "issues_at_limit", "", "", 19),
        (10, "accepted", "investigate", "", None),
        (10, "accepted", "investigate", "q3", 11),
        (11, "accepted", "investigate", "q3", None),
        (15, "accepted", "quick", "", None),
        (14, "accepted", "quick no_verify", "", None),
        (15, "only_verify_failed", "only_verify", "", None),
        (1, "accepted", "only_verify", "stale_branch documents", 15),
        (1, "accepted", "", "stale_branch documents", 2),
        (1, "accepted", "no_doc", "documents", 4),
        (19, "accepted", "", "", None),
    ],
)
def test_the_next_row_follows_the_table(
    number: int, outcome: str, active: str, facts: str, expected: int | None
) -> None:
    row = next_step(number, outcome, set(active.split()), set(facts.split()))
    assert (row.number if row else None) == expected


@pytest.mark.parametrize(
    ("number", "active", "facts", "expected"),
    [
        (4, set(), set(), [5, 6, 8, 10, 12, 14, 15]),
        (4, set(), {"q1"}, [5, 6]),
        (4, {"fast", "no_verify"}, set(), [12, 14]),
        (12, set(), {"pending_task"}, []),
        (17, set(), set(), [18, 19]),
        (17, {"no_quality"}, set(), [19]),
    ],
)
def test_a_row_of_payloads_ends_before_the_next_step_with_work_to_do(
    number: int, active: set[str], facts: set[str], expected: list[int]
) -> None:
    assert [row.number for row in may_follow(number, active, facts)] == expected


@pytest.mark.parametrize(
    ("flags", "intent", "expected"),
    [
        (Flags(only_explore=True), Intent.MODIFY, {"only_explore", "investigate"}),
        (Flags(only_verify=True), Intent.QUESTION, {"only_verify"}),
        (Flags(), Intent.QUESTION, {"investigate"}),
        (Flags(gate_level="full", doc_research=("a",)), Intent.MODIFY, set()),
    ],
)
def test_the_investigation_path_comes_from_intent_or_flag(flags: Flags, intent: Intent, expected: set[str]) -> None:
    assert active_tags(flags, intent) == expected
