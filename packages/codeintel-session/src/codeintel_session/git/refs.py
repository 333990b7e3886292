"""Move refs in one transaction, each from its known value, and keep deleted work in a trash.

The server keeps everything it deletes under `refs/codeintel/trash/`. A transaction is all or nothing: if one ref no
longer has its known value, none moves.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from codeintel_session.git.faults import GitFailed, UndoFailed
from codeintel_session.git.names import HEADS, TRASH
from codeintel_session.git.worktree import WorkTree

# Saving must not fail because the user has configured no name.
IDENTITY = {
    "GIT_AUTHOR_NAME": "codeintel",
    "GIT_AUTHOR_EMAIL": "codeintel@localhost",
    "GIT_COMMITTER_NAME": "codeintel",
    "GIT_COMMITTER_EMAIL": "codeintel@localhost",
}


@dataclass(frozen=True, slots=True)
class Move:
    """The move of one ref from a known commit to another; "" means that the ref does not exist."""

    ref: str
    old: str
    new: str

    def line(self) -> str:
        """Return the move as input of `update-ref --stdin -z`."""
        if not self.old:
            return f"create {self.ref}\0{self.new}\0"
        if not self.new:
            return f"delete {self.ref}\0{self.old}\0"
        return f"update {self.ref}\0{self.new}\0{self.old}\0"


def move(tree: WorkTree, *moves: Move) -> None:
    """Make all moves or none."""
    lines = "".join(one.line() for one in moves)
    tree.git.write("update-ref", "--stdin", "-z", stdin=os.fsencode(lines))


def trash_name(tree: WorkTree, name: str, taken: Iterable[str] = ()) -> str:
    """Return a free ref in the trash for a name, other than those that are about to be taken."""
    return _free(TRASH + name, "-", {*tree.refs(TRASH), *taken}, first=2)


def save(tree: WorkTree, tree_id: str, parents: list[str], message: str) -> str:
    """Create a commit that keeps a tree, with the server as its author; return its id."""
    words = [word for parent in parents for word in ("-p", parent)]
    return tree.git.write("commit-tree", tree_id, *words, "-F", "-", stdin=message.encode(), env=IDENTITY).text


def undo_list(tree: WorkTree) -> list[dict[str, str]]:
    """List the trash refs, newest first."""
    form = "%(refname)%00%(objectname)%00%(committerdate:iso-strict)%00%(subject)"
    listed = tree.git.read("for-each-ref", "--sort=-committerdate", f"--format={form}", TRASH).text
    keys = ("ref", "commit", "date", "subject")
    found = [dict(zip(keys, line.split("\0"), strict=True)) for line in listed.splitlines()]
    return [{**one, "name": one["ref"].removeprefix(TRASH)} for one in found]


def undo(tree: WorkTree, ref: str) -> str:
    """Restore a trash ref as a branch; return the branch's name."""
    ref = TRASH + ref.removeprefix(TRASH)
    commit = tree.refs(TRASH).get(ref)
    if commit is None:
        raise UndoFailed(f"the trash has no ref {ref}")
    name = _free(ref.removeprefix(TRASH), "-restored-", set(tree.branches()), first=1)
    try:
        move(tree, Move(HEADS + name, "", commit), Move(ref, commit, ""))
    except GitFailed as failed:
        raise UndoFailed(failed.output) from failed
    return name


def _free(name: str, joint: str, taken: set[str], *, first: int) -> str:
    """Return the name itself, or the name with the first free number."""
    found, number = name, first
    while found in taken:
        found, number = f"{name}{joint}{number}", number + 1
    return found
