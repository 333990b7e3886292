"""What get_session_status adds to the position: enough to continue with nothing else in hand.

The reports of tasks say what was done; the tree says what is there. A file that was changed and is not reported is
named, because an agent that has lost its context would otherwise write it a second time.
"""

from collections.abc import Iterator
from typing import Any

from codeintel_contract import Contract, Phase, Task, WritePolicy
from codeintel_session.git import GitRepository
from codeintel_session.git.session_diff import changes_of, committable_tree, own_changes
from codeintel_session.machine.facts import Changed
from codeintel_session.machine.state import MandatoryRule, SessionState
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.ports import Ports
from codeintel_session.replies.reply import Reply, accepted_reply, task_progress

SHOWN_FILES = 20
SHOWN_NAMES = 10
SHOWN_RANGES = 30
_IN_TASKS = ("progress", "next_task", "tasks")
"""Fields of the position that `task_progress` and `tasks` hold here."""


def status_reply(ports: Ports, contract: Contract, state: SessionState) -> Reply:
    """Return the reply of get_session_status, without its notices."""
    here = accepted_reply(contract, state)
    changed = changed_files(ports.git, state)
    return {
        **{name: value for name, value in here.items() if name not in _IN_TASKS},
        "intent": state.intent.value,
        "query": state.query[:4000],
        "flags": state.flags.active(),
        "branch": state.branch,
        "base": state.base,
        "completed_steps": list(state.completed_steps),
        "changed": changed,
        **_tasks(state),
        **_begun(state, [row["path"] for row in changed]),
        **_runs(ports.git, state),
        "rules": list(map(rule_line, state.mandatory_rules)),
        "impact": dict(state.impact),
        "verifiers": _fitting(ports, state, [row["path"] for row in changed]),
        "explored_files": {"count": len(state.explored), "first": list(state.explored[:SHOWN_FILES])},
        "phase_summaries": dict(state.summaries),
    }


def rule_line(rule: MandatoryRule) -> str:
    """Return a rule with its source."""
    return f"{rule.rule} ({rule.source})"


def changed_files(git: GitRepository | None, state: SessionState) -> list[dict[str, Any]]:
    """List the files that the session changed, with their changed lines and whether a report named them as they are."""
    return [
        {
            "path": change.path,
            "status": change.status,
            "added": change.added,
            "removed": change.removed,
            "lines": [f"{first}-{last}" if last > first else str(first) for first, last in change.hunks[:SHOWN_RANGES]],
            "reported": git is not None and _is_reported(git, state, change),
        }
        for change in own_changes(git, state)
    ]


def _is_reported(git: GitRepository, state: SessionState, change: Changed) -> bool:
    if change.committed or change.path not in state.reported:  # most files need not be read
        return change.committed
    return state.reported[change.path] == git.file_digest(change.path)


def unreported(state: SessionState, changed: list[dict[str, Any]]) -> list[MessageRef]:
    """Name the files that were changed and not reported, while tasks can still be reported."""
    names = [row["path"] for row in changed if not row["reported"]]
    if not names or state.phase_state.current_phase != Phase.READY:
        return []
    listed = ", ".join(names[:SHOWN_NAMES]) + ", ..." * (len(names) > SHOWN_NAMES)
    return [MessageRef("session_messages.changes_unreported", {"files": listed, "base": state.base_commit[:12]})]


def _tasks(state: SessionState) -> Reply:
    """Return the plan once: the next task whole, and the others."""
    if not state.tasks:
        return {}
    progress = task_progress(state)
    next_task = progress.get("next_task")
    others = [task for task in state.tasks if next_task is None or task.id != next_task["id"]]
    listed = {"tasks": [dict(_task_fields(task)) for task in others]} if others else {}
    return {"task_progress": {**progress["progress"], "next_task": next_task}, **listed}


def _task_fields(task: Task) -> Iterator[tuple[str, Any]]:
    yield "id", task.id
    yield "status", task.status
    yield "description", task.description
    if task.status == "pending":
        yield "checklist", [item.item for item in task.checklist]
    else:
        yield "evidence", [place for item in task.checklist for place in item.evidence]


def _begun(state: SessionState, changed: list[str]) -> Reply:
    """Return by task the numbers of the items that name a changed file: their work has begun, and may be done."""
    found = {
        task.id: [
            number
            for number, item in enumerate(task.checklist, 1)
            if any(map(WritePolicy(plan=(item.item,)).is_planned, changed))
        ]
        for task in state.pending_tasks()
    }
    begun = {task_id: numbers for task_id, numbers in found.items() if numbers}
    return {"items_with_changed_files": begun} if begun else {}


def _runs(git: GitRepository | None, state: SessionState) -> Reply:
    """Return the last run of each verifier, and whether anything has changed since."""
    if git is None or not state.receipts:
        return {}
    tree = committable_tree(git, state, changes_of(git, state))
    last = {run.verifier: run for run in state.runs}
    rows = ({"verifier": each, "result": run.standing, "changed_since": run.tree != tree} for each, run in last.items())
    return {"runs": list(rows)}


def _fitting(ports: Ports, state: SessionState, changed: list[str]) -> list[str]:
    """List the verifiers that fit what was changed, or what was explored as long as nothing is."""
    paths = changed or list(state.explored)
    return [name for name, verifier in ports.library.verifiers().items() if verifier.fits(paths)]
