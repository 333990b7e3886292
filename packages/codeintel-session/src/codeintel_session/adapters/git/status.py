"""`git status` read as rows: the paths at which index or work tree differ, tracked and untracked, none ignored.

The server's own folder is never among them, and renames are not looked for: a row is a path.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from codeintel_session.adapters.git.names import OWN_FOLDER
from codeintel_session.adapters.git.worktree import WorkTree

_FIELDS_BEFORE_PATH = {"1": 8, "u": 10}


@dataclass(frozen=True, slots=True)
class Row:
    """One path that is not clean."""

    path: str
    untracked: bool = False
    module: bool = False  # a submodule
    inside: bool = False  # a submodule whose own content changed
    nested: bool = False  # a repository of its own that nobody registered


def rows(tree: WorkTree, only: str | None = None, *, env: Mapping[str, str]) -> list[Row]:
    """List what is not clean by the index that `env` names, in the whole tree or at one path."""
    command = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none"]
    words = command if only is None else ["--literal-pathspecs", *command, "--", only]
    listed = os.fsdecode(tree.git.read(*words, env=env).out)
    return [row for row in map(_row, _records(listed)) if not is_own(row.path)]


def is_own(path: str) -> bool:
    """Say whether a path lies in the folder the server keeps for itself."""
    return path == OWN_FOLDER or path.startswith(OWN_FOLDER + "/")


def _records(listed: str) -> Iterator[str]:
    return (record for record in listed.split("\0") if record and record[0] in "1u?")


def _row(record: str) -> Row:
    if record[0] == "?":
        path = record[2:]
        return Row(path.removesuffix("/"), untracked=True, nested=path.endswith("/"))
    fields = record.split(" ", _FIELDS_BEFORE_PATH[record[0]])
    flags = fields[2]
    return Row(fields[-1], module=flags[0] == "S", inside=flags[0] == "S" and flags[2:] != "..")
