"""The user's index, written only where it must: single entries, set to what a commit says, nothing else moved."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from codeintel_session.adapters.git.worktree import WorkTree


@dataclass(frozen=True, slots=True)
class Entry:
    """A path's mode and object; no mode is absence."""

    path: str
    mode: str = ""
    id: str = ""

    def line(self, width: int) -> bytes:
        """Write the entry for `update-index --index-info -z`; ids have the repository's width."""
        mode, name = (self.mode, self.id) if self.mode else ("0", "0" * width)
        return f"{mode} {name}\t".encode() + os.fsencode(self.path) + b"\0"


def index_info(entries: Iterable[Entry], width: int) -> bytes:
    """Write entries as one input."""
    return b"".join(one.line(width) for one in entries)


def tree_entries(tree: WorkTree, treeish: str) -> dict[str, Entry]:
    """List every file of a tree."""
    found: dict[str, Entry] = {}
    for record in os.fsdecode(tree.git.read("ls-tree", "-r", "-z", "--full-tree", treeish).out).split("\0")[:-1]:
        facts, path = record.split("\t", 1)
        mode, _, name = facts.split(" ")
        found[path] = Entry(path, mode, name)
    return found


def staged_entries(tree: WorkTree) -> dict[str, Entry]:
    """List every entry of the user's index that is not in conflict."""
    found: dict[str, Entry] = {}
    for record in os.fsdecode(tree.git.read("ls-files", "--stage", "-z").out).split("\0")[:-1]:
        facts, path = record.split("\t", 1)
        mode, name, stage = facts.split(" ")
        if stage == "0":
            found[path] = Entry(path, mode, name)
    return found


def touched(tree: WorkTree, commit: str) -> list[tuple[Entry, Entry]]:
    """List what a commit changed against its first parent: each path before and after."""
    command = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
    words = os.fsdecode(tree.git.read(*command, f"{commit}^", commit, "--").out).split("\0")[:-1]
    return [_sides(facts, path) for facts, path in zip(words[::2], words[1::2], strict=True)]


def _sides(facts: str, path: str) -> tuple[Entry, Entry]:
    old_mode, new_mode, old_id, new_id, _ = facts[1:].split(" ")
    gone = "000000"
    before = Entry(path) if old_mode == gone else Entry(path, old_mode, old_id)
    return before, Entry(path) if new_mode == gone else Entry(path, new_mode, new_id)


def set_entries(tree: WorkTree, entries: Iterable[Entry]) -> None:
    """Set entries in the user's index, then let git note which of them the work tree already meets."""
    wanted = list(entries)
    if not wanted:
        return
    width = len(tree.head())
    tree.git.write("update-index", "-z", "--index-info", stdin=index_info(wanted, width))
    # Its status says whether anything is still dirty, which is no failure.
    tree.git.attempt("update-index", "-q", "--refresh")
