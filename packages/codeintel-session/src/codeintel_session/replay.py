"""A session judged again from its lines in the decision log, under its own contract or another one.

Every line holds the case it was decided on, so each verdict is derived anew and compared with the one that was given.
Under another contract the first submission that fares otherwise is where the paths part: what came later was handed in
by an agent that was told something else, and is not followed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from codeintel_contract.loader import Contract
from codeintel_contract.payloads import Payload
from codeintel_contract.violations import ContractViolation

from .adapters.chain import Fault, entry_of
from .casefile import CaseReader, Unkept
from .judging import Case, judge
from .machine.facts import Facts
from .reply import refused

Status = Literal["same", "differs", "by_world", "unknown", "not_followed"]
ACCEPTED = "accepted"
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Told:
    """What an agent was told: `verdict` is "accepted" or a code, `to_step` the step it stood at then."""

    verdict: str
    to_step: int
    reasons: tuple[str, ...] = ()

    def parts_from(self, other: "Told") -> bool:
        """True if an agent that was told this goes another way than one that was told the other."""
        return (self.verdict == ACCEPTED) != (other.verdict == ACCEPTED) or self.to_step != other.to_step


@dataclass(frozen=True, slots=True)
class Line:
    """A submission: what was said, and what is said now (None if it cannot be told). `why` explains the status.

    by_world: git or a file said it and no judge, so it is taken as it was said.
    """

    number: int
    at: str
    phase: str
    step: int
    said: Told
    status: Status
    says: Told | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """All lines of a session, the faults of the whole log, and how many accepted submissions it lacks."""

    session_id: str
    lines: tuple[Line, ...]
    faults: tuple[Fault, ...] = ()
    lacking: int = 0

    @property
    def is_equal(self) -> bool:
        """True if the log is whole and every verdict came out as it was given."""
        return not self.faults and not self.lacking and all(line.status in ("same", "by_world") for line in self.lines)

    @property
    def parting(self) -> Line | None:
        """The first submission that fares otherwise."""
        return next((line for line in self.lines if line.status == "differs"), None)


class _NoFacts(Exception):
    """It was refused before the world was asked, so what a judge would have seen is not known."""


def replay(
    session_id: str, entries: Iterable[tuple[int, Mapping[str, Any]]], contract: Contract, *, is_other: bool = False
) -> tuple[Line, ...]:
    """The session's lines judged again.

    `entries` are those of the log with their line numbers; `is_other` says that the contract is not the session's own.
    """
    lines: list[Line] = []
    reader, parted = CaseReader(), False
    for number, entry in entries:
        if entry.get("session_id") != session_id:
            continue
        line = _line(number, entry, reader, contract, parted)
        parted |= is_other and line.status == "differs" and (line.says is None or line.says.parts_from(line.said))
        lines.append(line)
    return tuple(lines)


def _line(number: int, entry: Mapping[str, Any], reader: CaseReader, contract: Contract, parted: bool) -> Line:
    said = Told(str(entry.get("verdict")), _step(entry.get("to_step")), tuple(map(str, entry.get("reasons", ()))))
    status, says, why = _judged(entry, said, reader, contract, parted)
    substep = str(entry.get("substep", ""))
    phase = " ".join(part for part in (str(entry.get("phase", "")), substep) if part)
    return Line(number, str(entry.get("at", "")), phase, _step(entry.get("step")), said, status, says, why)


def _step(value: object) -> int:
    return value if isinstance(value, int) else 0


def _judged(
    entry: Mapping[str, Any], said: Told, reader: CaseReader, contract: Contract, parted: bool
) -> tuple[Status, Told | None, str]:
    try:
        case = reader.read(entry.get("case"))
        if parted:
            return "not_followed", None, "the session would have gone another way before"
        says = _told(case, contract)
    except Unkept as error:
        return "unknown", None, str(error)
    except _NoFacts:
        return "differs", None, "it would not be refused where it was; what it would meet then was not looked at"
    except ContractViolation as error:
        return "unknown", None, f"it does not fit this version ({error.key})"
    if says is None or (case.by_world and said.verdict != ACCEPTED and says.verdict == ACCEPTED):
        return "by_world", None, "said by git or a file, not by a judge"
    if _alike(said, says):
        return "same", says, ""
    return "differs", says, "secrets are hidden in the log, which may be why" if entry.get("masked") else ""


def _told(case: Case, contract: Contract) -> Told | None:
    """What is said now; None if it came to no judgment because the world could not be asked."""
    facts, was_asked = case.facts, not case.by_world or case.facts is not None
    if not was_asked:
        return None

    def known(_: Payload) -> Facts:
        if facts is None:
            raise _NoFacts
        return facts

    again = Case(case.state, case.data, case.answer)
    try:
        _, decision = judge(again, contract, known)
    except ContractViolation as violation:
        reply = refused(contract, violation, case.state)
        return Told(reply["error"], case.state.phase_state.step, tuple(reply["problems"]))
    return Told(ACCEPTED, decision.state.phase_state.step)


def _alike(said: Told, says: Told) -> bool:
    """Reasons that were cut to fit the reply are the same as far as they go."""
    if (said.verdict, said.to_step) != (says.verdict, says.to_step):
        return False
    was_cut = any(_CUT in reason for reason in said.reasons)
    return was_cut or said.reasons == says.reasons


def lacking(entries: Iterable[Mapping[str, Any]], session_id: str, accepted: int) -> int:
    """How many accepted submissions the log lacks, of those that a checkpoint counts."""
    there = sum(1 for one in entries if one.get("session_id") == session_id and one.get("verdict") == ACCEPTED)
    return max(0, accepted - there)


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The entries of a log with the numbers of their lines; what is no entry is passed over."""
    for number, line in enumerate(lines, start=1):
        if (entry := entry_of(line)) is not None:
            yield number, entry
