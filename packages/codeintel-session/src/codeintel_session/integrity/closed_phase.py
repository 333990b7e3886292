"""Changes of the work tree in phases that forbid writing, found by comparing the tree at every submission.

A change of an explored or planned file is the session's: it has to be reported with a task, or undone. A change of any
other file is someone else's, like one that was there before the session: it is named and left out of the commit. What
changes outside the project's folder, where that is a part of its repository, is someone else's in every phase.
"""

from collections import Counter
from collections.abc import Iterable

from codeintel_contract import is_outside
from codeintel_session.git import GitRepository
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.state import Move, SessionState
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.machine.write_policy import moved_by_others, moved_by_session, write_policy

OUT_OF_PHASE = "session_messages.changed_out_of_phase"
MANY = 1000
"""New files in one folder that git was probably meant to ignore."""


def compare_tree(git: GitRepository, state: SessionState, base_before: str) -> tuple[SessionState, list[MessageRef]]:
    """Return the session with its tree as it is now, and messages that name what changed against the rules.

    Changes that came with new commits of the base are not counted; `base_before` is its commit at the last look.

    Raises GitFault: git fails.
    """
    now = git.trees.take()
    if now == state.tree:
        return state, []
    if not state.tree:
        return state.model_copy(update={"tree": now}), []
    last = state.commits[-1] if state.commits else state.base_commit
    old = state.tree if git.trees.holds(state.tree) else last  # the tree of the last submission was removed
    sides = git.sides(old, now)
    many = _not_ignored(before.path for before, _ in sides if not before.mode)
    if write_policy(state).is_open:
        sides = [side for side in sides if is_outside(side[0].path)]
    found = {before.path: Move(before=before.text, now=after.text) for before, after in sides}
    if state.base_commit != base_before:
        differing = git.compare(state.base_commit, now)
        found = {path: move for path, move in found.items() if path in differing}
    moved = dict(state.moved)
    for path, move in found.items():
        before = moved.pop(path).before if path in moved else move.before
        if before != move.now:
            moved[path] = Move(before=before, now=move.now)
    after = state.model_copy(update={"tree": now, "moved": moved})
    return after, [*_messages(after, found), *many]


def _not_ignored(added: Iterable[str]) -> list[MessageRef]:
    """Name a folder with so many new files that it was probably meant to be ignored."""
    folders = Counter(path.partition("/")[0] for path in added if "/" in path)
    return [
        MessageRef("session_messages.not_ignored", {"folder": f"{folder}/", "count": count})
        for folder, count in folders.most_common(1)
        if count >= MANY
    ]


def _messages(state: SessionState, found: dict[str, Move]) -> list[MessageRef]:
    messages = []
    if own := [path for path in moved_by_session(state) if path in found]:
        messages.append(MessageRef(OUT_OF_PHASE, {"files": names_of(own)}))
    if others := [path for path in moved_by_others(state) if path in found]:
        messages.append(MessageRef("session_messages.changed_by_others", {"files": names_of(others)}))
    return messages
