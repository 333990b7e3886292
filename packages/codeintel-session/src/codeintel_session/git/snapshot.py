"""Snapshots of the work tree as tree objects, and digests of it, taken in a temporary index.

A temporary index lets git's own rules (filters, line endings, modes, ignores) decide what the content is, without
touching the user's index; it contains tracked and untracked files as they are now, whatever is staged. Objects that are
needed only for a comparison go to a temporary folder. The copy keeps the time stamp of the original: git trusts an
entry only if it is older than its index.
"""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from codeintel_session.git import content
from codeintel_session.git.names import names_in, nul
from codeintel_session.git.process import Outcome
from codeintel_session.git.worktree import WorkTree

_FAST = ("-c", "core.looseCompression=0")


@dataclass(frozen=True, slots=True)
class TemporaryIndex:
    """An index of its own, and the environment that makes git use it."""

    tree: WorkTree
    env: dict[str, str]

    def git(self, *args: str, stdin: bytes | None = None) -> Outcome:
        """Run a command on this index."""
        return self.tree.git.read(*args, stdin=stdin, env=self.env)

    def load(self, treeish: str) -> None:
        """Load a tree into the index, keeping the cached data of unchanged files."""
        self.git("read-tree", "--reset", treeish)

    def stage(self, paths: Iterable[str]) -> None:
        """Stage the present versions of exactly these paths, missing ones as deletions."""
        root = self.tree.root
        present: list[str] = []
        gone: list[str] = []
        for path in paths:
            is_plain = not content.is_folder(root, path) or content.is_repository(root, path)
            (present if is_plain and content.exists(root, path) else gone).append(path)
        if gone:
            self.git("update-index", "--force-remove", "-z", "--stdin", stdin=nul(gone))
        if present:
            self.git(*_FAST, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=nul(present))

    def unmark(self) -> None:
        """Clear the flags that make git skip files, so that none hides a change."""
        listed = names_in(self.git("ls-files", "-v", "-z").out)
        for option, paths in unmarking(self.tree.root, [(row[0], row[2:]) for row in listed if row[0] != "H"]):
            self.git("update-index", option, "-z", "--stdin", stdin=nul(paths))

    def put(self, entries: bytes) -> None:
        """Set entries as `update-index --index-info -z` reads them."""
        self.git("update-index", "-z", "--index-info", stdin=entries)

    def differs(self, treeish: str) -> bool:
        """Return True if the index holds anything else than a tree."""
        words = ("diff-index", "--cached", "--quiet", "--ignore-submodules=none", treeish, "--")
        return self.tree.git.probe(*words, env=self.env).status != 0

    def write_tree(self) -> str:
        """Write the index as a tree and return its id; a partial clone does not fetch missing objects for it."""
        return self.git("write-tree", "--missing-ok").text


def unmarking(root: Path, tagged: Collection[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the options that clear `--assume-unchanged` and `--skip-worktree`, each with the files that need it.

    A file that a sparse checkout leaves out keeps its flag: it does not exist in the work tree. `tagged` are files with
    the tags of `ls-files -v`.
    """
    assumed = [path for tag, path in tagged if tag.islower()]
    skipped = [path for tag, path in tagged if tag in "Ss" and content.exists(root, path)]
    for option, paths in (("--no-assume-unchanged", assumed), ("--no-skip-worktree", skipped)):
        if paths:
            yield option, paths


@contextmanager
def temporary_index(tree: WorkTree, *, keep_objects: bool) -> Iterator[TemporaryIndex]:
    """Open a temporary index that starts as a copy of the user's, without its flags."""
    # In the git directory if hooks will see it: they may run where the system's temporary folder is not mounted.
    parent = tree.git_dir if keep_objects else None
    with tempfile.TemporaryDirectory(prefix="codeintel-", dir=parent) as folder:
        path = Path(folder, "index")
        if tree.index.exists():
            shutil.copy2(tree.index, path)
        env = {"GIT_INDEX_FILE": str(path)}
        if not keep_objects:
            Path(folder, "objects").mkdir()
            env |= tree.objects_in(Path(folder, "objects"))
        index = TemporaryIndex(tree, env)
        index.unmark()
        yield index


def ignored(tree: WorkTree) -> list[str]:
    """List what git ignores, without descending into a folder that holds nothing else; such a one ends in a slash."""
    command = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    return names_in(tree.git.read(*command).out)


def ignores(tree: WorkTree, path: str) -> bool:
    """Return True if git ignores a path."""
    return tree.git.probe("check-ignore", "-q", "--", f"./{path}").status == 0


def find(tree: WorkTree, name: str) -> list[str]:
    """List the files with this name at the end of their path, in any folder, that git tracks or would add."""
    pattern = f":(top,glob)**/{name}"
    return names_in(tree.git.read("ls-files", "-z", "-co", "--exclude-standard", "--", pattern).out)


_ORDINARY = re.compile(
    rb"branch\.llm_task_|submodule\..*\.(?:url|active)\n|remote\..*\.gh-resolved\n|lfs\..*(?:\.access|\.locksverify|version)\n"
)
"""What git and its companions write while they do their work: create a task branch, fetch a submodule, push."""
BRANCH = "branch "
"""The beginning of a branch's section."""
_LINES = re.compile(rb"core\.(?:autocrlf|eol|attributesfile)\n")


class Settings(NamedTuple):
    """Digests of the local settings by section, and of all that change ends of lines; the folder of hooks, if set."""

    sections: dict[str, str]
    ends: str
    hooks: str


def read_settings(tree: WorkTree) -> Settings:
    """Return what git's settings are now."""
    listed = tree.git.probe("config", "--show-scope", "-z", "--list").out.split(b"\0")
    found = list(zip(listed[::2], listed[1::2], strict=False))
    sections: dict[str, bytes] = {}
    for scope, line in found:
        if scope in (b"local", b"worktree") and not _ORDINARY.match(line):
            key = os.fsdecode(line.partition(b"\n")[0])
            section = f"{BRANCH}{key[7:].rpartition('.')[0]}" if key.startswith("branch.") else key.partition(".")[0]
            sections[section] = sections.get(section, b"") + line + b"\0"
    lines = b"\0".join(line for _, line in found if _LINES.match(line))
    named = [line for scope, line in found if scope != b"command"]  # the user's: ours has no hooks
    hooks = [line.partition(b"\n")[2] for line in named if line.startswith(b"core.hookspath\n")]
    folder = os.path.expanduser(os.fsdecode(hooks[-1])) if hooks else ""
    return Settings({name: _short(text) for name, text in sections.items()}, _short(lines), folder)


def _short(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
