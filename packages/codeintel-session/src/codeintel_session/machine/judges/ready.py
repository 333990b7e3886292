"""Judges of READY: the plan, the report of each task, and the completion."""

from collections.abc import Mapping, Sequence
from typing import Any

from codeintel_contract import (
    ChecklistItem,
    Key,
    PlannedTask,
    ReadyComplete,
    ReadyImpl,
    ReadyPlan,
    Task,
    WritePolicy,
    is_real_reason,
    quote_name,
)
from codeintel_session.machine.checklist import (
    check_report,
    check_work_remains,
    fail,
    files_shown,
    fold,
    speaks_of_documentation,
)
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.judges.chain import unreported_verdict
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.observations import union
from codeintel_session.machine.state import Move, SessionState
from codeintel_session.machine.steps import active_tags, applies, number_of
from codeintel_session.machine.user_words import Who
from codeintel_session.machine.verdict import MessageRef, Verdict
from codeintel_session.machine.write_policy import judge_planned, moved_by_session, reconcile

_FAILED_VERIFICATION = ((number_of(Key.POST_IMPL_VERIFY),), (number_of(Key.VERIFY_INTERVENTION),))
"""The steps from which planning is entered again because a verifier did not pass."""


def plan(state: SessionState, payload: ReadyPlan, facts: Facts) -> Verdict:
    """Register the complete list of tasks; what the server recorded about earlier ones stays.

    After a failed verification nothing need be added: the cause may lie outside the change.
    """
    if payload.tasks or not may_add_nothing(state):
        _check_list(payload.tasks)
    if escalation_due(state) and not (payload.user_decision or "").strip():
        raise fail("user_decision_required", count=state.counters.verification_failure_count)
    tasks, round_ = _resolve(state, payload.tasks, state.plan_round + 1), state.plan_round + 1
    if not any(task.status == "pending" for task in tasks):
        if not may_add_nothing(state):
            raise fail("no_pending_tasks")
        round_ = state.plan_round  # its tasks are the ones that the next verification judges
    decision = noted_decision(state, facts, asked=escalation_due(state))
    explored, warnings = _open_planned(state, tasks, facts)
    dropped = _dropped(state, payload.tasks)
    updates = {"tasks": tasks, "plan_round": round_, "revert_reason": "", "explored": explored, **decision, **dropped}
    return Verdict(updates=updates, warnings=(*warn_unconfirmed(decision), *warnings))


def _open_planned(
    state: SessionState, tasks: tuple[Task, ...], facts: Facts
) -> tuple[tuple[str, ...], tuple[MessageRef, ...]]:
    """Return the explored files with those that the plan adds, and a warning of what it may not write.

    It adds new ones, as the client's hook must not refuse the next change of a file once it is written, and those that
    a tool of this session has shown: where flags leave the exploration out, the plan is the first to name them.
    """
    seen = set(state.seen)
    new, unopened = judge_planned(state.model_copy(update={"tasks": tasks}), facts.planned)
    shown, blocked = [path for path in unopened if path in seen], [path for path in unopened if path not in seen]
    warnings = (MessageRef("warnings.plan_unexplored", {"files": names_of(blocked)}),) if blocked else ()
    return union(state.explored, [*new, *shown]), warnings


def may_add_nothing(state: SessionState) -> bool:
    """Return True if the plan may stay as it is: a verifier failed, and why may have nothing to do with the tasks."""
    return bool(state.tasks) and state.completed_steps[-1:] in _FAILED_VERIFICATION


def noted_decision(state: SessionState, facts: Facts, *, asked: bool) -> dict[str, Any]:
    """Return the update that notes who decided how to proceed after failures, if that was the user's to decide.

    A user who accepts the tree that failed lets it pass, as not verified (docs/adr/0054).
    """
    if not asked:
        return {}
    taken = {"accepted_tree": state.failed_tree} if facts.accepts else {}
    return {"chosen_by": {**state.chosen_by, "user_decision": facts.decided_by}, **taken}


def warn_unconfirmed(decision: Mapping[str, Any]) -> tuple[MessageRef, ...]:
    """Warn if nothing shows that the decision is the user's own."""
    by = decision.get("chosen_by", {}).get("user_decision", Who.USER)
    return () if by == Who.USER else (MessageRef("warnings.decision_not_confirmed"),)


def _check_list(tasks: Sequence[PlannedTask]) -> None:
    if not tasks:
        raise fail("empty_tasks")
    ids = [task.id for task in tasks]
    if duplicates := sorted({name for name in ids if ids.count(name) > 1}):
        raise fail("duplicate_task_ids", ids=", ".join(duplicates))
    for task in tasks:
        if task.drop_reason is not None and not is_real_reason(task.drop_reason):
            raise fail("drop_reason_required", ids=task.id)
        items = [fold(item.item) for item in task.checklist]
        if duplicates := sorted({name for name in items if items.count(name) > 1}):
            raise fail("duplicate_checklist_items", task_id=task.id, item=duplicates[0])


def needs_user(state: SessionState) -> bool:
    """Return True if an intervention must hand the decision to the user."""
    return state.stuck or state.counters.intervention_count >= state.limits.interventions


def escalation_due(state: SessionState) -> bool:
    """Return True if verification has failed too often in a row, or twice on one tree, and the flags leave no
    intervention.
    """
    too_often = state.stuck or state.counters.verification_failure_count >= state.limits.escalation_failures
    return too_often and not applies(Key.VERIFY_INTERVENTION, active_tags(state.flags, state.intent))


def _resolve(state: SessionState, planned: Sequence[PlannedTask], round_: int) -> tuple[Task, ...]:
    dropped = {task.id for task in planned if is_real_reason(task.drop_reason)}
    if lost := {task.id for task in state.pending_tasks()} - {task.id for task in planned}:
        raise fail("drop_reason_required", ids=", ".join(sorted(lost)))
    # New ids must not reset the limit: an added task starts with the highest failure count.
    inherited = max((task.failure_count for task in state.tasks), default=0)
    listed = {task.id for task in planned} - dropped
    # A completed task that the list leaves out stays.
    kept = [task for task in state.tasks if task.status == "completed" and task.id not in listed]
    wanted = [task for task in planned if task.id not in dropped]
    if bare := [task.id for task in wanted if not task.checklist and not (state.task(task.id) or task).checklist]:
        raise fail("checklist_required", task_id=", ".join(bare))
    return tuple(kept) + tuple(_merge(state, task, inherited, round_) for task in wanted)


def _dropped(state: SessionState, planned: Sequence[PlannedTask]) -> dict[str, Any]:
    """Return the update that notes which tasks leave the plan undone, and why."""
    known = {task.id: task.description for task in state.tasks}
    gone = [f"{known[task.id]} ({task.drop_reason})" for task in planned if task.drop_reason and task.id in known]
    return {"dropped": (*state.dropped, *gone)}


def _merge(state: SessionState, planned: PlannedTask, inherited: int, round_: int) -> Task:
    old = state.task(planned.id)
    if old is not None and old.status == "completed" and planned.status == "completed":
        return old
    items = [entry.item for entry in planned.checklist] or [entry.item for entry in (old.checklist if old else ())]
    return Task(
        id=planned.id,
        description=planned.description,
        checklist=tuple(ChecklistItem(item=item) for item in items),
        failure_count=old.failure_count if old else inherited,
        revert_reason=old.revert_reason if old else state.revert_reason,
        round=round_,
    )


def implement(state: SessionState, payload: ReadyImpl, facts: Facts) -> Verdict:
    """Require the first pending task with evidence, and no change outside the explored files; revise the plan."""
    task = _expected(state, payload.task_id)
    checklist = check_report(state, task, payload.checklist, facts)
    done = task.model_copy(update={"status": "completed", "checklist": checklist, "round": state.plan_round})
    tasks = tuple(done if entry.id == task.id else entry for entry in state.tasks)
    if payload.tasks is not None:
        tasks = _revise(state.model_copy(update={"tasks": tasks}), payload.tasks)
    reconcile(state.model_copy(update={"tasks": tasks}), facts.changes)  # with the files that the report plans
    explored, blocked = _open_planned(state, tasks, facts)
    left = any(entry.status == "pending" for entry in tasks)
    told = " ".join([payload.summary, task.description, *(item.item for item in task.checklist)])
    moved = _unreported(state, done, told)
    if not left:
        _check_stubs(facts)
    if not left and (files := [path for path in moved_by_session(state) if path in moved]):
        raise fail("changed_out_of_phase", problems=tuple(map(quote_name, files)), files=names_of(files))
    reported = {**state.reported, **facts.digests}
    dropped = _dropped(state, payload.tasks or ())
    updates = {"tasks": tasks, "explored": explored, "moved": moved, "reported": reported, **dropped}
    return Verdict(
        "tasks_left" if left else "accepted",
        updates,
        warnings=(*_unmet(done, facts), *_commented(done, facts), *blocked),
    )


def _unreported(state: SessionState, task: Task, told: str) -> dict[str, Move]:
    """Return the changes made in closed phases that this report neither gives evidence of nor names."""
    shown = files_shown(task.checklist)
    named = WritePolicy(plan=(told,))
    return {path: move for path, move in state.moved.items() if path not in shown and not named.is_planned(path)}


def _check_stubs(facts: Facts) -> None:
    """Refuse changed definitions that are empty, cited or not."""
    if facts.stubs:
        raise fail("empty_definitions", problems=facts.stubs, names=names_of(facts.stubs))


def _unmet(task: Task, facts: Facts) -> tuple[MessageRef, ...]:
    """Warn about finished items that name a file of the project, or code of it, in which nothing changed."""
    changed = {path for change in facts.changes if not change.preexisting for path in (change.path, change.old_path)}
    unmet = []
    for item in (entry.item for entry in task.checklist if entry.status == "done"):
        files = facts.named.get(item, ())
        if names := (files if changed.isdisjoint(files) else ()) or facts.untouched.get(item, ()):
            unmet.append(f"{item} ({', '.join(names)})")
    return (MessageRef("warnings.items_unmet", {"items": "; ".join(unmet)}),) if unmet else ()


def _commented(task: Task, facts: Facts) -> tuple[MessageRef, ...]:
    """Warn about finished items that comments alone show, and that do not speak of them."""
    shown = [one for one in task.checklist if one.evidence and not speaks_of_documentation(one.item, task.description)]
    said = [one.item for one in shown if all(facts.kinds.get(place) == "documentation" for place in one.evidence)]
    return (MessageRef("warnings.comments_alone", {"items": "; ".join(said)}),) if said else ()


def _revise(state: SessionState, planned: Sequence[PlannedTask]) -> tuple[Task, ...]:
    """Register the complete list in the present round of the plan; completed tasks stay as they are."""
    _check_list(planned)
    done = {task.id: [fold(item.item) for item in task.checklist] for task in state.tasks if task.status == "completed"}
    revised = [
        task.id
        for task in planned
        if task.id in done
        and (task.drop_reason or sorted(fold(item.item) for item in task.checklist) not in ([], sorted(done[task.id])))
    ]
    if revised:
        raise fail("task_not_revisable", ids=", ".join(revised))
    return _resolve(state, [task for task in planned if task.id not in done], state.plan_round)


def _expected(state: SessionState, task_id: str) -> Task:
    pending = state.pending_tasks()
    if not pending:
        raise fail("no_tasks")
    task, first = state.task(task_id), pending[0]
    if task is None:
        raise fail("unknown_task", task_id=task_id, expected_task=first.id)
    if task.status == "completed":
        raise fail("already_completed", task_id=task_id, expected_task=first.id)
    if task.id != first.id:
        raise fail("wrong_order", task_id=task_id, expected_task=first.id)
    return task


def complete(state: SessionState, payload: ReadyComplete, facts: Facts) -> Verdict:
    """Require that no task is pending, the reported work remains, and the tree has no unexplored change."""
    if pending := state.pending_tasks():
        raise fail("incomplete_tasks", count=len(pending), ids=", ".join(task.id for task in pending))
    check_work_remains(state, facts.changes)
    reconcile(state, facts.changes)
    if files := moved_by_session(state):
        return unreported_verdict(state, files)
    _check_stubs(facts)
    said = {"never_shown": facts.unseen, "names_absent": facts.absent, "same_proof": facts.same_proof}
    return Verdict(
        warnings=tuple(
            MessageRef(f"warnings.{key}", {"names": names_of(names)}) for key, names in said.items() if names
        )
    )
