"""The two logs of a project, append-only files of JSON lines that form a hash chain.

A line carries the digest of the line before it (`previous`) and, as its last member, its own digest (`own`). The two
reveal whether a line was edited, removed, inserted or moved; each fault names its line. A log without its last lines
still forms a chain: only a record of how much was written, such as a checkpoint, shows that lines are missing.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from codeintel_contract import open_file
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import END
from codeintel_session.replies.reply import reasons_of
from codeintel_session.replies.truncation import json_size
from codeintel_session.storage.file_snapshot import LOG_BYTES, AppendOnlySnapshot

DIGITS = 16
_OWN = b',"own":"'


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem of a line, which is counted from 1."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"line {self.line} {self.problem}"


def digest_of(line: bytes) -> str:
    """Return the digest that the next line carries as `previous`; "" for an empty line, before the first."""
    text = line.rstrip(b"\n")
    return hashlib.sha256(text).hexdigest()[:DIGITS] if text else ""


def link(entry: Mapping[str, Any], last: bytes) -> bytes:
    """Return the line of an entry that follows the line `last` ("" for none), without its line break."""
    text = json.dumps({**entry, "previous": digest_of(last)}, ensure_ascii=False, separators=(",", ":"))
    body = text.encode("utf-8", "surrogatepass")
    return body[:-1] + _OWN + digest_of(body).encode() + b'"}'


def entry_of(line: bytes) -> dict[str, Any] | None:
    """Return the entry in a line, None if the line is not a JSON object."""
    try:
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def faults_in(path: Path) -> list[Fault]:
    """List the faults of a log, in the order of its lines; a missing log has none."""
    try:
        with open_file(path.parent, path, LOG_BYTES) as file:
            texts = list(file)
    except OSError:  # none, or one that no session of this server wrote
        return []
    number_of = {digest_of(line): number for number, line in enumerate(texts, start=1)}
    faults: list[Fault] = []
    was_edited, before = False, b""
    for number, line in enumerate(texts, start=1):
        entry = entry_of(line)
        problem = _content_problem(line, entry)
        # The line after an edited one cannot carry its digest; that is the same fault and reported once.
        if not problem and entry is not None and not was_edited and entry.get("previous") != digest_of(before):
            problem = _order_problem(number, str(entry.get("previous", "")), number_of)
        if problem:
            faults.append(Fault(number, problem))
        was_edited, before = problem in (_TORN, _EDITED), line
    return faults


_TORN = "is not a complete line of the log: it was truncated or overwritten"
_EDITED = "was edited"


def _content_problem(line: bytes, entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return _TORN
    body, mark, own = line.rstrip(b"\n").rpartition(_OWN)
    if mark and own != digest_of(body + b"}").encode() + b'"}':
        return _EDITED
    return "" if mark or "own" not in entry else _EDITED


def _order_problem(number: int, previous: str, number_of: Mapping[str, int]) -> str:
    if previous == "":
        return "is the first line of a log, but other lines precede it"
    at = number_of.get(previous)
    if at is None:
        return "follows a line that was removed"
    if at < number:
        return f"follows line {at}: the lines between them were inserted or moved there"
    return f"follows line {at}, which comes after it: the lines were reordered"


BLOCK = 65536
MAX_PATHS = 200
"""Paths of one kind that a line lists."""


class DecisionLine(BaseModel):
    """The fields of a line of `decisions.jsonl` that every reader may rely on."""

    at: datetime
    session_id: str
    phase: str
    step: int
    verdict: str
    to: str
    tokens: int
    reasons: list[str]
    observed: list[str]


class OutcomeLine(BaseModel):
    """The fields of a line of `outcomes.jsonl` that every reader may rely on."""

    at: datetime
    session_id: str
    outcome: str
    query: str = ""
    changed: list[str] = []
    explored: list[str] = []
    flags: dict[str, Any] = {}
    counters: dict[str, int] = {}
    assessment: dict[str, Any] = {}
    recall: dict[str, int] = {}
    receipts: dict[str, dict[str, int]] = {}
    spent: dict[str, int] = {}


def decision_log(folder: Path) -> "ChainLog":
    """Return the log of decisions in a folder of logs."""
    return ChainLog(folder / "decisions.jsonl", DecisionLine)


def outcome_log(folder: Path) -> "ChainLog":
    """Return the log of outcomes in a folder of logs."""
    return ChainLog(folder / "outcomes.jsonl", OutcomeLine)


class ChainLog:
    """An append-only file whose lines form a hash chain, which exposes a line that was removed or changed."""

    def __init__(self, path: Path, shape: type[BaseModel] | None = None) -> None:
        self.path = path
        self._shape = shape
        self.snapshot = AppendOnlySnapshot(path)
        self._was_broken = False

    def append(self, entry: dict[str, Any]) -> None:
        """Append an entry, linked to the line before it."""
        self._was_broken |= not self.snapshot.is_intact()
        last = self._last_line()
        # A line that a crash left incomplete is ended first, or this one would become part of it.
        start = b"" if last.endswith(b"\n") or not last else b"\n"
        data = start + link(entry, last) + b"\n"
        with self.path.open("ab") as file:
            file.write(data)
        self.snapshot.appended(data)

    def was_changed(self) -> bool:
        """Return True if the log was changed other than by an addition since the last call, and accept it as it is."""
        changed = self._was_broken or not self.snapshot.is_intact()
        self._was_broken = False
        return changed

    def _last_line(self) -> bytes:
        if not self.path.exists():
            return b""
        with open_file(self.path.parent, self.path, None) as file:
            end = file.seek(0, os.SEEK_END)
            size, block = BLOCK, b""
            while len(block) < end and b"\n" not in block.rstrip(b"\n"):
                file.seek(max(0, end - size))
                block = file.read(size)
                size *= 2  # a clone can bring a line of 100 MB
        line = block.rstrip(b"\n").rpartition(b"\n")[2]
        return line + b"\n" if block.endswith(b"\n") else line

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the entries that have the log's shape, oldest first; other lines are skipped."""
        try:
            lines = open_file(self.path.parent, self.path, LOG_BYTES)
        except OSError:
            return
        with lines as file:
            for line in file:
                if (entry := entry_of(line)) is not None and self._fits(entry):
                    yield entry

    def _fits(self, entry: dict[str, Any]) -> bool:
        if self._shape is None:
            return True
        try:
            self._shape.model_validate(entry)
        except ValidationError:
            return False
        return True

    def broken_at(self) -> int | None:
        """Return the number of the first faulty line, None if the chain is intact."""
        return next((fault.line for fault in faults_in(self.path)), None)


def decision_entry(
    state: SessionState, at: str, reply: Mapping[str, Any], warnings: Sequence[str], noticed: Sequence[str]
) -> dict[str, Any]:
    """Return an entry of `decisions.jsonl`: the position of a submission, its verdict, and the reply's tokens.

    Args:
        state: the session before the submission.
        at: the time.
        reply: the reply to it.
        warnings: what the verdict warns of.
        noticed: what others changed, or the agent in a phase that forbids writing.
    """
    entry = {
        "at": at,
        "session_id": state.session_id,
        "phase": state.phase_state.current_phase,
        "step": state.phase_state.step,
        "substep": state.phase_state.ready_substep,
        "verdict": "accepted" if reply["success"] else reply["error"],
        "reasons": reasons_of(reply),
        "observed": sorted({call.tool for call in state.observed if call.ok}),
        "to": reply["phase"],
        "to_step": reply.get("step", END),
        "tokens": json_size(reply) // 4,  # about four bytes a token
    }
    said = {"warnings": list(warnings), "noticed": list(noticed)}
    return {name: value for name, value in entry.items() if value != ""} | {
        name: texts for name, texts in said.items() if texts
    }


def outcome_entry(state: SessionState, at: str, outcome: str, note: str, changed: Sequence[str]) -> dict[str, Any]:
    """Return an entry of `outcomes.jsonl`; the last one of a session counts."""
    return {
        "at": at,
        "session_id": state.session_id,
        "started_at": state.started_at,
        "outcome": outcome,
        "note": note,
        **({"unproved": state.gaps} if state.gaps and outcome == state.outcome else {}),
        **({"doubts": state.doubts} if state.doubts and outcome == state.outcome else {}),
        **({"chosen_by": state.chosen_by} if state.chosen_by else {}),
        "query_from": state.query_from,
        "phase": state.phase_state.current_phase,
        "intent": state.intent.value,
        "flags": state.flags.active(),
        "query": state.query,
        "counters": state.counters.model_dump(mode="json", exclude={"refusals"}),
        "assessment": state.assessment,
        "overruled": list(state.overruled),
        "forced": state.forced_completion,
        "receipts": {name: {"exit": receipt.exit, **receipt.counts} for name, receipt in state.receipts.items()},
        "explored": list(state.explored[:MAX_PATHS]),
        "changed": list(changed[:MAX_PATHS]),
        "recall": state.recall,
        "spent": state.spent.model_dump(exclude_defaults=True),
    }
