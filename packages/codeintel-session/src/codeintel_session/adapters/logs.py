"""The two logs of a project: one JSON line per decision, each carrying the digest of the line before."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codeintel_session.machine.state import SessionState


class ChainLog:
    """An append-only file whose lines form a hash chain: a line taken out or changed shows."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, entry: dict[str, Any]) -> None:
        """Add a line; `previous` is set here."""
        line = json.dumps({**entry, "previous": self._last_digest()}, ensure_ascii=False, separators=(",", ":"))
        with self.path.open("a", encoding="utf-8", errors="surrogatepass") as file:
            file.write(line + "\n")

    def _last_digest(self) -> str:
        last = b""
        if self.path.exists():
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - 65536))
                last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
        return hashlib.sha256(last).hexdigest()[:16] if last else ""

    def read(self) -> Iterator[dict[str, Any]]:
        """All lines that are JSON objects, oldest first."""
        if not self.path.exists():
            return
        with self.path.open(encoding="utf-8", errors="surrogatepass") as file:
            for line in file:
                if line.strip():
                    yield json.loads(line)


def decision_entry(state: SessionState, at: str, verdict: str, problems: tuple[str, ...]) -> dict[str, Any]:
    """A line of `decisions.jsonl`."""
    return {
        "at": at,
        "session_id": state.session_id,
        "phase": state.phase_state.current_phase,
        "step": state.phase_state.step,
        "verdict": verdict,
        "reasons": list(problems),
        "observed": sorted({call.tool for call in state.observed if call.ok}),
    }


def outcome_entry(state: SessionState, at: str, outcome: str, note: str = "") -> dict[str, Any]:
    """A line of `outcomes.jsonl`."""
    return {
        "at": at,
        "session_id": state.session_id,
        "outcome": outcome,
        "note": note,
        "phase": state.phase_state.current_phase,
        "intent": state.intent.value,
        "flags": state.flags.active(),
        "query": state.query,
        "counters": state.counters.model_dump(mode="json", exclude={"refusals"}),
        "assessment": state.assessment,
        "receipts": {name: receipt.exit for name, receipt in state.receipts.items()},
    }
