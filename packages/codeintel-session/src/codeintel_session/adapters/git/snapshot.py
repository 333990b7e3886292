"""The present work tree as a tree object, and digests of it.

A snapshot is taken in a scratch index, so git's own rules (filters, line ends, modes, ignores) decide what the
content is. It holds tracked and untracked files as they stand now, whatever is staged.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from codeintel_session.adapters.git import content
from codeintel_session.adapters.git.names import OWN_FOLDER
from codeintel_session.adapters.git.scratch import Scratch, scratch
from codeintel_session.adapters.git.status import Row, rows
from codeintel_session.adapters.git.worktree import WorkTree


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tree of the present content; lives as long as the context that made it."""

    box: Scratch
    id: str
    rows: tuple[Row, ...]

    @property
    def tree(self) -> WorkTree:
        """The work tree it was taken of."""
        return self.box.tree


@contextmanager
def snapshot(tree: WorkTree, only: str | None = None) -> Iterator[Snapshot]:
    """Take the work tree as it stands; `only` looks at one path and leaves the rest as staged."""
    with scratch(tree, keep_objects=False) as box:
        found = rows(tree, only, env=box.env)
        box.stage(row.path for row in found if _takeable(tree, row))
        box.drop_folder(OWN_FOLDER)
        yield Snapshot(box, box.write_tree(), tuple(found))


def tree_digest(tree: WorkTree) -> str:
    """Digest the whole content, submodules and nested repositories with theirs."""
    with snapshot(tree) as now:
        total = hashlib.sha256(now.id.encode())
        for row in now.rows:
            if row.inside or row.nested:
                total.update(path_digest(tree, row.path).encode())
    return total.hexdigest()


def dirty(tree: WorkTree) -> dict[str, str]:
    """Digest every path that is not clean."""
    with scratch(tree, keep_objects=False) as box:
        found = rows(tree, env=box.env)
    return {row.path: path_digest(tree, row.path) for row in found}


def settings_digest(tree: WorkTree) -> str:
    """Digest the local settings that change what git sees or runs, in their order."""
    form = "^(core|filter|diff|merge|include|includeif|extensions)[.]"
    return hashlib.sha256(tree.git.probe("config", "--local", "-z", "--get-regexp", form).out).hexdigest()[:16]


def path_digest(tree: WorkTree, path: str) -> str:
    """Digest what stands at a path, a repository by its HEAD and its content."""
    if not content.is_repository(tree.root, path):
        return content.digest(tree.root, path)
    inner = WorkTree.at(tree.root / path)
    if inner.root.samefile(tree.root):  # a `.git` that is no repository: git looked further up
        return content.digest(tree.root, path)
    return f"repository:{inner.commit('HEAD')}:{tree_digest(inner)}"


def _takeable(tree: WorkTree, row: Row) -> bool:
    if row.nested:
        return False
    return not content.stands(tree.root, row.path) or content.is_readable(tree.root, row.path)
