"""Versions of files that git's index or a commit holds, and the work tree does not: who looks there misses them."""

from collections.abc import Collection, Mapping

from codeintel_session.git.index import Entry, raw_sides, staged_entries, tree_entries
from codeintel_session.git.snapshot import temporary_index
from codeintel_session.git.trees import SessionTrees
from codeintel_session.git.worktree import WorkTree


def staged(tree: WorkTree, trees: SessionTrees) -> dict[str, str]:
    """Return mode and object, "" for a missing one, of every path that differs from HEAD in the user's index."""
    words = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")

    def ask() -> dict[str, str]:
        head = trees.head() or trees.empty()
        listed = trees.git(*words, "--ita-invisible-in-index", head, "--").out
        return {after.path: after.text for _, after in raw_sides(listed)}

    return trees.once("staged", ask)


def hidden(tree: WorkTree, entries: Mapping[str, str]) -> list[str]:
    """List those of the paths, each with its mode and object, that the work tree has otherwise."""
    if not entries:
        return []
    with temporary_index(tree, keep_objects=False) as index:
        index.stage(entries)
        now = staged_entries(tree, index.env)
    return sorted(path for path, text in entries.items() if now.get(path, Entry(path)).text != text)


def hidden_in(tree: WorkTree, commit: str, paths: Collection[str]) -> list[str]:
    """List those of the paths that the work tree has otherwise than a commit."""
    entries = tree_entries(tree, tree.known_commit(commit)) if paths else {}
    return hidden(tree, {path: entries.get(path, Entry(path)).text for path in paths})
