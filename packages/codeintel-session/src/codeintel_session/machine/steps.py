"""Everything that affects the order of the flow lives here, and nothing else assigns a phase.

`STEPS` is read downwards: a submission leads to the next row that no active tag drops and whose condition holds;
running off the end is SESSION_COMPLETE. `JUMPS` lists the only exceptions. A tag is the name of a flag that is on, or
`investigate` for the investigation path.
"""

from collections.abc import Set
from dataclasses import dataclass

from codeintel_contract import Flags, Intent, Key, Phase

START = 1
"""The step number of start_session."""
END = 20
"""The step number of SESSION_COMPLETE."""


@dataclass(frozen=True, slots=True)
class Step:
    """A row of the flow. `only_if` names a fact that must hold; `jump` is a fact that never does.

    `joins` says that it can be submitted together with the row before it: nothing has to be done in between. `opens`
    says that its own reply lists what may follow, too, because whoever submits step by step has work to do there.
    """

    number: int
    phase: Phase
    key: Key
    dropped_by: frozenset[str]
    only_if: str = ""
    substep: str = ""
    joins: bool = False
    opens: bool = True


def _row(
    number: int,
    key: Key,
    dropped_by: str = "",
    only_if: str = "",
    substep: str = "",
    *,
    joins: bool = False,
    opens: bool = False,
) -> Step:
    phase = Phase.READY if substep else Phase(key.value)
    return Step(number, phase, key, frozenset(dropped_by.split()), only_if, substep, joins, opens or not joins)


STEPS: tuple[Step, ...] = (
    _row(2, Key.BRANCH_INTERVENTION, "only_verify", "stale_branch"),
    _row(3, Key.DOCUMENT_RESEARCH, "only_verify no_doc", "documents"),
    _row(4, Key.QUERY_FRAME, "only_verify", joins=True, opens=True),
    _row(5, Key.EXPLORATION, "only_verify fast quick", joins=True, opens=True),
    _row(6, Key.Q1, "only_verify fast quick", joins=True),
    _row(7, Key.SEMANTIC, "only_verify fast quick", "q1"),
    _row(8, Key.Q2, "only_verify fast quick", joins=True),
    _row(9, Key.VERIFICATION, "only_verify fast quick", "q2"),
    _row(10, Key.Q3, "only_verify fast quick", joins=True),
    _row(11, Key.IMPACT_ANALYSIS, "only_verify fast quick", "q3"),
    _row(12, Key.READY_PLAN, "only_verify investigate", substep="plan", joins=True),
    _row(13, Key.READY_IMPL, "only_verify investigate", "pending_task", substep="implement"),
    _row(14, Key.READY_COMPLETE, "only_verify investigate", substep="complete", joins=True),
    _row(15, Key.POST_IMPL_VERIFY, "investigate no_verify", joins=True),
    _row(16, Key.VERIFY_INTERVENTION, "only_verify investigate no_verify quick no_intervention", "jump"),
    _row(17, Key.PRE_COMMIT, "only_verify investigate quick"),
    _row(18, Key.QUALITY_REVIEW, "only_verify investigate quick fast no_quality", joins=True),
    _row(19, Key.MERGE, "only_verify investigate quick", joins=True),
)

JUMPS: dict[tuple[int, str], int] = {
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

ROWS: dict[int, Step] = {row.number: row for row in STEPS}

GATE_FLAGS = tuple(sorted(frozenset().union(*(row.dropped_by for row in STEPS)) - {"investigate", "only_verify"}))
"""The flags that leave steps out of work that changes files."""


def active_tags(flags: Flags, intent: Intent) -> frozenset[str]:
    """Return the tags that drop rows. `only_verify` is a path of its own, whatever the intent."""
    active = {name for name, value in flags.model_dump().items() if value is True}
    if flags.only_explore or not (intent.implements or flags.only_verify):
        active.add("investigate")
    return frozenset(active)


def number_of(key: Key) -> int:
    """Return the step number of a contract key."""
    return next(row.number for row in STEPS if row.key is key)


def applies(key: Key, active: Set[str]) -> bool:
    """Return True if the row of the key is not dropped by the active tags."""
    return not ROWS[number_of(key)].dropped_by & active


def next_step(number: int, outcome: str, active: Set[str], facts: Set[str]) -> Step | None:
    """Return the row entered after `number` ended with `outcome`; None is SESSION_COMPLETE."""
    jump = JUMPS.get((number, outcome))
    first = jump or number + 1
    for row in STEPS:
        if (
            row.number >= first
            and not row.dropped_by & active
            and (not row.only_if or row.only_if in facts or row.number == jump)
        ):
            return row
    return None


def may_follow(number: int, active: Set[str], facts: Set[str]) -> tuple[Step, ...]:
    """Return the rows that can be submitted together with row `number`: those that join it, one after the other.

    Rows whose condition does not hold yet are passed over: the flow may leave them out.
    """
    found: list[Step] = []
    for row in STEPS:
        if row.number <= number or row.dropped_by & active or (row.only_if and row.only_if not in facts):
            continue
        if not row.joins:
            break
        found.append(row)
    return tuple(found)
