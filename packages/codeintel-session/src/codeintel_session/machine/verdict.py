"""What a judge returns: an outcome for the table, updates of the state, effects as values, and messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class CreateBranch:
    """Create the session's task branch from the branch that is checked out (`base`)."""

    base: str


@dataclass(frozen=True, slots=True)
class ResolveStale:
    """Delete or merge task branches of earlier sessions."""

    choice: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Discard:
    """Restore the base version of these paths; their present versions go to the trash refs."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit exactly these paths. `failure` is the message key if git refuses.

    `left_out` are preexisting changes of the user that someone else committed: the commit removes them from the
    branch again.
    """

    paths: tuple[str, ...]
    message: str
    failure: str = "failures.PRE_COMMIT.finalize_failed"
    left_out: tuple[str, ...] = ()
    contents: tuple[tuple[str, str], ...] = ()  # mode and object of each path as it was judged, "" for none


@dataclass(frozen=True, slots=True)
class FoldCommits:
    """Make the session's commits on its branch one, under the message of the first."""

    branch: str


@dataclass(frozen=True, slots=True)
class MergeBranch:
    """Merge the session's branch into its base and delete it; `verified` if the branch's tree is proved to pass, with
    so many doubts."""

    branch: str
    base: str
    mode: str
    message: str
    verified: bool = False
    doubts: int = 0


@dataclass(frozen=True, slots=True)
class EndSession:
    """End the session: archive its checkpoint, log its outcome, learn, release the lock."""

    outcome: str
    gaps: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    def update(self) -> dict[str, object]:
        """Return what the state keeps of it."""
        return {
            "outcome": self.outcome,
            "gaps": dict(self.gaps),
            "doubts": dict(self.doubts),
            "notes": dict(self.notes),
        }


Effect = CreateBranch | ResolveStale | Discard | Commit | FoldCommits | MergeBranch | EndSession


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message of the contract file by its key, with the values of its placeholders."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An accepted submission. `updates` are fields of the state; `outcome` names a jump or "accepted"."""

    outcome: str = "accepted"
    updates: dict[str, Any] = field(default_factory=dict)
    effects: tuple[Effect, ...] = ()
    warnings: tuple[MessageRef, ...] = ()
    hints: tuple[MessageRef, ...] = ()
