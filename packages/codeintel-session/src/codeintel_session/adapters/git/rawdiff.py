"""Two trees compared: which paths differ and how, read from git's plumbing output.

Only the machine formats with NULs are parsed for names; the patch is read for hunk headers alone, file by file in
the order of the raw rows, so no name is ever read out of a patch.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from codeintel_session.adapters.git.faults import GitFault
from codeintel_session.adapters.git.names import OWN_FOLDER
from codeintel_session.adapters.git.process import Outcome
from codeintel_session.adapters.git.snapshot import Snapshot

MODULE = "160000"
_HEADER = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "--inter-hunk-context=0")


@dataclass(frozen=True, slots=True)
class Difference:
    """One pair of the comparison."""

    letter: str  # A, D, M, R or T
    path: str
    old_path: str
    old_mode: str
    new_mode: str
    same_content: bool
    added: int
    removed: int
    binary: bool

    @property
    def module(self) -> bool:
        """Whether either side is a submodule."""
        return MODULE in (self.old_mode, self.new_mode)


def diff_tree(now: Snapshot, base: str, *options: str, paths: tuple[str, ...] = ()) -> Outcome:
    """Run `git diff-tree` from the base to the snapshot, on some paths or on all but the server's own."""
    renames = () if "--no-renames" in options else ("-M", "--no-rename-empty")
    command = ["diff-tree", "-r", *_PLAIN, *renames, *options, base, now.id, "--"]
    if paths:
        return now.box.git("--literal-pathspecs", *command, *paths)
    return now.box.git(*command, ".", f":(exclude){OWN_FOLDER}")


def differences(now: Snapshot, base: str, *, renames: bool) -> list[Difference]:
    """List what differs between the base and the snapshot."""
    options = () if renames else ("--no-renames",)
    words = os.fsdecode(diff_tree(now, base, "--raw", "--numstat", "--no-abbrev", "-z", *options).out).split("\0")
    pending = iter(words[:-1])
    raw: list[list[str]] = []
    counts: list[list[str]] = []
    for word in pending:
        if word.startswith(":"):
            raw.append([*word[1:].split(" "), *_names(word.split(" ")[-1][0] == "R", pending)])
        else:
            added, removed, name = word.split("\t", 2)
            counts.append([added, removed])
            _skip(pending, 0 if name else 2)
    return [_difference(row, count) for row, count in zip(raw, counts, strict=True)]


def _names(renamed: bool, pending: Iterator[str]) -> list[str]:
    old = next(pending)
    return [old, next(pending)] if renamed else ["", old]


def _skip(pending: Iterator[str], count: int) -> None:
    for _ in range(count):
        next(pending)


def _difference(row: list[str], count: list[str]) -> Difference:
    old_mode, new_mode, old_id, new_id, letter, old_path, path = row
    binary = count[0] == "-"
    return Difference(
        letter=letter[0],
        path=path,
        old_path=old_path,
        old_mode=old_mode,
        new_mode=new_mode,
        same_content=old_id == new_id,
        added=0 if binary else int(count[0]),
        removed=0 if binary else int(count[1]),
        binary=binary,
    )


def edited_hunks(
    now: Snapshot, base: str, found: list[Difference], *, renames: bool
) -> dict[str, list[tuple[int, int]]]:
    """Read (first line, count) of every new-side hunk of modified and renamed files."""
    edited = [one.path for one in found if one.letter in "MR"]
    if not edited:
        return {}
    options = () if renames else ("--no-renames",)
    patch = diff_tree(now, base, "-p", "-U0", "--diff-filter=MR", *options).out
    files = [_hunks(part) for part in file_patches(patch)]
    if len(files) != len(edited):
        raise GitFault(f"{len(edited)} files differ, but the patch shows {len(files)}")
    return dict(zip(edited, files, strict=True))


def file_patches(patch: bytes) -> list[bytes]:
    """Split a patch at its file headers: every line of content begins with a sign, so none can look like one."""
    return [b"diff --git " + part for part in re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]]


def _hunks(patch: bytes) -> list[tuple[int, int]]:
    return [(int(one[1]), int(one[2] or b"1")) for one in _HEADER.finditer(patch)]
