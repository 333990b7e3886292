"""The two logs of a project: one JSON line per decision, each carrying the digest of the line before."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import END
from codeintel_session.sizes import size

from .chain import Fault, entry_of, faults_in, link
from .watched import Grown

BLOCK = 65536
MAX_PATHS = 200
"""Paths of one kind that a line names."""


class DecisionLine(BaseModel):
    """What whoever reads a line of `decisions.jsonl` may rely on."""

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
    """What whoever reads a line of `outcomes.jsonl` may rely on; one that tells a later outcome has no more."""

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


def decision_log(folder: Path) -> "ChainLog":
    """The log of decisions in a folder of logs."""
    return ChainLog(folder / "decisions.jsonl", DecisionLine)


def outcome_log(folder: Path) -> "ChainLog":
    """The log of outcomes in a folder of logs."""
    return ChainLog(folder / "outcomes.jsonl", OutcomeLine)


class ChainLog:
    """An append-only file whose lines form a hash chain: a line taken out or changed shows."""

    def __init__(self, path: Path, shape: type[BaseModel] | None = None) -> None:
        self.path = path
        self._shape = shape
        self.grown = Grown(path)
        self._broken = False

    def append(self, entry: dict[str, Any]) -> None:
        """Add a line; what links it to the line before is set here."""
        self._broken |= not self.grown.look()
        last = self._last_line()
        # A line that a crash tore is closed first, or it would swallow this one.
        start = b"" if last.endswith(b"\n") or not last else b"\n"
        data = start + link(entry, last) + b"\n"
        with self.path.open("ab") as file:
            file.write(data)
        self.grown.wrote(data)

    def was_changed(self) -> bool:
        """Whether anything but an addition was done to it since the last call; from now on it is expected as it is."""
        changed = self._broken or not self.grown.look()
        self._broken = False
        return changed

    def _last_line(self) -> bytes:
        if not self.path.exists():
            return b""
        with self.path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            block = b""
            while end > 0 and b"\n" not in block.rstrip(b"\n"):
                start = max(0, end - BLOCK)
                file.seek(start)
                block = file.read(end - start) + block
                end = start
        found = block.rstrip(b"\n").rpartition(b"\n")[2]
        return found + b"\n" if block.endswith(b"\n") else found

    def read(self) -> Iterator[dict[str, Any]]:
        """All lines that are JSON objects of the log's shape, oldest first; torn and foreign ones are passed over."""
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
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
        """The first line, counted from 1, that is not what was written there; None for a whole chain."""
        return next((fault.line for fault in self.faults()), None)

    def faults(self) -> list[Fault]:
        """Every line that is not what was written there, and what was done to it."""
        return faults_in(self.path)


def decision_entry(state: SessionState, at: str, reply: Mapping[str, Any]) -> dict[str, Any]:
    """A line of `decisions.jsonl`: where a submission stood, what it was told, and in how many characters / 4."""
    entry = {
        "at": at,
        "session_id": state.session_id,
        "phase": state.phase_state.current_phase,
        "step": state.phase_state.step,
        "substep": state.phase_state.ready_substep,
        "verdict": "accepted" if reply["success"] else reply["error"],
        "reasons": list(reply.get("problems", ())),
        "warning": reply.get("warning", ""),
        "observed": sorted({call.tool for call in state.observed if call.ok}),
        "to": reply["phase"],
        "to_step": reply.get("step", END),
        "tokens": size(reply) // 4,
    }
    return {name: value for name, value in entry.items() if value != ""}


def outcome_entry(state: SessionState, at: str, outcome: str, note: str, changed: Sequence[str]) -> dict[str, Any]:
    """A line of `outcomes.jsonl`; the last one of a session counts."""
    return {
        "at": at,
        "session_id": state.session_id,
        "started_at": state.started_at,
        "outcome": outcome,
        "note": note,
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
    }
