"""The files of a session: its checkpoint, the file for the client's hook, and the logs of decisions and outcomes.

Nothing else writes them, so a file that differs from what was written is detected before it is overwritten. A
submission is on disk before it is in memory; observations may be written up to a second later.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from codeintel_contract import Phase
from codeintel_session.audit.audit_codec import AuditRecord, AuditWriter
from codeintel_session.audit.logs import ChainLog, decision_entry, decision_log, outcome_entry, outcome_log
from codeintel_session.git import GitRepository
from codeintel_session.machine import limits
from codeintel_session.machine.state import LastReply, SessionState
from codeintel_session.ports import Ports
from codeintel_session.storage.checkpoints import CheckpointStore, Saved
from codeintel_session.storage.gate_file import GateFile
from codeintel_session.storage.home import HOME, ensure_home
from codeintel_session.storage.ignored_files import settle_copies

ABANDONED = "abandoned"
"""The outcome of a session that was given up before its end."""


class Debounce:
    """At most one pending call. The owner's lock guards every method, and the call takes it itself."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._timer: threading.Timer | None = None

    @property
    def is_pending(self) -> bool:
        """True until the call is cancelled; a cancelled call is not pending even if its thread has woken up."""
        return self._timer is not None

    def schedule(self, seconds: float) -> None:
        """Call after so many seconds; a call that is pending keeps its time."""
        if self._timer is None:
            self._timer = threading.Timer(seconds, self._call)
            self._timer.daemon = True
            self._timer.start()

    def cancel(self) -> None:
        """Cancel the pending call, if there is one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Records:
    """The records of one project. The caller holds `mutex`, the session's lock, in every call."""

    def __init__(self, ports: Ports, mutex: threading.RLock) -> None:
        home = ports.root / HOME
        self._clock = ports.clock
        self._redact = ports.redact
        self._audit = AuditWriter()
        self._mutex = mutex
        self._saved_at = 0.0
        self._observed: SessionState | None = None
        self.pending_save = Debounce(self._save_observed)
        self._root = ports.root
        self._tampered: dict[str, None] = {}
        self.store = CheckpointStore(home / "sessions", ports.seal)
        self._home = home
        self.use_git(ports.git)
        self.gate = GateFile(home / "sessions", ports.library.contract)
        self.decisions = decision_log(home / "logs")
        self.outcomes = outcome_log(home / "logs")

    def use_git(self, git: GitRepository | None) -> None:
        """Keep the trees of this repository with the checkpoints from here on; they outlive the process.

        The ports may hold another repository than when the process began: they are made again with each configuration.
        """
        self._git = git
        if git is not None:
            git.keep_trees(self._home / "sessions" / "trees")

    def save(self, state: SessionState) -> None:
        """Write the checkpoint, and the file by which the client's hook decides."""
        self.pending_save.cancel()
        self._detect(state)
        self.store.save(state, {name: log.snapshot.mark() for name, log in self._logs().items()})
        self.gate.write(state)
        self._saved_at = self._clock.now().timestamp()

    def take_tampered(self, state: SessionState) -> tuple[str, ...]:
        """Return the files that someone else changed or removed since the last call, after writing them again."""
        self._detect(state)
        names = tuple(self._tampered)
        if names:
            self.save(state)
        self._tampered = {}
        return names

    def last_reply(self, state: SessionState | None) -> LastReply | None:
        """Return the reply to the last accepted call; only that one is remembered.

        It is in the state, so that a restart does not forget it, and in the archive once it has ended the session.
        """
        if state is not None:
            return state.last_reply
        ended = self.store.ended_last()
        return ended.last_reply if ended and ended.phase_state.current_phase == Phase.SESSION_COMPLETE else None

    def resumed(self, saved: Saved) -> None:
        """Compare the logs with their marks in a checkpoint."""
        logs = {name: log for name, log in self._logs().items() if name in saved.logs}
        self._add_tampered(_log(name) for name, log in logs.items() if not log.snapshot.contains(saved.logs[name]))

    def _detect(self, state: SessionState) -> None:
        """Detect changes by others before anything is overwritten; create missing folders again."""
        sessions = f"{HOME}/sessions"
        self._add_tampered([f"{sessions}/{state.session_id}.json"] if self.store.written.was_changed() else ())
        self._add_tampered([f"{sessions}/gate.json"] if self.gate.written.was_changed() else ())
        self._add_tampered(_log(name) for name, log in self._logs().items() if log.was_changed())
        if not all(folder.is_dir() for folder in (self.store.folder, self.decisions.path.parent)):
            ensure_home(self._root)

    def _add_tampered(self, names: Iterable[str]) -> None:
        self._tampered |= dict.fromkeys(names)

    def _logs(self) -> dict[str, ChainLog]:
        return {"decisions": self.decisions, "outcomes": self.outcomes}

    def saw(self, state: SessionState) -> None:
        """Save a state that differs from the saved one only by observations, at most once a second."""
        self._observed = state
        if self._clock.now().timestamp() - self._saved_at >= limits.SAVE_EVERY_S:
            self.save(state)
        else:
            self.pending_save.schedule(limits.SAVE_EVERY_S)

    def _save_observed(self) -> None:
        with self._mutex:
            if self._observed is not None and self.pending_save.is_pending:
                self.save(self._observed)

    def archive(self, state: SessionState, outcome: str, note: str, changed: Sequence[str] = ()) -> None:
        """Log how the session ended and which files it changed, and move its checkpoint to the archive."""
        self.pending_save.cancel()
        self._detect(state)
        self.log_outcome(state, outcome, note, changed)
        self.gate.remove()
        self.store.archive(state.model_copy(update={"outcome": outcome}))
        settle_copies(self._root, state)
        if self._git is not None:
            self._git.trees.remove()

    def archive_left(self, note: str) -> list[str]:
        """Give up every session that could be resumed: log it as abandoned, archive it; return their ids."""
        archived = []
        for saved in self.store.usable():
            self.archive(saved.state, ABANDONED, note)
            archived.append(saved.state.session_id)
        return archived

    def log_outcome(
        self, state: SessionState, outcome: str, note: str, changed: Sequence[str] = (), by: str = ""
    ) -> None:
        """Append an entry to the log of outcomes; `by` says who recorded it after the end."""
        entry = outcome_entry(state, self.now(), outcome, note, changed)
        self.outcomes.append(self._redact(entry | ({"recorded_by": by} if by else {})))

    def log_decision(
        self, record: AuditRecord, reply: Mapping[str, Any], warnings: Sequence[str], noticed: Sequence[str]
    ) -> None:
        """Append an entry to the log of decisions: the record, the reply, which is already redacted, and what it says
        beside the verdict."""
        encoded = self._audit.write(record)
        redacted = self._redact(encoded)
        said = self._redact({"warnings": list(warnings), "noticed": list(noticed)})
        entry = {**decision_entry(record.state, self.now(), reply, **said), "case": redacted}
        if redacted != encoded:
            entry["masked"] = True  # the verdict of a replay may differ
        self.decisions.append(entry)

    def now(self) -> str:
        """Return the time in ISO 8601 with seconds."""
        return self._clock.now().isoformat(timespec="seconds")


def _log(name: str) -> str:
    return f"{HOME}/logs/{name}.jsonl"
