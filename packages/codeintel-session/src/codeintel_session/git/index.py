"""The user's index: the server sets single entries to the versions of a commit and leaves all others alone.

The index or a commit may hold versions of files that the work tree does not: who looks there misses them.
"""

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from codeintel_session.git.names import names_in, nul
from codeintel_session.git.snapshot import temporary_index
from codeintel_session.git.worktree import WorkTree


@dataclass(frozen=True, slots=True)
class Entry:
    """A path's mode and object; an empty mode means that the path is absent."""

    path: str
    mode: str = ""
    id: str = ""

    @property
    def text(self) -> str:
        """Mode and object, "" for an absent path."""
        return f"{self.mode} {self.id}" if self.mode else ""


def index_info(entries: Iterable[Entry], width: int) -> bytes:
    """Return entries as input of `update-index --index-info -z`, with ids as long as the repository's."""
    gone = f"0 {'0' * width}"
    return nul(f"{one.text or gone}\t{one.path}" for one in entries)


def tree_entries(tree: WorkTree, treeish: str) -> dict[str, Entry]:
    """List every file of a tree."""
    return parse_entries(tree.git.read("ls-tree", "-r", "-z", "--full-tree", treeish).out)


def parse_entries(listed: bytes) -> dict[str, Entry]:
    """Parse the output of `ls-tree -r -z`."""
    found: dict[str, Entry] = {}
    for record in names_in(listed):
        facts, path = record.split("\t", 1)
        mode, _, name = facts.split(" ")
        found[path] = Entry(path, mode, name)
    return found


def staged_entries(tree: WorkTree, env: Mapping[str, str] | None = None) -> dict[str, Entry]:
    """List every entry that is not in conflict, of the user's index or of the one that `env` names."""
    found: dict[str, Entry] = {}
    for record in names_in(tree.git.read("ls-files", "--stage", "-z", env=env).out):
        facts, path = record.split("\t", 1)
        mode, name, stage = facts.split(" ")
        if stage == "0":
            found[path] = Entry(path, mode, name)
    return found


Listed = tuple[str, Entry]
"""A file of the user's index that is not in conflict, behind the letter that tells how git looks at it."""


def listing(tree: WorkTree) -> list[Listed]:
    """List every file of the user's index that is not in conflict."""
    found = list[Listed]()
    for record in names_in(tree.git.read("ls-files", "-v", "--stage", "-z").out):
        facts, path = record.split("\t", 1)
        tag, mode, name, stage = facts.split(" ")
        if stage == "0":
            found.append((tag, Entry(path, mode, name)))
    return found


def touched(tree: WorkTree, commit: str) -> list[tuple[Entry, Entry]]:
    """List the paths a commit changed since its first parent, each before and after."""
    command = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
    return raw_sides(tree.git.read(*command, f"{commit}^", commit, "--").out)


def raw_sides(listed: bytes) -> list[tuple[Entry, Entry]]:
    """Parse the output of `diff-tree --raw -z --no-renames`: each path before and after."""
    words = names_in(listed)
    return [_sides(facts, path) for facts, path in zip(words[::2], words[1::2], strict=True)]


def _sides(facts: str, path: str) -> tuple[Entry, Entry]:
    old_mode, new_mode, old_id, new_id, _ = facts[1:].split(" ")
    gone = "000000"
    before = Entry(path) if old_mode == gone else Entry(path, old_mode, old_id)
    return before, Entry(path) if new_mode == gone else Entry(path, new_mode, new_id)


def set_entries(tree: WorkTree, entries: Iterable[Entry]) -> None:
    """Set entries in the user's index, then refresh it so that git knows which of them are clean."""
    wanted = list(entries)
    if not wanted:
        return
    tree.git.write("update-index", "-z", "--index-info", stdin=index_info(wanted, tree.id_width))
    # A non-zero status means that some path is dirty, which is not a failure.
    tree.git.attempt("update-index", "-q", "--refresh")


def hidden(tree: WorkTree, entries: Mapping[str, str]) -> list[str]:
    """List those of the paths, each with its mode and object, that the work tree has otherwise."""
    if not entries:
        return []
    with temporary_index(tree, keep_objects=False) as index:
        # Set again they have no sizes and times, by which git would take a file for unchanged without reading it.
        wanted = [Entry(path, *text.split(" ")) for path, text in entries.items()]
        index.git("update-index", "-z", "--index-info", stdin=index_info(wanted, tree.id_width))
        index.stage(entries)
        now = staged_entries(tree, index.env)
    return sorted(path for path, text in entries.items() if now.get(path, Entry(path)).text != text)


def concealed(tree: WorkTree, listed: Iterable[Listed], since: int) -> list[str]:
    """List the files written after a time (ns) that are not as the user's index has them, which git does not see."""
    written = [one for _, one in listed if one.mode.startswith("10") and _written(tree, one.path) > since]
    written = [one for one in written if "\n" not in one.path and one.path[0] != '"']  # git reads lines, or quotes
    if not written:
        return []
    paths = "".join(f"{one.path}\n" for one in written).encode("utf-8", "surrogateescape")
    now = tree.git.read("hash-object", "--stdin-paths", stdin=paths).text.split()
    found = [one.path for one, name in zip(written, now, strict=True) if name != one.id]
    shown = names_in(tree.git.read("diff-files", "--name-only", "-z").out) if found else []
    return [path for path in found if path not in shown]


def _written(tree: WorkTree, path: str) -> int:
    """Return when a file was last changed, by the time that no program can set; 0 for what is none: it may not end."""
    try:
        found = os.lstat(tree.root / path)
    except OSError:
        return 0
    return found.st_ctime_ns if stat.S_ISREG(found.st_mode) else 0


def hidden_in(tree: WorkTree, commit: str, paths: Collection[str]) -> list[str]:
    """List those of the paths that the work tree has otherwise than a commit."""
    entries = tree_entries(tree, tree.known_commit(commit)) if paths else {}
    return hidden(tree, {path: entries.get(path, Entry(path)).text for path in paths})
