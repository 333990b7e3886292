"""Fakes of the index, the library, the reports and the clock. Every answer is a field that a test can set."""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from codeintel_contract import Contract, load_contract
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.user_words import Prompt
from codeintel_session.ports import Verifier


@dataclass
class FakeCode:
    """A fake index."""

    words: set[str] = field(default_factory=lambda: {"count_all"})
    users: dict[str, tuple[str, ...]] = field(default_factory=dict)
    kinds: dict[tuple[str, int, int], str] = field(default_factory=dict)
    defined: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    stubs: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    touched: dict[str, tuple[str, ...]] = field(default_factory=dict)
    changed_functions: dict[str, list[tuple[str, tuple[tuple[int, int], ...]]]] = field(default_factory=dict)
    commented: set[str] = field(default_factory=set)
    holders: dict[tuple[str, int, int], tuple[str, ...]] = field(default_factory=dict)
    sources: bool = True
    scores: dict[str, float] = field(default_factory=dict)
    learned: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def kind_of_lines(self, path: str, start: int, end: int, changed: Sequence[tuple[int, int]]) -> str:
        """Return the kind in `kinds`, "work" if the lines are not in it."""
        return self.kinds.get((path, start, end), "work")

    def lines_of(self, path: str, name: str, *, strict: bool = False) -> Sequence[tuple[int, int]]:
        """Return the `defined` lines of the name, strict or not."""
        return self.defined.get(f"{path}:{name}", ())

    def new_stubs(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        """Return the `stubs` of the path."""
        return self.stubs.get(path, [])

    def names_touched(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> Collection[str]:
        """Return the `touched` of the path."""
        return self.touched.get(path, ())

    def altered(self, path: str, before: str) -> Sequence[tuple[str, Sequence[tuple[int, int]]]]:
        """Return the `changed_functions` of the path."""
        return self.changed_functions.get(path, ())

    def has_same_code(self, path: str, text: str, before: str) -> bool:
        """Return whether the path is one of `commented`."""
        return path in self.commented

    def definitions_at(self, path: str, start: int, end: int) -> Collection[str]:
        """Return the names in `holders` of these lines."""
        return self.holders.get((path, start, end), ())

    def in_text(self, names: Sequence[str]) -> Mapping[str, bool]:
        """Return for each name whether `words` contains it."""
        return {name: name in self.words for name in names}

    def in_code(self, names: Sequence[str]) -> Mapping[str, bool]:
        """Return for each name whether `words` contains it."""
        return {name: name.removesuffix("()") in self.words for name in names}

    def unseen_users(self, names: Sequence[str], seen: Container[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the `users` of the names without the files in `seen`."""
        found = {name: tuple(path for path in self.users.get(name, ()) if path not in seen) for name in names}
        return {name: paths for name, paths in found.items() if paths}

    def has_sources(self) -> bool:
        """Return `sources`."""
        return self.sources

    def relevance(self, values: Sequence[str], names: Sequence[str]) -> Mapping[str, float]:
        """Return the `scores` of those names that have one."""
        return {name: self.scores[name] for name in names if name in self.scores}

    def learn(self, state: SessionState, changed: Sequence[str], learned_at: str) -> int:
        """Record the call in `learned`."""
        self.learned.append((state.session_id, tuple(changed)))
        return len(changed)


@dataclass
class FakeLibrary:
    """A fake library: prompts, verifiers and documents are fields, the contract is the packaged one."""

    folders: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "interventions": ("step_back.md", "hypothesis_review.md"),
            "review_prompts": ("garbage_detection.md", "quality_review.md"),
        }
    )
    known: dict[str, Verifier] = field(
        default_factory=lambda: {"generic.md": Verifier("generic.md", "Look at it.", lambda path: path.endswith(".py"))}
    )
    agreed: bool = True
    found: tuple[str, ...] = ()
    digest_now: str | None = None
    """The result of `contract_digest`, None for the true one. Set it to simulate an edited contract file."""

    def prompts(self, folder: str) -> tuple[str, ...]:
        """Return the file names in `folders`."""
        return self.folders.get(folder, ())

    def verifiers(self) -> Mapping[str, Verifier]:
        """Return `known`."""
        return self.known

    def trusted(self) -> bool:
        """Return `agreed`."""
        return self.agreed

    def commands_digest(self) -> str:
        """Return the commands themselves."""
        return "; ".join(f"{name}: {verifier.command}" for name, verifier in self.known.items())

    def documents(self, query: str, *, with_guides: bool) -> tuple[str, ...]:
        """Return `found`."""
        return self.found

    def research_prompts(self) -> tuple[str, ...]:
        """Return no prompts of the project's own."""
        return ()

    def contract(self, pinned: str | None = None) -> Contract:
        """Return the packaged contract."""
        return load_contract(None)

    def contract_source(self) -> str:
        """Return "": the project has no contract file of its own."""
        return ""

    def contract_digest(self) -> str:
        """Return `digest_now`, or the packaged contract's digest."""
        return load_contract(None).digest if self.digest_now is None else self.digest_now


@dataclass
class FakeReports:
    """Fake reports, which record for which sessions one was written."""

    written: list[str] = field(default_factory=list)

    def place(self, session_id: str) -> str:
        """Return a path at which no file exists."""
        return f".code-intel/sessions/archive/{session_id}.html"

    def write(self, state: SessionState) -> None:
        """Record the session's id in `written`."""
        self.written.append(state.session_id)


@dataclass
class FakeWords:
    """A fake user: `typed` holds their prompts. Without any, as in a client without a hook, nothing is known."""

    typed: list[Prompt] = field(default_factory=list)
    git_settings: dict[str, str] = field(default_factory=dict)

    def prompts(self, client: str) -> Sequence[Prompt]:
        """Return `typed`."""
        return self.typed

    def settings(self) -> Mapping[str, str]:
        """Return `git_settings`."""
        return self.git_settings

    def as_kept(self, text: str) -> str:
        """Return the text."""
        return text

    def type(self, text: str, at: str = "9999") -> None:
        """Add a prompt, by default one that is newer than every session."""
        self.typed.append(Prompt(at, text))


@dataclass
class FixedClock:
    """A clock that advances by `tick_s` with every call, and tokens that count up."""

    time: datetime = datetime(2026, 11, 21, 10, 0, 0, tzinfo=UTC)
    tick_s: float = 2.0
    tokens: int = 0

    def now(self) -> datetime:
        """Advance the clock and return its time."""
        self.time += timedelta(seconds=self.tick_s)
        return self.time

    def token(self) -> str:
        """Return 0001, 0002, …"""
        self.tokens += 1
        return f"{self.tokens:04x}"
