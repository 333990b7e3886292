"""Define the values of a report; the page's text is in the templates, and this module looks nothing up."""

from dataclasses import dataclass, field

LAST_OF_READY = 14


@dataclass(frozen=True, slots=True)
class Step:
    """Hold a submission. `seconds` counts from the previous one; only an accepted one has a `summary`."""

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
        """Return whether it advanced the session."""
        return self.verdict == "accepted"

    @property
    def is_back(self) -> bool:
        """Return whether it sent the session back to planning."""
        return self.accepted and self.to == "READY" and self.number > LAST_OF_READY


@dataclass(frozen=True, slots=True)
class DiffLine:
    """Hold a line of a hunk: `sign` is one of " +-", `number` its line in the new file, 0 for a removed one."""

    sign: str
    number: int
    text: str
    is_meant: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """Hold an item of a checklist; `lines` is the hunk that its evidence cites."""

    item: str
    status: str
    evidence: str = ""
    reason: str = ""
    lines: tuple[DiffLine, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskRow:
    """Hold a task with its items."""

    id: str
    description: str
    status: str
    failures: int
    revert_reason: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class FileRow:
    """Hold a file that was explored or changed; `is_named` if a task names it or proves itself by it.

    A long `diff` is truncated.
    """

    path: str
    is_explored: bool
    is_changed: bool
    is_named: bool = True
    added: int = 0
    removed: int = 0
    diff: tuple[DiffLine, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Hold the server's run of a verifier; `standing` is passed, failed or unproved, `notes` is what to know of it."""

    verifier: str
    command: str
    exit: int
    at: str
    standing: str
    counts: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhaseTokens:
    """Hold what the replies of a phase cost, in characters / 4."""

    phase: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Report:
    """Hold a session from its start to its end, or to its current step. `missing` says what is not shown, and why."""

    session_id: str
    request: str
    intent: str
    flags: tuple[str, ...]
    outcome: str
    proof: tuple[str, ...]
    recorded: str
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
        """Count the submissions that were refused."""
        return sum(not step.accepted for step in self.steps)

    @property
    def seconds(self) -> float:
        """Return the seconds from the start to the last submission."""
        return sum(step.seconds for step in self.steps)
