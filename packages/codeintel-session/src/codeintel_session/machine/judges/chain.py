"""The chain of trees: what is reported, verified, reviewed, committed and merged is the same.

Where it breaks, a submission is sent back to the step that is stale, with a warning that names what differs. Nothing is
refused and nothing is counted as a failure; after `SEND_BACKS` of them the user decides.
"""

from collections.abc import Iterable, Sequence

from codeintel_contract import ChecklistItem, ContractViolation, Key
from codeintel_session.machine.checklist import files_shown
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.limits import SEND_BACKS
from codeintel_session.machine.naming import is_prose, names_of
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import active_tags, applies
from codeintel_session.machine.verdict import MessageRef, Verdict
from codeintel_session.machine.write_policy import moved_by_session

Updates = dict[str, object]
SENT_BACK = frozenset(
    f"warnings.{name}"
    for name in (
        "changed_after_report",
        "changed_after_verification",
        "changed_after_review",
        "discarded_before_verification",
        "late_commits",
    )
)
"""Why a submission is sent back."""


def broken(state: SessionState, facts: Facts, undone: Iterable[str] = (), more: Sequence[str] = ()) -> Verdict | None:
    """Return the verdict that sends a submission back, None if the chain holds.

    `undone` are paths that this submission restores, `more` paths that changed after the commit.
    """
    if unreported := [path for path in moved_by_session(state) if path not in set(undone)]:
        return unreported_verdict(state, unreported)
    stale = [path for path in facts.since_verified if not is_prose(path)] if is_verified(state) else []
    if stale:
        return _sent_back(state, "unverified", "changed_after_verification", stale)
    if more:
        return _sent_back(state, "unreviewed", "changed_after_review", more)
    return None


def is_verified(state: SessionState) -> bool:
    """Return True if the flags keep the verification, so that its tree must be the one that is merged."""
    return applies(Key.POST_IMPL_VERIFY, active_tags(state.flags, state.intent)) and bool(state.verified_tree)


def unreported_verdict(state: SessionState, files: Sequence[str]) -> Verdict:
    """Return the verdict that opens a task again, so that it reports these files: the last whose evidence names one of
    them, else the last."""
    completed = [task for task in reversed(state.tasks) if task.status == "completed"]
    task = next((task for task in completed if not files_shown(task.checklist).isdisjoint(files)), completed[0])
    blank = tuple(ChecklistItem(item=item.item) for item in task.checklist)
    opened = task.model_copy(update={"status": "pending", "checklist": blank, "round": state.plan_round})
    tasks = tuple(opened if one.id == task.id else one for one in state.tasks)
    return _sent_back(state, "unreported", "changed_after_report", files, {"tasks": tasks}, task_id=task.id)


def late_verdict(state: SessionState, facts: Facts) -> Verdict:
    """Return the verdict about commits on the branch that came after the reviewed one."""
    outcome = "unverified" if is_verified(state) else "unreviewed"
    return _sent_back(state, outcome, "late_commits", facts.late, commits="; ".join(facts.late_commits))


def _sent_back(
    state: SessionState, outcome: str, warning: str, files: Sequence[str], updates: Updates | None = None, **named: str
) -> Verdict:
    count = state.counters.send_backs + 1
    if count > SEND_BACKS:
        raise ContractViolation("common_failures.tree_keeps_changing", files=names_of(files), count=SEND_BACKS)
    counters = state.counters.model_copy(update={"send_backs": count})
    said = MessageRef(f"warnings.{warning}", {"files": names_of(files), **named})
    return Verdict(outcome, {**(updates or {}), "counters": counters}, warnings=(said,))
