"""Everything that affects the order of the flow lives here, and nothing else assigns a phase.

`STEPS` is read downwards: after a submission the next row that is not dropped by an active tag and
whose condition holds is entered; falling off the end is SESSION_COMPLETE. `JUMPS` lists the only
exceptions. A tag is the name of a flag that is on, or `investigate` for the investigation path.
"""

from collections.abc import Set
from dataclasses import dataclass

from codeintel_contract.flags import Flags
from codeintel_contract.names import Intent, Key, Phase

END = 20
"""The step number of SESSION_COMPLETE."""


@dataclass(frozen=True, slots=True)
class Step:
    """A row of the flow. `only_if` names a fact that must hold; `jump` is a fact that never does."""

    number: int
    phase: Phase
    key: Key
    dropped_by: frozenset[str]
    only_if: str = ""
    substep: str = ""


def _row(number: int, key: Key, dropped_by: str = "", only_if: str = "", substep: str = "") -> Step:
    phase = Phase.READY if substep else Phase(key.value)
    return Step(number, phase, key, frozenset(dropped_by.split()), only_if, substep)


STEPS: tuple[Step, ...] = (
    _row(2, Key.BRANCH_INTERVENTION, "only_verify", "stale_branch"),
    _row(3, Key.DOCUMENT_RESEARCH, "only_verify no_doc", "documents"),
    _row(4, Key.QUERY_FRAME, "only_verify"),
    _row(5, Key.EXPLORATION, "only_verify fast quick"),
    _row(6, Key.Q1, "only_verify fast quick"),
    _row(7, Key.SEMANTIC, "only_verify fast quick", "q1"),
    _row(8, Key.Q2, "only_verify fast quick"),
    _row(9, Key.VERIFICATION, "only_verify fast quick", "q2"),
    _row(10, Key.Q3, "only_verify fast quick"),
    _row(11, Key.IMPACT_ANALYSIS, "only_verify fast quick", "q3"),
    _row(12, Key.READY_PLAN, "only_verify investigate", substep="plan"),
    _row(13, Key.READY_IMPL, "only_verify investigate", "pending_task", substep="implement"),
    _row(14, Key.READY_COMPLETE, "only_verify investigate", substep="complete"),
    _row(15, Key.POST_IMPL_VERIFY, "investigate no_verify"),
    _row(16, Key.VERIFY_INTERVENTION, "only_verify investigate no_verify quick no_intervention", "jump"),
    _row(17, Key.PRE_COMMIT, "only_verify investigate quick"),
    _row(18, Key.QUALITY_REVIEW, "only_verify investigate quick fast no_quality"),
    _row(19, Key.MERGE, "only_verify investigate quick"),
)

JUMPS: dict[tuple[int, str], int] = {
    (13, "tasks_left"): 13,
    (15, "failed"): 12,
    (15, "failed_at_limit"): 16,
    (15, "only_verify_failed"): END,
    (16, "accepted"): 12,
    (18, "issues"): 12,
    (18, "issues_at_limit"): 19,
}

ROWS: dict[int, Step] = {row.number: row for row in STEPS}


def tags(flags: Flags, intent: Intent) -> frozenset[str]:
    """The tags that drop rows. `only_verify` is its own path whatever the intent."""
    active = {name for name, value in flags.model_dump().items() if value is True}
    if flags.only_explore or not (intent.implements or flags.only_verify):
        active.add("investigate")
    return frozenset(active)


def applies(number: int, active: Set[str]) -> bool:
    """True if the row is not dropped by the active tags."""
    return not ROWS[number].dropped_by & active


def next_step(number: int, outcome: str, active: Set[str], facts: Set[str]) -> Step | None:
    """The row entered after `number` ended with `outcome`; None is SESSION_COMPLETE."""
    jump = JUMPS.get((number, outcome))
    first = jump or number + 1
    for row in STEPS:
        if (
            row.number >= first
            and applies(row.number, active)
            and (not row.only_if or row.only_if in facts or row.number == jump)
        ):
            return row
    return None
