"""What the session changed: the present work tree against the commit the session started from.

Commits, staged and unstaged changes and untracked files all count, as one difference. Files that were dirty before
the session are told apart by the digests recorded then: untouched since (`older`) or changed further
(`touched_older`).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from codeintel_session.adapters.git import content
from codeintel_session.adapters.git.change import Change
from codeintel_session.adapters.git.faults import GitFault
from codeintel_session.adapters.git.rawdiff import Difference, diff_tree, differences, edited_hunks, file_patches
from codeintel_session.adapters.git.scratch import scratch
from codeintel_session.adapters.git.snapshot import Snapshot, path_digest, snapshot
from codeintel_session.adapters.git.status import is_own
from codeintel_session.adapters.git.worktree import WorkTree

_STATUS = {"A": "added", "D": "deleted", "M": "modified", "R": "renamed", "T": "type_changed"}
SHOWN = "ADMR"
"""Kinds of change with one patch each; a path that changed its type has two."""
Hunks = dict[str, list[tuple[int, int]]]


def changes(tree: WorkTree, base_commit: str, dirty_at_start: Mapping[str, str]) -> list[Change]:
    """List every path that differs from the base, by path."""
    base = tree.known_commit(base_commit)
    with snapshot(tree) as now:
        found = differences(now, base, renames=True)
        renames = not any(_straddles(one, dirty_at_start) for one in found)
        if not renames:
            found = differences(now, base, renames=False)
        hunks = edited_hunks(now, base, found, renames=renames)
        listed = [_change(now, one, hunks, dirty_at_start) for one in found]
        listed += _repositories(now, {one.path for one in found}, dirty_at_start)
    return sorted(listed, key=lambda change: change.path)


def diff_text(tree: WorkTree, base_commit: str, path: str, *, max_bytes: int, old_path: str = "") -> str:
    """Give the unified diff of one path, whole lines up to a size."""
    base = tree.known_commit(base_commit)
    if not old_path:
        old_path = _renamed_from(tree, base, path)
    with snapshot(tree, None if old_path else path) as now:
        paths = (path, old_path) if old_path else (path,)
        patch = diff_tree(now, base, "-p", paths=paths).out
    return _bounded(patch, max_bytes)


def patches(tree: WorkTree, base_commit: str, end: str, max_bytes: int) -> dict[str, str]:
    """Give the unified diff of every path added, deleted, modified or renamed, each up to a size.

    One comparison for all of them: from the base to the commit `end`, or to the work tree for "".
    """
    base = tree.known_commit(base_commit)
    with _state(tree, end) as now:
        found = [one.path for one in differences(now, base, renames=True) if one.letter in SHOWN]
        shown = file_patches(diff_tree(now, base, "-p", f"--diff-filter={SHOWN}").out)
    if len(shown) != len(found):
        raise GitFault(f"{len(found)} files differ, but the patch shows {len(shown)}")
    return {path: _bounded(patch, max_bytes) for path, patch in zip(found, shown, strict=True)}


@contextmanager
def _state(tree: WorkTree, end: str) -> Iterator[Snapshot]:
    if not end:
        with snapshot(tree) as now:
            yield now
        return
    with scratch(tree, keep_objects=False) as box:
        yield Snapshot(box, tree.known_commit(end), ())


def text_at(tree: WorkTree, commit: str, path: str) -> str:
    """Give the text of a path in a commit, "" where it has no file there."""
    found = tree.git.probe("cat-file", "blob", f"{tree.known_commit(commit)}:{path}")
    return found.out.decode("utf-8", "replace") if found.status == 0 else ""


def _straddles(one: Difference, dirty_at_start: Mapping[str, str]) -> bool:
    """Say whether a rename joins a path the user had changed with one they had not: then it is two changes."""
    return one.letter == "R" and (one.path in dirty_at_start) != (one.old_path in dirty_at_start)


def _change(now: Snapshot, one: Difference, hunks: Hunks, dirty_at_start: Mapping[str, str]) -> Change:
    paths = [one.path, one.old_path] if one.letter == "R" else [one.path]
    older, touched = _standing(now.tree, paths, dirty_at_start)
    status = "mode" if one.letter == "M" and one.same_content else _STATUS[one.letter]
    return Change(
        path=one.path,
        status=status,
        old_path=one.old_path if one.letter == "R" else "",
        added=0 if one.module else one.added,
        removed=0 if one.module else one.removed,
        binary=one.binary,
        untracked=any(row.untracked and row.path == one.path for row in now.rows),
        hunks=() if one.module or one.binary else _ranges(now.tree, one, hunks),
        older=older,
        touched_older=touched,
    )


def _standing(tree: WorkTree, paths: list[str], dirty_at_start: Mapping[str, str]) -> tuple[bool, bool]:
    known = [path for path in paths if path in dirty_at_start]
    older = bool(known) and all(path_digest(tree, path) == dirty_at_start[path] for path in known)
    return older, bool(known) and not older


def _ranges(tree: WorkTree, one: Difference, hunks: Hunks) -> tuple[tuple[int, int], ...]:
    if one.letter in "MR":
        return tuple(dict.fromkeys(_range(tree, one.path, *hunk) for hunk in hunks[one.path]))
    if one.letter == "A":
        return ((1, one.added),) if one.added else ()
    lines = content.line_count(tree.root, one.path) if one.letter == "T" else 0
    return ((1, lines),) if lines else ()


def _range(tree: WorkTree, path: str, first: int, count: int) -> tuple[int, int]:
    if count:
        return first, first + count - 1
    # git names the line before a deletion; the one that stands there now follows it, unless the end was cut off.
    now_there = max(1, min(first + 1, content.line_count(tree.root, path)))
    return now_there, now_there


def _repositories(now: Snapshot, listed: set[str], dirty_at_start: Mapping[str, str]) -> list[Change]:
    """Report repositories of their own that changed inside: git's trees do not show it."""
    found: list[Change] = []
    for row in now.rows:
        if (row.inside or row.nested) and row.path not in listed and not is_own(row.path):
            older, touched = _standing(now.tree, [row.path], dirty_at_start)
            status = "added" if row.nested else "modified"
            found.append(Change(row.path, status, untracked=row.nested, older=older, touched_older=touched))
    return found


def _renamed_from(tree: WorkTree, base: str, path: str) -> str:
    """Find the old path of a path the base does not have; only then is the whole tree looked at."""
    if tree.git.read("--literal-pathspecs", "ls-tree", "-z", base, "--", path).out:
        return ""
    with snapshot(tree) as now:
        found = differences(now, base, renames=True)
    return next((one.old_path for one in found if one.letter == "R" and one.path == path), "")


def _bounded(patch: bytes, max_bytes: int) -> str:
    if len(patch) <= max_bytes:
        return patch.decode("utf-8", "replace")
    kept = patch[: patch.rfind(b"\n", 0, max_bytes) + 1] or patch[:max_bytes] + b"\n"
    note = f"[cut: {len(kept)} of {len(patch)} bytes shown]\n"
    return kept.decode("utf-8", "replace") + note
