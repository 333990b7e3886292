"""Changes taken back: the base's version restored, a new file removed, the present version kept in the trash first.

The order is the promise: refuse what cannot be done without touching other files, save, remove, restore. Restoring
never forces: a file that came in between stops it, and the fault then names where everything is saved.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from codeintel_session.adapters.git import content
from codeintel_session.adapters.git.faults import DiscardFailed, GitFailed, PathRefused
from codeintel_session.adapters.git.index import Entry, index_info, set_entries, staged_entries, tree_entries
from codeintel_session.adapters.git.names import TRASH, checked, nul, session_word
from codeintel_session.adapters.git.rawdiff import MODULE, differences
from codeintel_session.adapters.git.refs import Move, move, save
from codeintel_session.adapters.git.scratch import scratch
from codeintel_session.adapters.git.snapshot import snapshot
from codeintel_session.adapters.git.worktree import WorkTree

Entries = Mapping[str, Entry]


def discard(tree: WorkTree, paths: Sequence[str], base_commit: str, session_id: str) -> str:
    """Put these paths back to the base commit and give the trash ref that holds their present versions."""
    base, head = tree.known_commit(base_commit), tree_entries(tree, tree.head())
    wanted, origin = _checked(paths), tree_entries(tree, base)
    _refuse(tree, wanted, origin)
    name = f"{TRASH}{session_word(session_id)}-discard-"
    differing = _differing(tree, base, wanted)
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
    """Refuse what would touch a repository of its own or a file that is not to be discarded."""
    chosen = set(wanted)
    for path in wanted:
        if _foreign(tree.root, path) or (path in origin and origin[path].mode == MODULE):
            raise DiscardFailed(f"{path!r} belongs to a repository of its own; undo the change there")
        if path in origin and (blocking := _in_the_way(tree.root, path, chosen, origin)):
            raise DiscardFailed(f"{path!r} cannot be restored: {blocking!r} stands in its place")


def _foreign(root: Path, path: str) -> bool:
    return content.is_repository(root, path) or content.is_inside_repository(root, path)


def _in_the_way(root: Path, path: str, chosen: set[str], origin: Entries) -> str | None:
    """Name a file that stands where the path or its folders must, and is not about to go."""
    for parent in [str(one) for one in PurePosixPath(path).parents][:-1]:
        there = content.stands(root, parent) and not content.is_folder(root, parent)
        if there and (parent not in chosen or parent in origin):
            return parent
    if not content.is_folder(root, path):
        return None
    inside = (Path(folder, name).relative_to(root).as_posix() for folder, name in _files(root / path))
    return next((one for one in inside if one not in chosen or one in origin), None)


def _files(folder: Path) -> list[tuple[str, str]]:
    """List files and links below a folder, links to folders included."""
    found: list[tuple[str, str]] = []
    for at, folders, files in os.walk(folder):
        found += [(at, name) for name in files]
        found += [(at, name) for name in folders if Path(at, name).is_symlink()]
    return found


def _last(tree: WorkTree, name: str) -> int:
    """Give the number of the session's newest discard, 0 if it has none."""
    numbers = [ref.removeprefix(name) for ref in tree.refs(TRASH) if ref.startswith(name)]
    return max((int(one) for one in numbers if one.isdecimal()), default=0)


def _differing(tree: WorkTree, base: str, wanted: Sequence[str]) -> list[str]:
    with snapshot(tree) as now:
        found = {one.path for one in differences(now, base, renames=False)}
    return [path for path in wanted if path in found]


def _save(tree: WorkTree, wanted: Sequence[str], head: Entries, ref: str) -> str:
    """Keep the present versions, byte by byte, and what of them is staged, under a new trash ref."""
    commit, width = tree.head(), len(tree.head())
    staged = staged_entries(tree)
    parents = [commit]
    if any(path in staged and staged[path] != head.get(path) for path in wanted):
        index = tree.git.write("write-tree", "--missing-ok").text
        parents.append(save(tree, index, [commit], "The index before a discard\n"))
    with scratch(tree, keep_objects=True) as box:
        box.load(commit)
        box.put(index_info([_present(tree, path) for path in wanted], width))
        kept = save(tree, box.write_tree(), parents, "Discarded by a session of codeintel\n")
    move(tree, Move(ref, "", kept))
    return ref


def _present(tree: WorkTree, path: str) -> Entry:
    """Store what stands at a path as it is, past all filters."""
    if not content.stands(tree.root, path) or content.is_folder(tree.root, path):
        return Entry(path)
    here = tree.root / path
    if here.is_symlink():
        target = os.fsencode(os.readlink(here))
        return Entry(path, "120000", tree.git.write("hash-object", "-w", "--stdin", stdin=target).text)
    mode = "100755" if here.stat().st_mode & stat.S_IXUSR else "100644"
    return Entry(path, mode, tree.git.write("hash-object", "-w", "--no-filters", "--", path).text)


def _remove(root: Path, wanted: Sequence[str]) -> None:
    """Remove the files, then the folders without a file that stand where a file must."""
    for path in wanted:
        if content.stands(root, path) and not content.is_folder(root, path):
            (root / path).unlink()
            _prune(root, path)
    for path in wanted:
        if content.is_folder(root, path):
            for folder, _, _ in os.walk(root / path, topdown=False):
                Path(folder).rmdir()


def _prune(root: Path, path: str) -> None:
    """Remove the folders a removed file leaves empty."""
    for parent in list((root / path).parents):
        if parent == root or any(parent.iterdir()):
            return
        parent.rmdir()


def _restore(tree: WorkTree, base: str, paths: Sequence[str]) -> None:
    with scratch(tree, keep_objects=True) as box:
        box.load(base)
        tree.git.write("checkout-index", "-z", "--stdin", stdin=nul(paths), env=box.env)
