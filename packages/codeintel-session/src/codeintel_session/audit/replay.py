"""Replay a session from its lines in the decision log, under its own contract or another one.

Every line holds everything its verdict depends on, so each verdict is derived again and compared with the recorded one.
Under another contract the replay stops following the log at the first submission with a different verdict: the agent
submitted the later ones after other replies than the contract would have given.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from codeintel_contract import Contract, ContractViolation
from codeintel_session.audit.audit_codec import AuditReader, AuditRecord, Unrecorded
from codeintel_session.audit.logs import Fault, entry_of
from codeintel_session.replies.reply import reasons_of, refusal_reply
from codeintel_session.submission.submission import judge, read

Status = Literal["same", "differs", "by_world", "unknown", "not_followed"]
ACCEPTED = "accepted"
_CUT = "…"
BY_WORLD = "git, a file or a hook refused it, not a judge"


@dataclass(frozen=True, slots=True)
class ReplayedVerdict:
    """A verdict: "accepted" or an error code, and `to_step`, the session's step afterwards."""

    verdict: str
    to_step: int
    reasons: tuple[str, ...] = ()

    def parts_from(self, other: "ReplayedVerdict") -> bool:
        """Return True if the session would continue differently after this verdict than after the other."""
        return (self.verdict == ACCEPTED) != (other.verdict == ACCEPTED) or self.to_step != other.to_step


@dataclass(frozen=True, slots=True)
class ReplayedLine:
    """A submission with its recorded verdict and the derived one; `why` explains the status.

    `derived` is None if no verdict can be derived. Status by_world: git, a file or a hook refused it, which cannot be
    judged again.
    """

    number: int
    at: str
    phase: str
    step: int
    recorded: ReplayedVerdict
    status: Status
    derived: ReplayedVerdict | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """The lines of a session, the faults of the whole log, and the number of accepted submissions missing from it."""

    session_id: str
    lines: tuple[ReplayedLine, ...]
    faults: tuple[Fault, ...] = ()
    missing: int = 0

    @property
    def is_equal(self) -> bool:
        """True if the log is intact and every derived verdict equals the recorded one."""
        return not self.faults and not self.missing and all(line.status in ("same", "by_world") for line in self.lines)

    @property
    def parting(self) -> ReplayedLine | None:
        """The first submission with a different verdict."""
        return next((line for line in self.lines if line.status == "differs"), None)


def replay_session(
    session_id: str, entries: Iterable[tuple[int, Mapping[str, Any]]], contract: Contract, *, is_other: bool = False
) -> tuple[ReplayedLine, ...]:
    """Derive the verdicts of a session's lines again.

    Args:
        session_id: the session.
        entries: the entries of the log with their line numbers.
        contract: the contract to judge by.
        is_other: True if that contract is not the session's own.
    """
    lines: list[ReplayedLine] = []
    reader, has_parted = AuditReader(), False
    for number, entry in entries:
        if entry.get("session_id") != session_id:
            continue
        line = _replay_line(number, entry, reader, contract, has_parted)
        if is_other and line.status == "differs":
            has_parted |= line.derived is None or line.derived.parts_from(line.recorded)
        lines.append(line)
    return tuple(lines)


def _replay_line(
    number: int, entry: Mapping[str, Any], reader: AuditReader, contract: Contract, has_parted: bool
) -> ReplayedLine:
    reasons = tuple(map(str, entry.get("reasons", ())))
    recorded = ReplayedVerdict(str(entry.get("verdict")), _step(entry.get("to_step")), reasons)
    status, derived, why = _compare(entry, recorded, reader, contract, has_parted)
    phase = " ".join(part for name in ("phase", "substep") if (part := str(entry.get(name, ""))))
    at, step = str(entry.get("at", "")), _step(entry.get("step"))
    return ReplayedLine(number, at, phase, step, recorded, status, derived, why)


def _step(value: object) -> int:
    return value if isinstance(value, int) else 0


def _compare(
    entry: Mapping[str, Any], recorded: ReplayedVerdict, reader: AuditReader, contract: Contract, has_parted: bool
) -> tuple[Status, ReplayedVerdict | None, str]:
    try:
        record = reader.read(entry.get("case"))
        if has_parted:
            return "not_followed", None, "the session would have gone another way before"
        if record.by_world and record.facts is None:
            return "by_world", None, BY_WORLD
        derived = _derive(record, contract)
    except Unrecorded as error:
        return "unknown", None, str(error)
    except ContractViolation as error:
        return "unknown", None, f"it does not fit this version ({error.key})"
    if derived is None:
        return "differs", None, "its shape would be accepted; the facts to judge it by were not collected"
    if record.by_world and recorded.verdict != ACCEPTED and derived.verdict == ACCEPTED:
        return "by_world", None, BY_WORLD
    if _is_same(recorded, derived):
        return "same", derived, ""
    return "differs", derived, "secrets are redacted in the log, which may be why" if entry.get("masked") else ""


def _derive(record: AuditRecord, contract: Contract) -> ReplayedVerdict | None:
    """Judge a record again; None if its payload has the right shape now, but the record holds no facts."""
    try:
        payload = read(contract, record.state, record.submission, record.answer)
        if record.facts is None:
            return None
        decision = judge(contract, record.state, payload, record.facts)
    except ContractViolation as violation:
        reply = refusal_reply(contract, violation, record.state)
        return ReplayedVerdict(reply["error"], record.state.phase_state.step, tuple(reasons_of(reply)))
    return ReplayedVerdict(ACCEPTED, decision.state.phase_state.step)


def _is_same(recorded: ReplayedVerdict, derived: ReplayedVerdict) -> bool:
    """Compare two verdicts; recorded reasons that were truncated to fit the reply are not compared."""
    if (recorded.verdict, recorded.to_step) != (derived.verdict, derived.to_step):
        return False
    was_cut = any(_CUT in reason for reason in recorded.reasons)
    return was_cut or recorded.reasons == derived.reasons


def find_contract_source(session_id: str, entries: Iterable[tuple[int, Mapping[str, Any]]]) -> str | None:
    """Read from the log which contract file a session began with: its digest, "" for the built-in one.

    None if no line of the session holds it.
    """
    for _, entry in entries:
        if entry.get("session_id") == session_id:
            try:
                return AuditReader().read(entry.get("case")).state.contract_source
            except Unrecorded:  # only the first line of a process holds the whole state
                continue
    return None


def count_missing(entries: Iterable[Mapping[str, Any]], session_id: str, accepted: int) -> int:
    """Return how many of the accepted submissions that a checkpoint counts the log lacks."""
    logged = sum(1 for one in entries if one.get("session_id") == session_id and one.get("verdict") == ACCEPTED)
    return max(0, accepted - logged)


def numbered_entries(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the entries of a log with their line numbers; other lines are skipped."""
    for number, line in enumerate(lines, start=1):
        if (entry := entry_of(line)) is not None:
            yield number, entry
