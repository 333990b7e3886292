"""Steps 12 to 14: the plan, the report of each task, and the last look at them."""

from collections.abc import Sequence
from typing import Any

from codeintel_contract.payloads import ReadyComplete, ReadyImpl, ReadyPlan
from codeintel_contract.tasks import ChecklistItem, PlannedTask, Task, is_real_reason
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.checklist import check_report, check_stands, fold
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.gate import reconcile
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import applies, tags
from codeintel_session.machine.tools_used import observed
from codeintel_session.machine.verdict import Verdict


def _fail(name: str, **values: Any) -> ContractViolation:
    return ContractViolation(f"failures.READY.{name}", **values)


def plan(state: SessionState, payload: ReadyPlan, facts: Facts) -> Verdict:
    """Register the complete list of tasks; the server's own knowledge of old ones stays."""
    _check_list(payload.tasks)
    _check_user_decision(state, payload)
    dropped = {task.id for task in payload.tasks if is_real_reason(task.drop_reason)}
    kept = [task for task in payload.tasks if task.id not in dropped]
    lost = {task.id for task in state.pending_tasks()} - {task.id for task in kept} - dropped
    if lost:
        raise _fail("drop_reason_required", ids=", ".join(sorted(lost)))
    tasks = _resolve(state, kept)
    if not any(task.status == "pending" for task in tasks):
        raise _fail("no_pending_tasks")
    return Verdict(updates={"tasks": tasks, "plan_round": state.plan_round + 1, "revert_reason": ""})


def _check_list(tasks: Sequence[PlannedTask]) -> None:
    if not tasks:
        raise _fail("empty_tasks")
    ids = [task.id for task in tasks]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise _fail("duplicate_task_ids", ids=", ".join(twice))
    for task in tasks:
        if task.drop_reason is not None and not is_real_reason(task.drop_reason):
            raise _fail("drop_reason_required", ids=task.id)
        items = [fold(item.item) for item in task.checklist]
        if twice := sorted({name for name in items if items.count(name) > 1}):
            raise _fail("duplicate_checklist_items", task_id=task.id, item=twice[0])


def _check_user_decision(state: SessionState, payload: ReadyPlan) -> None:
    if escalation_due(state) and not (payload.user_decision or "").strip():
        raise _fail("user_decision_required", count=state.counters.verification_failure_count)


def escalation_due(state: SessionState) -> bool:
    """True where no intervention exists and verification has failed too often in a row."""
    too_often = state.counters.verification_failure_count >= state.limits.escalation_failures
    return too_often and not applies(16, tags(state.flags, state.intent))


def _resolve(state: SessionState, planned: Sequence[PlannedTask]) -> tuple[Task, ...]:
    # New ids must not reset the valve: an added task starts with the highest count among the failed.
    inherited = max((task.failure_count for task in state.tasks), default=0)
    listed = {task.id for task in planned}
    # Work the server saw completed is never lost because a list leaves it out.
    kept = [task for task in state.tasks if task.status == "completed" and task.id not in listed]
    return tuple(kept) + tuple(_merge(state, task, inherited) for task in planned)


def _merge(state: SessionState, planned: PlannedTask, inherited: int) -> Task:
    old = state.task(planned.id)
    if old is not None and old.status == "completed" and planned.status == "completed":
        return old
    items = [entry.item for entry in planned.checklist] or [entry.item for entry in (old.checklist if old else ())]
    if not items:
        raise _fail("checklist_required", task_id=planned.id)
    return Task(
        id=planned.id,
        description=planned.description,
        checklist=tuple(ChecklistItem(item=item) for item in items),
        failure_count=old.failure_count if old else inherited,
        revert_reason=old.revert_reason if old else state.revert_reason,
        round=state.plan_round + 1,
    )


def implement(state: SessionState, payload: ReadyImpl, facts: Facts) -> Verdict:
    """One task, in the order registered, with evidence; and no change outside what was explored."""
    task = _expected(state, payload.task_id)
    worked = any(entry.status != "skipped" for entry in payload.checklist)
    checklist = check_report(state, task, payload.checklist, facts)
    if worked and "check_write_target" not in observed(state):
        raise ContractViolation("common_failures.required_tools_not_used", missing_list="check_write_target")
    reconcile(state, facts.changes)
    done = task.model_copy(update={"status": "completed", "checklist": checklist, "round": state.plan_round})
    tasks = tuple(done if entry.id == task.id else entry for entry in state.tasks)
    left = any(entry.status == "pending" for entry in tasks)
    return Verdict("tasks_left" if left else "accepted", {"tasks": tasks})


def _expected(state: SessionState, task_id: str) -> Task:
    pending = state.pending_tasks()
    if not pending:
        raise _fail("no_tasks")
    task, first = state.task(task_id), pending[0]
    if task is None:
        raise _fail("unknown_task", task_id=task_id, expected_task=first.id)
    if task.status == "completed":
        raise _fail("already_completed", task_id=task_id, expected_task=first.id)
    if task.id != first.id:
        raise _fail("wrong_order", task_id=task_id, expected_task=first.id)
    return task


def complete(state: SessionState, payload: ReadyComplete, facts: Facts) -> Verdict:
    """No task is pending, the work that was shown still stands, and the tree holds nothing unexplored."""
    if pending := state.pending_tasks():
        raise _fail("incomplete_tasks", count=len(pending), ids=", ".join(task.id for task in pending))
    check_stands(state, facts.changes)
    reconcile(state, facts.changes)
    return Verdict()
