"""What a session leaves on disk: its checkpoint, the log of decisions and the log of outcomes.

Nothing else writes there, so what stands there otherwise than it was written is noticed, before it is written over.
What a session has done is on disk before it is in memory; what it merely saw may be written up to a second later.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .adapters import seenfile
from .adapters.checkpoints import CheckpointStore, Saved
from .adapters.gatefile import GateFile
from .adapters.home import HOME, ensure_home
from .adapters.logs import ChainLog, decision_entry, decision_log, outcome_entry, outcome_log
from .casefile import CaseWriter
from .history import earlier
from .judging import Case
from .later import Later
from .machine import limits
from .machine.state import SessionState
from .ports import Ports


class Records:
    """The records of one project. The session's lock, given as `mutex`, is around every call."""

    def __init__(self, ports: Ports, mutex: threading.RLock) -> None:
        home = ports.root / HOME
        self._clock = ports.clock
        self._mask = ports.mask
        self._cases = CaseWriter()
        self._mutex = mutex
        self._saved_at = 0.0
        self._seen: SessionState | None = None
        self.later = Later(self._save_what_was_seen)
        self._root = ports.root
        self._tampered: dict[str, None] = {}
        self.store = CheckpointStore(home / "sessions", ports.seal)
        self.gate = GateFile(home / "sessions")
        self.decisions = decision_log(home / "logs")
        self.outcomes = outcome_log(home / "logs")

    def save(self, state: SessionState) -> None:
        """Write the checkpoint, and what the client's hook goes by."""
        self.later.call_off()
        self._notice(state)
        self.store.save(state, {name: log.grown.mark() for name, log in self._logs().items()})
        self.gate.write(state)
        self._saved_at = self._clock.now().timestamp()

    def tampered(self, state: SessionState) -> tuple[str, ...]:
        """Files that somebody else changed or removed since the last call; ours are written anew at once."""
        self._notice(state)
        found = tuple(self._tampered)
        if found:
            self.save(state)
        self._tampered = {}
        return found

    def resumed(self, saved: Saved) -> None:
        """Compare the logs with what a checkpoint says was in them."""
        logs = self._logs()
        self._note(_log(name) for name, mark in saved.logs.items() if name in logs and not logs[name].grown.holds(mark))

    def _notice(self, state: SessionState) -> None:
        """Look before anything is written over; what is missing is made anew."""
        sessions = f"{HOME}/sessions"
        self._note([f"{sessions}/{state.session_id}.json"] if self.store.written.was_changed() else ())
        self._note([f"{sessions}/gate.json"] if self.gate.was_changed() else ())
        self._note(_log(name) for name, log in self._logs().items() if log.was_changed())
        if not all(folder.is_dir() for folder in (self.store.folder, self.decisions.path.parent)):
            ensure_home(self._root)

    def _note(self, names: Iterable[str]) -> None:
        self._tampered |= dict.fromkeys(names)

    def _logs(self) -> dict[str, ChainLog]:
        return {"decisions": self.decisions, "outcomes": self.outcomes}

    def read_by_client(self, state: SessionState) -> tuple[str, ...]:
        """Files that the client's own tools read since the last look, as its hook noted them."""
        return seenfile.take(self.store.folder, state.session_id)

    def saw(self, state: SessionState) -> None:
        """Save a state that differs from the saved one only by what was seen, at most once a second."""
        self._seen = state
        if self._clock.now().timestamp() - self._saved_at >= limits.SAVE_EVERY_S:
            self.save(state)
        else:
            self.later.put_off(limits.SAVE_EVERY_S)

    def _save_what_was_seen(self) -> None:
        with self._mutex:
            if self._seen is not None and self.later.waiting:
                self.save(self._seen)

    def archive(self, state: SessionState, outcome: str, note: str, changed: Sequence[str] = ()) -> None:
        """Log how the session ended and which files it changed, and put its checkpoint into the archive."""
        self.later.call_off()
        self._notice(state)
        self.log_outcome(state, outcome, note, changed)
        self.gate.remove()
        self.store.archive(state.model_copy(update={"outcome": outcome}))

    def log_outcome(self, state: SessionState, outcome: str, note: str, changed: Sequence[str] = ()) -> None:
        """Add a line to the log of outcomes."""
        self.outcomes.append(self._mask(outcome_entry(state, self.now(), outcome, note, changed)))

    def log_decision(self, case: Case, reply: Mapping[str, Any]) -> None:
        """Add a line to the log of decisions: what was judged, and the reply it got."""
        entry = {**decision_entry(case.state, self.now(), reply), "case": self._cases.write(case)}
        shown = self._mask(entry)
        if shown["case"] != entry["case"]:
            shown["masked"] = True  # judged again it may look different
        self.decisions.append(shown)

    def earlier(self, query: str) -> dict[str, Any] | None:
        """The newest finished session with the same request, by its last outcome."""
        return earlier(self.outcomes.read(), query)

    def last_counts(self, verifier: str) -> dict[str, int]:
        """What a verifier's report counted in the newest session that kept a receipt with counts."""
        found: dict[str, int] = {}
        for entry in self.outcomes.read():
            counts = dict(entry.get("receipts", {}).get(verifier, {}))
            counts.pop("exit", None)
            found = counts or found
        return found

    def now(self) -> str:
        """The time, in ISO 8601 with seconds."""
        return self._clock.now().isoformat(timespec="seconds")


def _log(name: str) -> str:
    return f"{HOME}/logs/{name}.jsonl"
