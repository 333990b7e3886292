"""What the session needs of the outside, as Protocols. Adapters and the server's composition fill them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Protocol

from codeintel_contract.loader import Contract

from .adapters.git import GitRepository
from .adapters.seal import Seal
from .machine.limits import Limits
from .machine.state import SessionState


@dataclass(frozen=True, slots=True)
class Verifier:
    """A verifier of the project. `match` are globs; `command` is "" if the agent carries it out itself."""

    name: str
    text: str
    match: tuple[str, ...] = ()
    command: str = ""
    timeout_s: float = 600.0
    report: str = "none"

    def fits(self, paths: Iterable[str]) -> bool:
        """True if one of the paths matches one of the globs; `**/` also matches nothing."""
        return any(
            fnmatch(path, glob) or fnmatch(path, glob.removeprefix("**/")) for path in paths for glob in self.match
        )


class Code(Protocol):
    """What the index knows of the code."""

    def is_empty(self, path: str, start: int, end: int) -> bool:
        """True if the definitions at these lines implement nothing."""

    def defines(self, name: str) -> bool:
        """True if the project defines the name."""

    def has_sources(self) -> bool:
        """True if the project has a file in a language the index parses."""

    def relevance(self, values: Sequence[str], names: Sequence[str]) -> Mapping[str, float]:
        """For each name its best similarity to one of the values, 0..1; empty if it cannot be told."""

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

    def documents(self, query: str) -> tuple[str, ...]:
        """Documents that may bear on a request, best first; empty if document research is off."""

    def research_prompts(self) -> tuple[str, ...]:
        """File names in `doc_research/` to research with, if the project names some; else what the contract says."""

    def contract(self, pinned: str | None = None) -> Contract:
        """The project's contract; with what `contract_source` said once, the one that stood there then.

        Raises:
            ContractViolation: `contract_invalid`, or `contract_lost` if it cannot be had any more.
        """

    def contract_source(self) -> str:
        """Digest of the project's own contract file, "" if it has none."""

    def contract_digest(self) -> str:
        """Digest of the contract as it stands on disk now; "" if it does not load."""


class Reports(Protocol):
    """Where the report of a session goes."""

    def place(self, session_id: str) -> str:
        """Its path, relative to the root."""

    def write(self, state: SessionState) -> None:
        """Write it, for a session that has ended and is in the archive. Never raises: the work is done by then."""


class Clock(Protocol):
    """Time and ids, so that tests own both."""

    def now(self) -> datetime:
        """The time, in UTC."""

    def token(self) -> str:
        """Four hex digits, random."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a session stands on. `git` is None outside a repository: only investigations work then.

    `limits` are those of sessions that begin. `mask` gives a line for a log back with the secrets in its texts hidden.
    """

    root: Path
    git: GitRepository | None
    code: Code
    library: Library
    clock: Clock
    reports: Reports
    merge_mode: str = "no-ff"
    seal: Seal | None = None
    mask: Callable[[dict[str, Any]], dict[str, Any]] = dict
    limits: Limits = field(default_factory=Limits)
