"""What the session changed, as the machine reads it: the work tree against its base, its last commit, and HEAD.

All are needed. Against the base alone, an edit that takes back what is committed would be invisible: nobody would
review it, and the commit would be merged without it. HEAD is not always the session's last commit: agents and people
commit too, and what they committed counts as reviewed only if the session committed it.
"""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePosixPath

from .adapters.git import Change, GitRepository
from .machine.facts import Changed
from .machine.gate import folder_of
from .machine.state import SessionState
from .ports import Ports

FIRST_LINE = ((1, 1),)


def changes_of(ports: Ports, state: SessionState) -> tuple[Changed, ...]:
    """What this session changed, with what its last commit already holds marked."""
    git = ports.git
    if git is None or not state.base_commit:
        return ()
    found = git.changes(state.base_commit, state.dirty_at_start)
    head = git.head_commit()
    ahead = _against(git, state, head) if head != state.base_commit else {}
    reviewed = state.commits[-1] if state.commits else ""
    later = ahead if reviewed == head else _against(git, state, reviewed) if reviewed else {}
    rest = later | ahead
    added = {change.path for change in found if change.status in ("added", "renamed")}
    listed = [_changed(ports.root, change, rest.get(change.path), bool(reviewed), added) for change in found]
    is_foreign = head not in (state.base_commit, reviewed)
    listed = [_swept(change, is_foreign and change.path not in ahead) for change in listed]
    listed += [_undone(change) for path, change in ahead.items() if path not in {known.path for known in found}]
    return tuple(sorted(listed, key=lambda change: change.path))


def _against(git: GitRepository, state: SessionState, commit: str) -> dict[str, Change]:
    return {change.path: change for change in git.changes(commit, state.dirty_at_start)}


def _swept(change: Changed, is_committed: bool) -> Changed:
    """A file of the user's that was dirty before the session, and that somebody committed as it was."""
    return replace(change, swept=True) if change.older and is_committed else change


def _changed(root: Path, change: Change, later: Change | None, has_commit: bool, added: Collection[str]) -> Changed:
    fresh = change.path in added
    return Changed(
        path=change.path,
        status=change.status,
        old_path=change.old_path,
        # A mode has no lines; the first stands for it, or a `chmod` would make every line count as changed.
        hunks=FIRST_LINE if change.status == "mode" else (*change.hunks, *(later.hunks if later else ())),
        whole=_is_whole(change),
        older=change.older,
        touched_older=change.touched_older,
        committed=has_commit and later is None,
        folder=ground(root, change.path, added) if fresh else folder_of(change.path),
        added=change.added,
        removed=change.removed,
    )


def _is_whole(change: Change) -> bool:
    if change.status in ("deleted", "mode"):
        return False
    return change.untracked or change.status == "added" or not change.hunks


def _undone(change: Change) -> Changed:
    """A path that stands as in the base although HEAD holds something else."""
    return Changed(
        path=change.path,
        status=change.status,
        old_path=change.old_path,
        hunks=change.hunks,
        older=change.older,
        touched_older=change.touched_older,
        undone=True,
        folder=folder_of(change.path),
        added=change.added,
        removed=change.removed,
    )


def ground(root: Path, path: str, added: Collection[str]) -> str:
    """The nearest folder of a new file that stood before: one with a file the session did not add ("" is the root)."""
    for parent in PurePosixPath(path).parents:
        name = "" if str(parent) == "." else str(parent)
        if not name or _holds_other(root / name, name, added):
            return name
    return ""


def _holds_other(folder: Path, name: str, added: Collection[str]) -> bool:
    # Only files of the folder itself: what a test run leaves below a new one (`__pycache__`) does not make it old.
    if not folder.is_dir():
        return False
    with os.scandir(folder) as entries:
        return any(not entry.is_dir(follow_symlinks=False) and f"{name}/{entry.name}" not in added for entry in entries)
