"""`Change`: one path at which the work tree differs from the session's base, as the rest of the system sees it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One changed path.

    `status` is added, modified, deleted, renamed, type_changed or mode. `hunks` are new-side line ranges, both ends
    included; a pure deletion is shown by the line that now stands at its place.
    """

    path: str
    status: str
    old_path: str = ""
    added: int = 0
    removed: int = 0
    binary: bool = False
    untracked: bool = False
    hunks: tuple[tuple[int, int], ...] = ()
    older: bool = False  # dirty before the session, unchanged since
    touched_older: bool = False  # dirty before the session, changed further in it
