"""Refs moved in one stroke, each against the value it is known to have; and the trash that nothing is lost to.

Whatever the server deletes it first keeps under `refs/codeintel/trash/`. A transaction is all or nothing: when one
ref is not where we saw it, none moves.
"""

import os
from dataclasses import dataclass

from codeintel_session.adapters.git.faults import GitFailed, UndoFailed
from codeintel_session.adapters.git.names import HEADS, TRASH
from codeintel_session.adapters.git.worktree import WorkTree

# Saving must not fail because the user has no name yet.
_IDENTITY = {
    "GIT_AUTHOR_NAME": "codeintel",
    "GIT_AUTHOR_EMAIL": "codeintel@localhost",
    "GIT_COMMITTER_NAME": "codeintel",
    "GIT_COMMITTER_EMAIL": "codeintel@localhost",
}


@dataclass(frozen=True, slots=True)
class Move:
    """One ref's step from a known commit to another; "" is absence."""

    ref: str
    old: str
    new: str

    def line(self) -> str:
        """Write the step for `update-ref --stdin -z`."""
        if not self.old:
            return f"create {self.ref}\0{self.new}\0"
        if not self.new:
            return f"delete {self.ref}\0{self.old}\0"
        return f"update {self.ref}\0{self.new}\0{self.old}\0"


def move(tree: WorkTree, *moves: Move) -> None:
    """Make all steps or none."""
    lines = "".join(one.line() for one in moves)
    tree.git.write("update-ref", "--stdin", "-z", stdin=os.fsencode(lines))


def trash_name(tree: WorkTree, name: str) -> str:
    """Find a free place in the trash for a name."""
    return _free(TRASH + name, "-", set(tree.refs(TRASH)), first=2)


def save(tree: WorkTree, tree_id: str, parents: list[str], message: str) -> str:
    """Make a commit of the server's own that keeps a tree."""
    words = [word for parent in parents for word in ("-p", parent)]
    made = tree.git.write("commit-tree", tree_id, *words, "-F", "-", stdin=message.encode(), env=_IDENTITY)
    return made.text


def undo_list(tree: WorkTree) -> list[dict[str, str]]:
    """List what lies in the trash, newest first."""
    form = "%(refname)%00%(objectname)%00%(committerdate:iso-strict)%00%(subject)"
    listed = tree.git.read("for-each-ref", "--sort=-committerdate", f"--format={form}", TRASH).text
    keys = ("ref", "commit", "date", "subject")
    found = [dict(zip(keys, line.split("\0"), strict=True)) for line in listed.splitlines()]
    return [{**one, "name": one["ref"].removeprefix(TRASH)} for one in found]


def undo(tree: WorkTree, ref: str) -> str:
    """Bring a trash ref back as a branch and give the branch's name."""
    ref = TRASH + ref.removeprefix(TRASH)
    commit = tree.refs(TRASH).get(ref)
    if commit is None:
        raise UndoFailed(f"nothing in the trash is called {ref}")
    name = _free(ref.removeprefix(TRASH), "-restored-", set(tree.branches()), first=1)
    try:
        move(tree, Move(HEADS + name, "", commit), Move(ref, commit, ""))
    except GitFailed as failed:
        raise UndoFailed(failed.output) from failed
    return name


def _free(name: str, joint: str, taken: set[str], *, first: int) -> str:
    """Give the name itself, or the name with the first free number."""
    found, number = name, first
    while found in taken:
        found, number = f"{name}{joint}{number}", number + 1
    return found
