"""The write rule: what a session may change. Fails closed.

An existing file may be written if it was explored. A new one if its nearest existing folder holds an
explored file or was listed by a tool, and the plan names it or `add_explored_files` added it. Paths are
compared whole, never by their last part.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from codeintel_contract.names import Phase
from codeintel_contract.violations import ContractViolation

from .facts import Changed
from .naming import name_of, names_of
from .state import SessionState

USER_FOLDER = ".code-intel"
"""Never writable by the agent: it holds the gate itself."""
_DONE = {"modified": "changed", "mode": "mode changed", "type_changed": "type changed"}


@dataclass(frozen=True, slots=True)
class Target:
    """A path somebody wants to write. `folder` is its nearest existing parent ("" is the root)."""

    path: str
    inside: bool
    exists: bool
    folder: str = ""


def check_write(state: SessionState, target: Target) -> None:
    """Raise unless the target may be written now.

    Raises:
        ContractViolation: `write_phase_blocked` outside READY (implement), else `write_blocked` with the reason.
    """
    where = state.phase_state
    if where.current_phase != Phase.READY or where.ready_substep != "implement":
        name = where.current_phase + (f" ({where.ready_substep})" if where.ready_substep else "")
        raise ContractViolation("tool_errors.check_write_target.write_phase_blocked", phase=name)
    if not target.inside:
        raise ContractViolation("tool_errors.check_write_target.outside_project", path=target.path)
    if is_protected(target.path):
        raise ContractViolation("tool_errors.check_write_target.protected", path=target.path)
    if target.exists:
        if target.path not in state.explored:
            raise ContractViolation("tool_errors.check_write_target.not_explored", path=target.path)
    elif target.folder not in open_folders(state):
        raise ContractViolation("tool_errors.check_write_target.folder_not_explored", path=target.path)
    elif not named(state, target.path):
        raise ContractViolation("tool_errors.check_write_target.not_planned", path=target.path)


def is_protected(path: str) -> bool:
    """True for what only git, the server or the user may touch."""
    parts = PurePosixPath(path).parts
    return any(part.lower() == ".git" for part in parts) or bool(parts and parts[0].lower() == USER_FOLDER)


def open_folders(state: SessionState) -> frozenset[str]:
    """Folders that hold an explored file or were listed."""
    return frozenset(folder_of(path) for path in state.explored) | frozenset(state.listed)


def folder_of(path: str) -> str:
    """The folder of a path; "" is the root."""
    parent = PurePosixPath(path).parent.as_posix()
    return "" if parent == "." else parent


def named(state: SessionState, path: str) -> bool:
    """True if the plan names the whole path, or the agent added it while looking."""
    if path in state.planned_files:
        return True
    texts = [task.description for task in state.tasks] + [item.item for task in state.tasks for item in task.checklist]
    whole = re.compile(rf"(?<![\w./-])(?:\./)?{re.escape(path)}(?![\w/-]|\.\w)")
    return any(whole.search(text) for text in texts)


def unexplored(state: SessionState, changes: Iterable[Changed]) -> list[str]:
    """Paths changed in this session that the write rule does not allow, in order."""
    done = (change for change in changes if not change.older and not change.undone)
    return [change.path for change in done if not _allowed(state, change)]


def _allowed(state: SessionState, change: Changed) -> bool:
    if is_protected(change.path):
        return False
    if change.status in ("added", "renamed"):
        looked = change.folder in open_folders(state)
        fresh = change.path in state.explored or (looked and named(state, change.path))
        return fresh and (change.status == "added" or change.old_path in state.explored)
    return change.path in state.explored


def reconcile(state: SessionState, changes: Iterable[Changed]) -> None:
    """Compare the real diff with the allowed set.

    Raises:
        ContractViolation: `unexplored_changes`, naming the files and what was done to each.
    """
    listed = list(changes)
    if files := unexplored(state, listed):
        found = {change.path: change for change in listed}
        raise ContractViolation(
            "common_failures.unexplored_changes",
            problems=tuple(f"{name_of(path)}: {_done_to(found[path])} but not explored" for path in files),
            files=names_of(files),
        )


def _done_to(change: Changed) -> str:
    if change.status == "renamed":
        return f"renamed from {name_of(change.old_path)}"
    return _DONE.get(change.status, change.status)
