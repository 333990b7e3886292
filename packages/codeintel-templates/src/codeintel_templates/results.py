"""What a plan says: values, with no way to change a project."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from .record import Entry, Record


class Kind(StrEnum):
    """What happens to one file. `remove` occurs only when uninstalling."""

    CREATE = "create"
    UPDATE = "update"
    MERGE = "merge"
    KEEP = "keep"
    CONFLICT = "conflict"
    REMOVE = "remove"


@dataclass(frozen=True)
class Action:
    """One file of a plan.

    Args:
        path: the file, relative to the project, with `/`.
        kind: what happens to it.
        reason: why, for people.
        content: what is written; None where nothing is.
        beside: where it is written instead of `path`, for a conflict.
        current: the text at `path` when the plan was made.
        entry: what the record says about the file afterwards.
    """

    path: str
    kind: Kind
    reason: str
    content: str | None = None
    beside: str | None = None
    current: str | None = None
    entry: Entry | None = None

    @property
    def written(self) -> str:
        """Return the path that is written."""
        return self.beside or self.path

    def as_json(self) -> dict[str, Any]:
        """Return the action for a program; contents are left out, `diff` shows them."""
        shown = {"path": self.path, "kind": self.kind.value, "reason": self.reason}
        return shown | ({"beside": self.beside} if self.beside else {})


@dataclass(frozen=True)
class Plan:
    """What would be done to a project, decided by reading it.

    Args:
        target: the project.
        actions: one per file, the record of the installation last.
        before: the record as found.
        after: the record as it will be.
        notices: what the user should know besides.
        purged: files and folders of the server's own that go as a whole.
    """

    target: Path
    actions: tuple[Action, ...]
    before: Record
    after: Record
    notices: tuple[str, ...] = ()
    purged: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Action, ...]:
        """Return the actions that do something."""
        return tuple(action for action in self.actions if action.kind is not Kind.KEEP)

    def as_json(self) -> dict[str, Any]:
        """Return the plan for a program."""
        shown = [action.as_json() for action in self.actions]
        return {"actions": shown, "notices": list(self.notices), "purged": list(self.purged)}
