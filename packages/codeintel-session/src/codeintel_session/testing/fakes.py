"""Fakes of the index, the library and the clock. Each answer is a field, so that a test says what it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from codeintel_contract.loader import Contract, load
from codeintel_session.machine.state import SessionState
from codeintel_session.ports import Verifier


@dataclass
class FakeCode:
    """The index: every answer is a field."""

    definitions: set[str] = field(default_factory=lambda: {"count_all"})
    empties: set[tuple[str, int, int]] = field(default_factory=set)
    sources: bool = True
    scores: dict[str, float] = field(default_factory=dict)
    learned: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def is_empty(self, path: str, start: int, end: int) -> bool:
        """True for what stands in `empties`."""
        return (path, start, end) in self.empties

    def defines(self, name: str) -> bool:
        """True for what stands in `definitions`."""
        return name in self.definitions

    def has_sources(self) -> bool:
        """`sources`."""
        return self.sources

    def relevance(self, values: Sequence[str], names: Sequence[str]) -> Mapping[str, float]:
        """`scores` of the names it has one for."""
        return {name: self.scores[name] for name in names if name in self.scores}

    def learn(self, state: SessionState, changed: Sequence[str], learned_at: str) -> int:
        """Keep what was taught in `learned`."""
        self.learned.append((state.session_id, tuple(changed)))
        return len(changed)


@dataclass
class FakeLibrary:
    """Prompts, verifiers and documents as given, over the packaged contract."""

    folders: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "interventions": ("step_back.md", "hypothesis_review.md"),
            "review_prompts": ("garbage_detection.md", "quality_review.md"),
        }
    )
    known: dict[str, Verifier] = field(
        default_factory=lambda: {"generic.md": Verifier("generic.md", "Look at it.", match=("**/*.py",))}
    )
    agreed: bool = True
    found: tuple[str, ...] = ()
    digest_now: str | None = None
    """What `contract_digest` says; None is the truth. Set it to play an edited contract file."""

    def prompts(self, folder: str) -> tuple[str, ...]:
        """File names of `folders`."""
        return self.folders.get(folder, ())

    def verifiers(self) -> Mapping[str, Verifier]:
        """`known`."""
        return self.known

    def trusted(self) -> bool:
        """`agreed`."""
        return self.agreed

    def documents(self, query: str) -> tuple[str, ...]:
        """`found`."""
        return self.found

    def research_prompts(self) -> tuple[str, ...]:
        """None of the project's own."""
        return ()

    def contract(self, pinned: str | None = None) -> Contract:
        """The packaged contract."""
        return load(None)

    def contract_source(self) -> str:
        """There is no own contract file."""
        return ""

    def contract_digest(self) -> str:
        """The packaged contract's digest, or `digest_now`."""
        return load(None).digest if self.digest_now is None else self.digest_now


@dataclass
class FakeReports:
    """Reports: which sessions were reported on."""

    written: list[str] = field(default_factory=list)

    def place(self, session_id: str) -> str:
        """A path that nothing stands at."""
        return f".code-intel/sessions/archive/{session_id}.html"

    def write(self, state: SessionState) -> None:
        """Keep the session's id in `written`."""
        self.written.append(state.session_id)


@dataclass
class FixedClock:
    """A clock that goes on by `tick_s` with every look, and tokens that count up."""

    time: datetime = datetime(2026, 11, 21, 10, 0, 0, tzinfo=UTC)
    tick_s: float = 2.0
    tokens: int = 0

    def now(self) -> datetime:
        """The time; the next look is later."""
        self.time += timedelta(seconds=self.tick_s)
        return self.time

    def token(self) -> str:
        """0001, 0002, …"""
        self.tokens += 1
        return f"{self.tokens:04x}"
