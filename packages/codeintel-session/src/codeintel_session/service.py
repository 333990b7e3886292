"""The session of one project: start, submit, status, and what the tools saw. One lock around all of it.

`submit` is the only way on: decode, check, gather facts, decide (pure), carry out effects, checkpoint,
reply. If anything before the checkpoint fails, the session stands exactly where it stood.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from codeintel_contract.loader import Contract
from codeintel_contract.payloads import Exploration, Payload, QueryFrame
from codeintel_contract.violations import ContractViolation

from . import notices, recovery
from .adapters.git import GitFault
from .adapters.home import ensure_home
from .adapters.lock import SessionLock
from .brief import take_mark
from .changed import changes_of
from .gather import gather
from .judging import Case, judge
from .machine import limits, watch
from .machine.compaction import note_echo
from .machine.decide import Decision, current
from .machine.effects import EndSession
from .machine.facts import Facts
from .machine.state import LastReply, SessionState
from .machine.verdict import Say
from .opening import check_repository, open_session, read_request
from .ports import Ports
from .questions import Answer, question_for
from .reading import read
from .records import Records
from .reply import Reply, accepted, bounded, ended, refused, stuck, text_of
from .resubmit import again, digest
from .runner import run
from .wires import Wires

Change = Mapping[str, Any] | Callable[[SessionState], Mapping[str, Any]]


class SessionService:
    """All sessions of one project root, at most one at a time. Thread-safe; methods block."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self._mutex = threading.RLock()
        self._state: SessionState | None = None
        self._contract: Contract | None = None
        self.records = Records(ports, self._mutex)
        self.lock = SessionLock(self.records.store.folder)
        self.wires = Wires(self.records, self.lock)

    def open_home(self) -> None:
        """Make `.code-intel` if it is not there; called before anything is read from or written to it."""
        ensure_home(self.ports.root)

    @property
    def contract(self) -> Contract:
        """The running session's contract; without a session the project's."""
        return self._contract or self.ports.library.contract()

    @property
    def state(self) -> SessionState | None:
        """The running session, if there is one."""
        return self._state

    def require(self) -> SessionState:
        """The running session.

        Raises:
            ContractViolation: `no_active_session`, saying whether one can be resumed.
        """
        if self._state is not None:
            return self._state
        for session_id in self.records.store.ids():
            raise ContractViolation("session_messages.no_active_session_resumable", session_id=session_id)
        raise ContractViolation("session_messages.no_active_session")

    def start(self, intent: str, query: str, flags: object = None, *, discard_active: bool = False) -> Reply:
        """Begin a session; an unfinished one of this process is archived only if asked to.

        Raises:
            ContractViolation: bad intent, query or flags, another session, or a repository that is not ready.
        """
        with self._mutex:
            chosen, checked, said = read_request(intent, query, flags)
            self._refuse_unfinished(discard_active)
            contract = self.ports.library.contract()
            check_repository(self.ports, chosen, checked)
            with self._locked():
                state = open_session(self.ports, chosen, query, checked, contract.digest)
                self._retire("partial", "discarded for a new session")
                older = recovery.newest(self.records.store)
                self._keep(state)
                self._contract = contract
                self.wires.begin()
            reply = accepted(contract, state)
            lines = [*said, *notices.asked_before(self.records.earlier(query)), *notices.on_entry(self.ports, state)]
            if older is not None:
                reply["recovery_available"] = recovery.describe(older, self.ports.clock.now())
                reply["message"] = text_of(contract, Say("session_messages.checkpoint_recovery"))
            return self._finish(reply, lines)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the project's lock from here on; let go of it again if no session came of it."""
        self.open_home()
        self.lock.acquire(self.records.now())
        try:
            yield
        finally:
            if self._state is None:
                self.lock.release()

    def _refuse_unfinished(self, discard_active: bool) -> None:
        if self._state is not None and not discard_active:
            raise ContractViolation(
                "tool_errors.start_session.session_unfinished",
                session_id=self._state.session_id,
                phase=self._state.phase_state.current_phase,
            )

    def question(self, data: object) -> tuple[str, tuple[str, ...]] | None:
        """What the user should be asked before this is submitted: text and options; None if nothing."""
        with self._mutex:
            if self._state is None or again(self.contract, self._state, self.records.store, data) is not None:
                return None
            try:
                asked = question_for(self._state, read(self.contract, self._state, data))
            except ContractViolation:
                return None  # submit will refuse it and say why
            return (text_of(self.contract, asked.say), asked.options) if asked else None

    def submit(self, data: object, answer: Answer | None = None) -> Reply:
        """Hand in the present phase, with the user's answer if they were asked. Refusals are replies.

        Raises:
            ContractViolation: there is no session, or another process has taken the project over.
        """
        with self._mutex:
            if (known := again(self.contract, self._state, self.records.store, data)) is not None:
                return known
            case = Case(self.require(), data, answer)
            self.wires.hold()
            try:
                case.state = self.look()
                payload, decision = judge(case, self.contract, partial(self._facts, case.state))
                after = run(self.ports.git, decision.state, decision.effects)
            except ContractViolation as violation:
                return self._refuse(case, violation)
            except GitFault as fault:  # no judge foresaw it: while looking, or between two effects
                return self._refuse(case, ContractViolation("common_failures.git_failed", why=str(fault)))
            return self._accept(case, after, decision, payload, digest(data))

    def _facts(self, state: SessionState, payload: Payload) -> Facts:
        return gather(self.ports, state, current(state).key, payload)

    def look(self) -> SessionState:
        """The session after a look at what was changed behind its back; the next reply says what was found.

        Raises:
            ContractViolation: there is no session.
            GitFault: git cannot be asked.
        """
        with self._mutex:
            self._state = self.wires.look(self.ports, self.require())
            return self._state

    def _refuse(self, case: Case, violation: ContractViolation) -> Reply:
        state = case.state
        reply = refused(self.contract, violation, state)
        problem = "; ".join(reply["problems"])
        refusals = (*state.counters.refusals, problem[:300])[-limits.REFUSALS_KEPT :]
        counters = state.counters.model_copy(update={"refusals": refusals})
        if len(refusals) >= state.limits.refusals:
            reply |= stuck(self.contract, state, refusals)
        self._keep(state.model_copy(update={"counters": counters}))
        reply = self._finish(reply, ())
        self.records.log_decision(case, reply)
        return reply

    def _accept(self, case: Case, after: SessionState, decision: Decision, payload: Payload, key: str) -> Reply:
        after, tell = note_echo(after, payload.compaction_count)
        tell = take_mark(self.records.store.folder) or tell
        if decision.ending is not None:
            return self._end(case, after, decision, key)
        reply = accepted(self.contract, after, warnings=decision.warnings, hints=decision.hints)
        if isinstance(payload, QueryFrame | Exploration):
            reply["assessment"] = after.assessment
        if tell:
            reply["phase_summaries"] = dict(after.summaries)
        reply = self._finish(reply, notices.after_submission(self.ports, after, payload.summary))
        self._keep(after.model_copy(update={"last_reply": LastReply(digest=key, reply=reply)}))
        self.records.log_decision(case, reply)
        return reply

    def _finish(self, reply: Reply, lines: Sequence[Say]) -> Reply:
        if texts := [text_of(self.contract, say) for say in (*self.wires.take(), *lines)]:
            reply["notices"] = texts
        return bounded(reply)

    def _end(self, case: Case, state: SessionState, decision: Decision, key: str) -> Reply:
        ending = next(effect for effect in decision.effects if isinstance(effect, EndSession))
        state = state.model_copy(update={"outcome": ending.outcome})
        assert decision.ending is not None
        place = self.ports.reports.place(state.session_id)
        reply = self._finish(ended(self.contract, state, decision.ending, place, decision.warnings), ())
        state = state.model_copy(update={"last_reply": LastReply(digest=key, reply=reply)})
        self.records.log_decision(case, reply)
        changed = [change.path for change in changes_of(self.ports, state) if not change.older]
        self._archive(state, ending.outcome, "", changed)
        self.lock.release()
        self.ports.reports.write(state)
        if ending.verified and state.intent.implements:  # last: the session has ended whether or not this is kept
            self.ports.code.learn(state, changed, self.records.now())
        return reply

    def _retire(self, outcome: str, note: str) -> None:
        """Put the running session away, if there is one; another follows under the same lock."""
        if self._state is not None:
            self._archive(self._state, outcome, note)

    def _archive(self, state: SessionState, outcome: str, note: str, changed: Sequence[str] = ()) -> None:
        """Log the outcome and archive the checkpoint: after this there is no session."""
        self.records.archive(state, outcome, note, changed)
        self._state, self._contract = None, None

    def status(self, session_id: str = "", *, discard_active: bool = False) -> Reply:
        """Where the session stands; without one in memory, the newest checkpoint (or the named one) is resumed.

        Raises:
            ContractViolation: nothing to resume, or a checkpoint that cannot be used.
        """
        with self._mutex:
            lines: list[Say] = []
            is_here = self._state is not None and session_id == self._state.session_id
            if self._state is None or (discard_active and not is_here) or (session_id and not is_here):
                lines = self._resume(session_id, discard_active)
            state = self.require()
            reply = accepted(self.contract, state) | recovery.overview(state)
            if texts := [text_of(self.contract, say) for say in (*lines, *notices.on_entry(self.ports, state))]:
                reply["notices"] = texts
            return bounded(reply, limits.STATUS_BYTES)

    def _resume(self, session_id: str, discard_active: bool) -> list[Say]:
        self._refuse_unfinished(discard_active)
        if not session_id and not self.records.store.ids():
            return []
        with self._locked():
            saved = recovery.pick(self.records.store, session_id, self._state.session_id if self._state else "")
            if saved is None:
                return []
            contract = self.ports.library.contract(saved.state.contract_source)
            self._retire("partial", "discarded to resume another session")
            self.records.resumed(saved)
            self._keep(saved.state)
            self._contract = contract
            self.wires.begin()
        lines = [*recovery.unsealed(self.ports, saved), *notices.after_resume(self.ports, saved.state)]
        return [*lines, *notices.contract_changed(self.ports, saved.state)]

    def observe(self, seen: watch.Seen) -> None:
        """Take a call of one of our tools into the log, the seen set and the counters; nothing without a session."""
        with self._mutex:
            if self._state is None:
                return
            self._state = watch.observe(self._state, seen)
            self.records.saw(self._state)

    def change(self, update: Change) -> SessionState:
        """Set fields of the running session and save; used by the session's own tools.

        A function is given the state as it is under the lock, for fields that depend on what they were.
        """
        with self._mutex:
            state = self.require()
            fields = update(state) if callable(update) else update
            self._keep(state.model_copy(update=fields))
            return self.require()

    def close(self) -> None:
        """Save what is not saved yet and let go of the lock; the session can be resumed."""
        with self._mutex:
            try:
                if self._state is not None:
                    self._keep(self._state)
            finally:
                self.records.gate.remove()
                self.lock.release()

    def _keep(self, state: SessionState) -> None:
        """On disk first, then in memory: what could not be saved has not happened."""
        self.records.save(state)
        self._state = state
