"""What the session needs of the outside, as Protocols. Adapters and the server's composition fill them."""

import secrets
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from codeintel_contract import Contract
from codeintel_session.git import GitRepository
from codeintel_session.machine.limits import Limits
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.user_words import Prompt
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.storage.seal import Seal


@dataclass(frozen=True, slots=True)
class Verifier:
    """A verifier of the project. `matches` says of a path whether it judges it; without it, it judges none.

    `command` is "" if the agent carries it out itself. `setup` prepares a clean checkout; without it the project's own
    ignored dependency folders are used. `tests` and `steers` are its own words for test files and for files that steer
    its runner; None leaves it to the usual names.
    """

    name: str
    text: str
    matches: Callable[[str], bool] = field(default=lambda _: False, compare=False)
    command: str = ""
    timeout_s: float = 600.0
    report: str = "none"
    setup: str = ""
    tests: Callable[[str], bool] | None = field(default=None, compare=False)
    steers: Callable[[str], bool] | None = field(default=None, compare=False)

    @property
    def is_reading(self) -> bool:
        """True if its command reads the change, and runs nothing of it."""
        return self.report == "findings"

    def fits(self, paths: Iterable[str]) -> bool:
        """True if it judges one of the paths."""
        return any(map(self.matches, paths))


class Code(Protocol):
    """What the index knows of the code."""

    def kind_of_lines(self, path: str, start: int, end: int, changed: Sequence[tuple[int, int]]) -> str:
        """Tell what these lines hold: `work`, `documentation` or `empty`; the session changed the ranges `changed`."""

    def lines_of(self, path: str, name: str, *, strict: bool = False) -> Sequence[tuple[int, int]]:
        """List where a file defines a name, which may be qualified: first and last line.

        Without a definition in what the name is qualified with, those of its last part are listed, unless `strict`.
        """

    def new_stubs(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        """List the functions that meet the changed lines and are empty, but were not in the text `before`."""

    def names_touched(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> Collection[str]:
        """List the names in and around the changed lines, and those that were in the text `before` and are gone."""

    def altered(self, path: str, before: str) -> Sequence[tuple[str, Sequence[tuple[int, int]]]]:
        """List the functions of the text `before` that read otherwise now: name, and where they were and are."""

    def has_same_code(self, path: str, text: str, before: str) -> bool:
        """True if the text of a file and the text `before` differ in comments and docstrings alone, as far as known."""

    def definitions_at(self, path: str, start: int, end: int) -> Collection[str]:
        """List the innermost definitions that hold these lines (1-based); none of lines outside of all."""

    def in_text(self, names: Sequence[str]) -> Mapping[str, bool]:
        """Tell for each name whether it occurs in the project's text; names without an answer are left out."""

    def in_code(self, names: Sequence[str]) -> Mapping[str, bool]:
        """Tell for each name whether a file that is not a test holds it outside of comments; one that ends in `()` must
        be in code, any other may be in a string or data. Names without an answer are left out."""

    def unseen_users(self, names: Sequence[str], seen: Container[str]) -> Mapping[str, tuple[str, ...]]:
        """Find files that certainly use a name in code and are not in `seen`, a few for each name that has any."""

    def has_sources(self) -> bool:
        """True if the project has a file in a language the index parses."""

    def relevance(self, values: Sequence[str], names: Sequence[str]) -> Mapping[str, float]:
        """For each name its best similarity to one of the values, 0..1; empty if unknown."""

    def learn(self, state: SessionState, changed: Sequence[str], learned_at: str) -> int:
        """Write what a verified success taught into the Map; returns how many entries."""


class Library(Protocol):
    """The prompts of a project, its own first and the built-in ones where it has none."""

    def prompts(self, folder: str) -> tuple[str, ...]:
        """File names in a folder of `.code-intel` ("" is the folder itself)."""

    def verifiers(self) -> Mapping[str, Verifier]:
        """Verifiers by file name."""

    def trusted(self) -> bool:
        """Whether the user agreed to the verifiers' commands as they stand now."""

    def commands_digest(self) -> str:
        """Digest of the verifiers' commands, and of what sends an agent to run them, as they stand now."""

    def documents(self, query: str, *, with_guides: bool) -> tuple[str, ...]:
        """Documents that may be relevant to a request, best first; empty if document research is off.

        `with_guides` adds what whoever changes the code has to know, whatever the request.
        """

    def research_prompts(self) -> tuple[str, ...]:
        """File names in `doc_research/` to research with, if the project names some; else what the contract says."""

    def contract(self, pinned: str | None = None) -> Contract:
        """The project's contract if the user trusts it, else the packaged one.

        `pinned` is what `contract_source` said once: then it is the one that was there.

        Raises ContractViolation: `contract_invalid`, or `contract_lost` if it no longer exists.
        """

    def contract_source(self) -> str:
        """Digest of the project's own contract file, "" if it has none that is used."""

    def contract_digest(self) -> str:
        """Digest of the contract that a new session would follow now; "" if the project's own does not load."""


class Reports(Protocol):
    """Where the report of a session goes."""

    def place(self, session_id: str) -> str:
        """Its path, relative to the root."""

    def write(self, state: SessionState) -> None:
        """Write it, for a session that has ended and is in the archive. Never raises: the work is done by then."""


class UserWords(Protocol):
    """What the user typed, as the hook of their client kept it."""

    def prompts(self, client: str) -> Sequence[Prompt]:
        """Return the last prompts typed to the client with this name, oldest first; none if nothing is known."""

    def as_kept(self, text: str) -> str:
        """Return a text with its secrets hidden as in a prompt that was kept, to compare it with these."""

    def settings(self) -> Mapping[str, str]:
        """Return digests of git's settings by name, as prompts hold them, to compare them with these."""


class Clock(Protocol):
    """Time and ids, so that tests own both."""

    def now(self) -> datetime:
        """The time, in UTC."""

    def token(self) -> str:
        """Four hex digits, random."""


class SystemClock:
    """The system's time, and random tokens."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.now(UTC)

    def token(self) -> str:
        """Return four random hex digits."""
        return secrets.token_hex(2)


class FailsOnBase(Protocol):
    """What verifiers that have not run in a session show of its base."""

    def __call__(self, state: SessionState, *, take: bool) -> Sequence[MessageRef]:
        """Return what the agent should know; `take` leaves it out from then on."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a session depends on. `git` is None outside a repository: only investigations work then.

    `limits` are those of sessions that begin. `redact` returns JSON data with the secrets in its texts redacted,
    `dependencies` the digests of the ignored folders that runs of verifiers need, by path, and `fails_on_base` what the
    agent should know of verifiers that fail without the change, told once if `take` is set.
    """

    root: Path
    git: GitRepository | None
    code: Code
    library: Library
    clock: Clock
    reports: Reports
    words: UserWords
    merge_mode: str = "no-ff"
    fixups: str = "fold"
    seal: Seal | None = None
    redact: Callable[[dict[str, Any]], dict[str, Any]] = dict
    dependencies: Callable[[], Mapping[str, str]] = dict
    fails_on_base: FailsOnBase = field(default=lambda state, *, take: ())
    limits: Limits = field(default_factory=Limits)
