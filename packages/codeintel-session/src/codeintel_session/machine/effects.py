"""What a decision does to the world, as values. The runner carries them out, in order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CreateBranch:
    """Make the session's task branch off the branch it stands on (`base`)."""

    base: str


@dataclass(frozen=True, slots=True)
class ResolveStale:
    """Delete or merge task branches of earlier sessions."""

    choice: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Discard:
    """Put these paths back to the base version; the present one goes to the trash refs."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit exactly these paths. `failure` is the message key if git refuses.

    `left_out` are the user's, and were committed by somebody else: the commit takes them out of the branch again.
    """

    paths: tuple[str, ...]
    message: str
    failure: str = "failures.PRE_COMMIT.finalize_failed"
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeBranch:
    """Merge the session's branch into its base and delete it."""

    branch: str
    base: str
    mode: str
    message: str


@dataclass(frozen=True, slots=True)
class EndSession:
    """The session is over: archive its checkpoint, log its outcome, learn, free the lock."""

    outcome: str
    verified: bool


Effect = CreateBranch | ResolveStale | Discard | Commit | MergeBranch | EndSession
