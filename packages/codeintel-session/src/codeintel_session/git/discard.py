"""Discard changes: restore the base's versions, remove new files, and keep the present versions in the trash.

The order keeps everything safe: refuse what would touch other files, save, remove, restore. Restoring never overwrites:
a file that appears in between stops it, and the fault names the ref under which everything is saved.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from codeintel_session.git import content
from codeintel_session.git.faults import DiscardFailed, GitFailed, PathRefused
from codeintel_session.git.index import Entry, index_info, set_entries, staged_entries, tree_entries
from codeintel_session.git.names import TRASH, checked, nul, session_word
from codeintel_session.git.refs import Move, move, save
from codeintel_session.git.snapshot import temporary_index
from codeintel_session.git.trees import LINK, SessionTrees
from codeintel_session.git.worktree import WorkTree

Entries = Mapping[str, Entry]


def discard(tree: WorkTree, trees: SessionTrees, paths: Sequence[str], base_commit: str, session_id: str) -> str:
    """Restore these paths from the base commit; return the trash ref that keeps their present versions."""
    base, head = tree.known_commit(base_commit), tree_entries(tree, tree.head())
    wanted, origin = _checked(paths), tree_entries(tree, base)
    _refuse(tree, wanted, origin)
    name = f"{TRASH}{session_word(session_id)}-discard-"
    differing = _differing(trees, base, wanted)
    last = _last(tree, name)
    if last and not differing:
        return f"{name}{last}"
    ref = ""
    try:
        ref = _save(tree, wanted, head, f"{name}{last + 1}")
        _remove(tree.root, differing)
        _restore(tree, base, [path for path in differing if path in origin])
        set_entries(tree, [head.get(path, Entry(path)) for path in wanted])
    except (OSError, GitFailed) as failed:
        raise DiscardFailed(str(failed), ref) from failed
    return ref


def _checked(paths: Sequence[str]) -> list[str]:
    try:
        return checked(paths)
    except PathRefused as refused:
        raise DiscardFailed(str(refused)) from refused


def _refuse(tree: WorkTree, wanted: Sequence[str], origin: Entries) -> None:
    """Refuse paths whose discard would touch a nested repository or a file that is not to be discarded."""
    chosen = set(wanted)
    for path in wanted:
        is_nested = content.is_repository(tree.root, path) or content.is_inside_repository(tree.root, path)
        if is_nested or (path in origin and origin[path].mode == LINK):
            raise DiscardFailed(f"{path!r} belongs to a nested repository; undo the change there")
        if path in origin and (blocking := _blocking_file(tree.root, path, chosen, origin)):
            raise DiscardFailed(f"{path!r} cannot be restored: {blocking!r} is in its place")


def _blocking_file(root: Path, path: str, chosen: set[str], origin: Entries) -> str | None:
    """Return a file in the place of the path or one of its folders that is not about to be removed."""
    for parent in [str(one) for one in PurePosixPath(path).parents][:-1]:
        is_file = content.exists(root, parent) and not content.is_folder(root, parent)
        if is_file and (parent not in chosen or parent in origin):
            return parent
    if not content.is_folder(root, path):
        return None
    inside = (Path(folder, name).relative_to(root).as_posix() for folder, name in _files(root / path))
    return next((one for one in inside if one not in chosen or one in origin), None)


def _files(folder: Path) -> list[tuple[str, str]]:
    """List the files and links below a folder, links to folders included."""
    found: list[tuple[str, str]] = []
    for at, folders, files in os.walk(folder):
        found += [(at, name) for name in files]
        found += [(at, name) for name in folders if Path(at, name).is_symlink()]
    return found


def _last(tree: WorkTree, name: str) -> int:
    """Return the number of the session's newest discard, 0 if it has none."""
    numbers = [ref.removeprefix(name) for ref in tree.refs(TRASH) if ref.startswith(name)]
    return max((int(one) for one in numbers if one.isdecimal()), default=0)


def _differing(trees: SessionTrees, base: str, wanted: Sequence[str]) -> list[str]:
    found = {*trees.compare(base, trees.take())}
    return [path for path in wanted if path in found]


def _save(tree: WorkTree, wanted: Sequence[str], head: Entries, ref: str) -> str:
    """Save the present versions, byte by byte, and their staged versions under a new trash ref; return the ref."""
    commit, staged = tree.head(), staged_entries(tree)
    parents = [commit]
    if any(path in staged and staged[path] != head.get(path) for path in wanted):
        index = tree.git.write("write-tree", "--missing-ok").text
        parents.append(save(tree, index, [commit], "The index before a discard\n"))
    with temporary_index(tree, keep_objects=True) as temporary:
        temporary.load(commit)
        temporary.put(index_info([_present(tree, path) for path in wanted], tree.id_width))
        saved = save(tree, temporary.write_tree(), parents, "Discarded by a session of codeintel\n")
    move(tree, Move(ref, "", saved))
    return ref


def _present(tree: WorkTree, path: str) -> Entry:
    """Store the file or link at a path unfiltered; return its entry."""
    if not content.exists(tree.root, path) or content.is_folder(tree.root, path):
        return Entry(path)
    here = tree.root / path
    if here.is_symlink():
        target = os.fsencode(os.readlink(here))
        return Entry(path, "120000", tree.git.write("hash-object", "-w", "--stdin", stdin=target).text)
    mode = "100755" if here.stat().st_mode & stat.S_IXUSR else "100644"
    return Entry(path, mode, tree.git.write("hash-object", "-w", "--no-filters", "--", path).text)


def _remove(root: Path, wanted: Sequence[str]) -> None:
    """Remove the files, then the empty folders in whose place a file is restored."""
    for path in wanted:
        if content.exists(root, path) and not content.is_folder(root, path):
            (root / path).unlink()
            _prune(root, path)
    for path in wanted:
        if content.is_folder(root, path):
            for folder, _, _ in os.walk(root / path, topdown=False):
                Path(folder).rmdir()


def _prune(root: Path, path: str) -> None:
    """Remove the folders that a removed file leaves empty."""
    for parent in list((root / path).parents):
        if parent == root or any(parent.iterdir()):
            return
        parent.rmdir()


def _restore(tree: WorkTree, base: str, paths: Sequence[str]) -> None:
    with temporary_index(tree, keep_objects=True) as index:
        index.load(base)
        tree.git.write("checkout-index", "-z", "--stdin", stdin=nul(paths), env=index.env)
