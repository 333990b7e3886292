"""The two logs of a project: one JSON line per decision, each carrying the digest of the line before."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from codeintel_session.machine.state import SessionState
from codeintel_session.sizes import size

from .watched import Grown

BLOCK = 65536
MAX_PATHS = 200
"""Paths of one kind that a line names."""


class ChainLog:
    """An append-only file whose lines form a hash chain: a line taken out or changed shows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.grown = Grown(path)
        self._broken = False

    def append(self, entry: dict[str, Any]) -> None:
        """Add a line; `previous` is set here."""
        self._broken |= not self.grown.look()
        last = self._last_line()
        line = json.dumps({**entry, "previous": digest_of(last)}, ensure_ascii=False, separators=(",", ":"))
        # A line that a crash tore is closed first, or it would swallow this one.
        start = b"" if last.endswith(b"\n") or not last else b"\n"
        data = start + line.encode("utf-8", "surrogatepass") + b"\n"
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
        """All lines that are JSON objects, oldest first; a torn one is passed over."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                try:
                    entry = json.loads(line.decode("utf-8", "surrogatepass"))
                except ValueError:
                    continue
                if isinstance(entry, dict):
                    yield entry

    def broken_at(self) -> int | None:
        """The first line, counted from 1, that does not follow from the line before it; None for a whole chain."""
        if not self.path.exists():
            return None
        last = b""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    entry = json.loads(line.decode("utf-8", "surrogatepass"))
                except ValueError:
                    return number
                if not isinstance(entry, dict) or entry.get("previous") != digest_of(last):
                    return number
                last = line
        return None


def digest_of(line: bytes) -> str:
    """What the line after it carries as `previous`; "" before the first."""
    text = line.rstrip(b"\n")
    return hashlib.sha256(text).hexdigest()[:16] if text else ""


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
