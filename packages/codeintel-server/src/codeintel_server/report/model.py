"""Define the values of a report; the page's text is in the templates, and this module looks nothing up."""

from collections.abc import Iterator
from dataclasses import dataclass

from codeintel_session import Spent


@dataclass(frozen=True, slots=True)
class Step:
    """Hold a submission. `seconds` counts from the previous one; only an accepted one has a `summary`.

    `back_to` is the step that an accepted one sent the session back to, 0 for none; `why` is the reason.
    """

    at: str
    phase: str
    number: int
    verdict: str
    to: str
    seconds: float
    tokens: int
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    observed: tuple[str, ...] = ()
    summary: str = ""
    back_to: int = 0
    why: str = ""

    @property
    def accepted(self) -> bool:
        """Return whether it advanced the session."""
        return self.verdict == "accepted"

    @property
    def is_back(self) -> bool:
        """Return whether it sent the session back to an earlier step."""
        return self.back_to > 0


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
    """Hold a file that was explored or changed. A long `diff` is truncated. A new file need not have been shown."""

    path: str
    is_explored: bool
    is_changed: bool
    added: int = 0
    removed: int = 0
    diff: tuple[DiffLine, ...] = ()
    is_cut: bool = False
    is_new: bool = False
    is_claimed: bool = False

    @property
    def shown(self) -> str:
        """Say whether the agent was shown the file before it changed it."""
        return "new file" if self.is_new else "yes" if self.is_explored else "no"


@dataclass(frozen=True, slots=True)
class Commit:
    """Hold a commit of the session; `subject` and `body` are "" where the repository no longer has it."""

    sha: str
    subject: str = ""
    body: str = ""

    @property
    def verified(self) -> str:
        """Return the tree that the commit's trailer names as verified, "" if there is none."""
        rows = (line.partition(": ") for line in self.body.splitlines())
        return next((value.strip() for name, _, value in rows if name == "Code-Intel-Verified"), "")


@dataclass(frozen=True, slots=True)
class Check:
    """Hold what the last run of a verifier proves, or a reader says; `standing` is passed, failed or unproved.

    `now` and `base` count the tests of the session's tree and of the base ("" where nothing ran); `facts` compare the
    two, `warnings` say what is odd about the run.
    """

    verifier: str
    command: str
    standing: str
    at: str
    why: str = ""
    now: str = ""
    base: str = ""
    facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """Hold one run of a verifier by the server."""

    verifier: str
    at: str
    standing: str
    counted: str
    seconds: float


@dataclass(frozen=True, slots=True)
class PhaseTokens:
    """Hold what the replies of a phase cost, in tokens."""

    phase: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Costs:
    """Hold what the calls of a session cost, in tokens, and what its lookups showed parts of."""

    calls: int = 0
    arguments: int = 0
    replies: int = 0
    lookups: int = 0
    lookup_tokens: int = 0
    files: int = 0
    file_tokens: int = 0

    @classmethod
    def of(cls, spent: Spent) -> "Costs":
        """Return costs in tokens: four bytes of JSON are taken for one, which is near enough for English and code."""
        return cls(
            calls=spent.calls,
            arguments=spent.given // 4,
            replies=spent.returned // 4,
            lookups=spent.lookups,
            lookup_tokens=spent.lookup_bytes // 4,
            files=spent.files,
            file_tokens=spent.file_bytes // 4,
        )

    @property
    def saved(self) -> int:
        """Return how many tokens less the lookups returned than the files they showed hold; negative if more."""
        return self.file_tokens - self.lookup_tokens


@dataclass(frozen=True, slots=True)
class Report:
    """Hold a session from its start to its end, or to its current step. `missing` says what is not shown, and why.

    `outcome` is `running` or `paused` (no server runs it) before the end. `proof` says what it means, `became` what
    became of the change, `chosen` what the agent chose in the user's place.
    """

    session_id: str
    project: str
    request: str
    asked_by: str
    client: str
    intent: str
    flags: tuple[str, ...]
    outcome: str
    proof: tuple[str, ...]
    became: str
    chosen: tuple[str, ...]
    recorded: str
    note: str
    phase: str
    started_at: str
    ended_at: str
    branch: str
    base: str
    commits: tuple[Commit, ...]
    forced: bool
    steps: tuple[Step, ...]
    skipped: tuple[tuple[str, str], ...]
    tasks: tuple[TaskRow, ...]
    files: tuple[FileRow, ...]
    own_files: tuple[str, ...]
    checks: tuple[Check, ...]
    runs: tuple[Run, ...]
    untrusted: tuple[str, ...]
    warnings: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]
    overruled: tuple[str, ...]
    counters: dict[str, int]
    assessment: dict[str, str]
    tokens: tuple[PhaseTokens, ...]
    costs: Costs
    missing: tuple[str, ...]

    @property
    def attention(self) -> tuple[str, ...]:
        """Return what a reviewer has to look at, each once."""
        return tuple(dict.fromkeys(self._attention()))

    def _attention(self) -> Iterator[str]:
        yield from (f"Not in this report: {text}" for text in self.missing)
        yield from self.warnings
        if self.untrusted:
            names = ", ".join(self.untrusted)
            yield f"The user has not trusted the commands of {names}, so the server does not run them."
        for file in self.changed:
            if file.shown == "no":
                yield f"{file.path} was changed, and nothing shows that the agent had looked at it before."
        yield from self.chosen
        for name in self.overruled:
            yield f"The server overruled the agent's answer to {name.upper()}."
        for step in self.sent_back:
            yield f"Sent back in step {step.number}: {step.why or 'no reason was logged'}"
        for task in self.tasks:
            for item in task.items:
                if item.status == "skipped":
                    yield f"Skipped: {item.item} ({item.reason or 'without a reason'})"

    @property
    def changed(self) -> tuple[FileRow, ...]:
        """Return the files that the session changed."""
        return tuple(file for file in self.files if file.is_changed)

    @property
    def sent_back(self) -> tuple[Step, ...]:
        """Return the submissions that sent the session back."""
        return tuple(step for step in self.steps if step.is_back)

    @property
    def is_over(self) -> bool:
        """Return whether the session has ended."""
        return self.outcome not in ("running", "paused")

    @property
    def refusals(self) -> int:
        """Count the submissions that were refused."""
        return sum(not step.accepted for step in self.steps)

    @property
    def seconds(self) -> float:
        """Return the seconds from the start to the last submission."""
        return sum(step.seconds for step in self.steps)
