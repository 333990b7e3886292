"""What a report says, as values: no text of the page stands here, and nothing is looked up."""

from dataclasses import dataclass, field

LAST_OF_READY = 14


@dataclass(frozen=True, slots=True)
class Step:
    """A submission. `seconds` since the one before, `summary` only where it was accepted."""

    at: str
    phase: str
    number: int
    verdict: str
    to: str
    seconds: float
    tokens: int
    reasons: tuple[str, ...] = ()
    warning: str = ""
    observed: tuple[str, ...] = ()
    summary: str = ""

    @property
    def accepted(self) -> bool:
        """Whether it moved the session on."""
        return self.verdict == "accepted"

    @property
    def is_back(self) -> bool:
        """Whether it sent the session back to planning."""
        return self.accepted and self.to == "READY" and self.number > LAST_OF_READY


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a hunk: `sign` is one of " +-", `number` its line in the new file, 0 for a removed one."""

    sign: str
    number: int
    text: str
    is_meant: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a checklist; `lines` is the hunk that its evidence names."""

    item: str
    status: str
    evidence: str = ""
    reason: str = ""
    lines: tuple[DiffLine, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task with its items."""

    id: str
    description: str
    status: str
    failures: int
    revert_reason: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file that was explored or changed. `diff` is cut where it is long."""

    path: str
    is_explored: bool
    is_changed: bool
    added: int = 0
    removed: int = 0
    diff: tuple[DiffLine, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A verifier's run by the server."""

    verifier: str
    command: str
    exit: int
    at: str
    counts: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PhaseTokens:
    """What the replies of a phase cost, in characters / 4."""

    phase: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Report:
    """A session from its start to its end, or to where it stands. `missing` says what could not be shown, and why."""

    session_id: str
    request: str
    intent: str
    flags: tuple[str, ...]
    outcome: str
    note: str
    phase: str
    started_at: str
    ended_at: str
    branch: str
    base: str
    commit: str
    forced: bool
    steps: tuple[Step, ...]
    skipped: tuple[tuple[str, str], ...]
    tasks: tuple[TaskRow, ...]
    files: tuple[FileRow, ...]
    runs: tuple[Run, ...]
    rules: tuple[tuple[str, str], ...]
    overruled: tuple[str, ...]
    counters: dict[str, int]
    assessment: dict[str, str]
    tokens: tuple[PhaseTokens, ...]
    missing: tuple[str, ...]

    @property
    def refusals(self) -> int:
        """Submissions that were refused."""
        return sum(not step.accepted for step in self.steps)

    @property
    def seconds(self) -> float:
        """From the first submission's predecessor, the start, to the last."""
        return sum(step.seconds for step in self.steps)
