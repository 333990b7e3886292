"""The write policy of a session: before a write, and to what was really changed.

The policy itself is in `codeintel_contract.write_policy`, because the client's hook follows it too.
"""

from collections.abc import Iterable

from codeintel_contract import ContractViolation, Phase, WritePolicy, folder_of, quote_name
from codeintel_session.machine.facts import Changed, Target
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.state import SessionState

_DONE = {"modified": "changed", "mode": "mode changed", "type_changed": "type changed"}
_WHY = {"folder_not_explored": "in a folder that was not explored", "not_planned": "but not planned"}


def write_policy(state: SessionState) -> WritePolicy:
    """Return what the session may write just now."""
    where = state.phase_state
    texts = [text for task in state.tasks for text in (task.description, *(item.item for item in task.checklist))]
    return WritePolicy(
        phase=where.current_phase + (f" ({where.ready_substep})" if where.ready_substep else ""),
        is_open=where.current_phase == Phase.READY and where.ready_substep == "implement",
        explored=state.explored,
        folders={*map(folder_of, state.explored), *state.listed},
        planned=state.planned_files,
        plan=texts,
    )


def check_write(state: SessionState, target: Target) -> None:
    """Raise unless the target may be written now.

    Raises ContractViolation: `write_phase_blocked` outside READY (implement), else `write_blocked` with the reason.
    """
    policy = write_policy(state)
    why = policy.refuse_write(target.path, not target.exists, target.folder)
    if why != "write_phase_blocked" and not target.inside:
        why = "outside_project"
    if why:
        raise ContractViolation(f"tool_errors.check_write_target.{why}", path=target.path, phase=policy.phase)


def judge_planned(state: SessionState, targets: Iterable[Target]) -> tuple[list[str], list[str]]:
    """Return the new files that the plan may create, and what it names and the write policy does not allow yet."""
    policy = write_policy(state)
    new, blocked = [], []
    for target in targets:
        why = policy.refuse_change(target.path, not target.exists, target.folder)
        if not why and not target.exists:
            new.append(target.path)
        elif why in ("not_explored", "folder_not_explored"):
            blocked.append(target.path)
    return new, blocked


def moved_by_others(state: SessionState) -> list[str]:
    """Files that changed in a phase that forbids writing and are not the session's: neither explored nor planned."""
    policy = write_policy(state)
    return [path for path in state.moved if path not in policy.explored and not policy.is_planned(path)]


def moved_by_session(state: SessionState) -> list[str]:
    """Explored or planned files that changed in a phase that forbids writing and were not reported since."""
    others = set(moved_by_others(state))
    return [path for path in state.moved if path not in others]


def unexplored(state: SessionState, changes: Iterable[Changed]) -> dict[str, str]:
    """Paths changed in this session that the write policy does not allow, in order, and what was done against it."""
    policy = write_policy(state)
    done = (change for change in changes if not change.preexisting and not change.undone)
    return {
        change.path: f"{_done_to(change)} {_WHY.get(why, 'but not explored')}"
        for change in done
        if (why := _refuse(policy, change))
    }


def _refuse(policy: WritePolicy, change: Changed) -> str:
    """Return why a change is not allowed, "" if it is."""
    if change.status == "renamed" and change.old_path not in policy.explored:
        return "not_explored"
    return policy.refuse_change(change.path, change.status in ("added", "renamed"), change.folder)


def reconcile(state: SessionState, changes: Iterable[Changed]) -> None:
    """Compare the real diff with the allowed set.

    Raises ContractViolation: `unexplored_changes`, naming the files and what was done to each.
    """
    if found := unexplored(state, changes):
        raise ContractViolation(
            "common_failures.unexplored_changes",
            problems=tuple(f"{quote_name(path)}: {done}" for path, done in found.items()),
            files=names_of(found),
        )


def _done_to(change: Changed) -> str:
    if change.status == "renamed":
        return f"renamed from {quote_name(change.old_path)}"
    return _DONE.get(change.status, change.status)
