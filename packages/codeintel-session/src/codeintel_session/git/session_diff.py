"""The session diff, as the machine reads it: the work tree compared with its base, its last commit, and HEAD.

All three are needed. Compared with the base alone, an edit that reverts a committed change would be invisible: nobody
would review it, and the commit would be merged without it. HEAD is not always the session's last commit: agents and
people commit too, and only the session's own commits count as reviewed.
"""

import os
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path

from codeintel_contract import folder_of
from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.changes import GONE
from codeintel_session.machine.facts import Changed
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import active_tags
from codeintel_session.machine.write_policy import moved_by_others

LOOKING = frozenset({"investigate", "only_verify"})
"""The tags of a session that changes nothing."""
FIRST_LINE = ((1, 1),)


def one_moment(git: GitRepository | None) -> AbstractContextManager[None]:
    """Read the work tree and HEAD once for all that is asked about them in here, until an effect changes them."""
    return git.trees.one_moment() if git else nullcontext()


def changes_of(git: GitRepository | None, state: SessionState) -> tuple[Changed, ...]:
    """List this session's changes; those that its last commit contains are marked `committed`."""
    if git is None or not state.base_commit:
        return ()
    now, head = git.trees.take(), git.head_commit()
    changes = git.changes(state.base_commit, not_of_session(state), now)
    ahead = _against(git, state, head, now) if head != state.base_commit else {}
    reviewed = state.commits[-1] if state.commits else ""
    later = ahead if reviewed == head else _against(git, state, reviewed, now) if reviewed else {}
    rest = later | ahead
    added = {change.path for change in changes if change.status in ("added", "renamed")}
    is_old = _old_folders(git.root, added)
    listed = [_changed(change, rest.get(change.path), bool(reviewed), added, is_old) for change in changes]
    if head not in (state.base_commit, reviewed):
        listed = [_by_others(change) if change.path not in ahead else change for change in listed]
    paths = {change.path for change in changes}
    # What is as in the base again, although HEAD holds something else.
    undone = [change for path, change in ahead.items() if path not in paths]
    listed += [replace(change, undone=True, folder=folder_of(change.path)) for change in undone]
    return tuple(sorted(listed, key=lambda change: change.path))


def own_changes(git: GitRepository | None, state: SessionState) -> list[Changed]:
    """List the changes that are this session's: not those from before it, and none of one that only asks."""
    if "investigate" in active_tags(state.flags, state.intent):
        return []
    return [change for change in changes_of(git, state) if not change.preexisting]


def changed_paths(git: GitRepository | None, state: SessionState) -> list[str]:
    """List the paths that the session changed; none if git cannot tell, so that a session can always be ended.

    A session that only looks or verifies changes nothing: what differs is the user's.
    """
    if active_tags(state.flags, state.intent) & LOOKING:
        return []
    try:
        return [change.path for change in own_changes(git, state)]
    except GitFault:
        return []


def not_of_session(state: SessionState) -> dict[str, str]:
    """Return the content of paths that others changed: before the session, or while it could not write, outside of
    what it explored or planned."""
    return state.dirty_at_start | {path: state.moved[path].now or GONE for path in moved_by_others(state)}


def text_before(git: GitRepository, state: SessionState, change: Changed) -> str:
    """Return the text of a changed file in the session's base, "" for one that the base lacks."""
    is_new = change.status == "added" and not change.undone  # what is undone was compared with HEAD
    return "" if is_new else git.text_at(state.base_commit, change.source)


def committable_tree(git: GitRepository, state: SessionState, changes: Iterable[Changed]) -> str:
    """Return the tree that a commit of the session's changes would hold: without those of others."""
    if not state.base_commit and not git.has_commit():
        return git.trees.take()
    others = [path for change in changes if change.preexisting for path in (change.path, change.old_path) if path]
    return git.as_committed(git.trees.take(), state.base_commit or git.head_commit(), others)


def _against(git: GitRepository, state: SessionState, commit: str, now: str) -> dict[str, Changed]:
    return {change.path: change for change in git.changes(commit, not_of_session(state), now)}


def _by_others(change: Changed) -> Changed:
    """Mark a change that was dirty before the session as committed by someone other than the session."""
    return replace(change, committed_by_others=True) if change.preexisting else change


def _changed(
    change: Changed, later: Changed | None, has_commit: bool, added: Collection[str], is_old: Callable[[str], bool]
) -> Changed:
    return replace(
        change,
        # A mode change has no lines; the first represents it, or a `chmod` would make every line count as changed.
        hunks=FIRST_LINE if change.status == "mode" else (*change.hunks, *(later.hunks if later else ())),
        whole=_is_whole(change),
        committed=has_commit and later is None,
        folder=_nearest(change.path, is_old) if change.path in added else folder_of(change.path),
    )


def _is_whole(change: Changed) -> bool:
    if change.status in ("deleted", "mode"):
        return False
    return change.status == "added" or not change.hunks


def _nearest(path: str, is_old: Callable[[str], bool]) -> str:
    """Return the nearest folder of a new file that has a file the session did not add ("" is the root)."""
    folder = folder_of(path)
    while folder and not is_old(folder):
        folder = folder_of(folder)
    return folder


def _old_folders(root: Path, added: Collection[str]) -> Callable[[str], bool]:
    """Return a function that says whether a folder has a file that is not among `added`; each is looked at once."""
    return cache(lambda name: _has_other_files(root / name, name, added))


def _has_other_files(folder: Path, name: str, added: Collection[str]) -> bool:
    # Only files of the folder itself: a `__pycache__` that a test run leaves in a new folder does not make it old.
    if not folder.is_dir():
        return False
    with os.scandir(folder) as entries:
        return any(not entry.is_dir(follow_symlinks=False) and f"{name}/{entry.name}" not in added for entry in entries)
