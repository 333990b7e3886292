"""A scratch index: staging and tree-building without touching the index the user works with.

For looking, new objects go to a folder that is thrown away, so that the repository does not grow; for keeping
(commits, saved versions) they go where objects belong. The copy keeps the time stamp of the original: git trusts an
entry only if it is older than its index.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeintel_session.adapters.git import content
from codeintel_session.adapters.git.names import nul
from codeintel_session.adapters.git.process import Outcome
from codeintel_session.adapters.git.worktree import WorkTree

_FAST = ("-c", "core.looseCompression=0")


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch index and the environment that makes git use it."""

    tree: WorkTree
    env: dict[str, str]

    def git(self, *args: str, stdin: bytes | None = None) -> Outcome:
        """Run a command on this index."""
        return self.tree.git.read(*args, stdin=stdin, env=self.env)

    def load(self, treeish: str) -> None:
        """Make the index hold a tree, keeping what is known about unchanged files."""
        self.git("read-tree", "--reset", treeish)

    def stage(self, paths: Iterable[str]) -> None:
        """Take over the present versions of exactly these paths, missing ones as deletions."""
        root = self.tree.root
        here: list[str] = []
        gone: list[str] = []
        for path in paths:
            standing = content.stands(root, path)
            plain = standing and (not content.is_folder(root, path) or content.is_repository(root, path))
            (here if plain else gone).append(path)
        self.drop(gone)
        if here:
            self.git(*_FAST, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=nul(here))

    def drop(self, paths: Sequence[str]) -> None:
        """Take paths out of the index."""
        if paths:
            self.git("update-index", "--force-remove", "-z", "--stdin", stdin=nul(paths))

    def drop_folder(self, folder: str) -> None:
        """Take everything below a folder out of the index."""
        listed = self.git("--literal-pathspecs", "ls-files", "-z", "--", folder).out
        if listed:
            self.git("update-index", "--force-remove", "-z", "--stdin", stdin=listed)

    def unmark(self) -> None:
        """Take away the marks that tell git not to look at files (`--assume-unchanged`, `--skip-worktree`).

        Nobody's mark may hide a change. A file that a sparse checkout leaves out keeps its own: it is not there.
        """
        listed = self.git("ls-files", "-v", "-z").out.split(b"\0")
        marked = [(line[:1], line[2:]) for line in listed if line[:1].islower() or line[:1] == b"S"]
        skipped = [path for tag, path in marked if tag in b"Ss" and content.stands(self.tree.root, os.fsdecode(path))]
        assumed = [path for tag, path in marked if tag.islower()]
        for option, paths in (("--no-assume-unchanged", assumed), ("--no-skip-worktree", skipped)):
            if paths:
                self.git("update-index", option, "-z", "--stdin", stdin=b"".join(path + b"\0" for path in paths))

    def put(self, entries: bytes) -> None:
        """Set entries as `update-index --index-info -z` reads them."""
        self.git("update-index", "-z", "--index-info", stdin=entries)

    def write_tree(self) -> str:
        """Write the index as a tree; objects a partial clone left behind are not asked for."""
        return self.git("write-tree", "--missing-ok").text


@contextmanager
def scratch(tree: WorkTree, *, keep_objects: bool) -> Iterator[Scratch]:
    """Open a scratch index that starts as a copy of the real one, without its marks."""
    # In the git directory when hooks will see it: they may run where the system's temporary folder is not mounted.
    parent = tree.git_dir if keep_objects else None
    with tempfile.TemporaryDirectory(prefix="codeintel-", dir=parent) as folder:
        index = Path(folder, "index")
        if tree.index.exists():
            shutil.copy2(tree.index, index)
        env = {"GIT_INDEX_FILE": str(index)}
        if not keep_objects:
            Path(folder, "objects").mkdir()
            env["GIT_OBJECT_DIRECTORY"] = str(Path(folder, "objects"))
            env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _quoted(tree.objects)
        box = Scratch(tree, env)
        box.unmark()
        yield box


def _quoted(path: Path) -> str:
    """Write a path so that neither a colon nor a quote in it splits the list it stands in."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
