"""The session of one project: start, submit, status, and the tool calls observed. One lock around all of it.

`submit` is the only way forward: read the payload, collect facts, judge (pure), carry out effects, save, reply. If
anything before the checkpoint fails, the session stays exactly where it was.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from codeintel_contract import Contract, ContractViolation, Exploration, Payload, QueryFrame
from codeintel_session.audit.audit_codec import AuditRecord
from codeintel_session.audit.history import earlier
from codeintel_session.git import GitFault
from codeintel_session.git.session_diff import changed_paths, one_moment
from codeintel_session.integrity.closed_phase import OUT_OF_PHASE
from codeintel_session.integrity.external_changes import ExternalChanges
from codeintel_session.integrity.left_behind import notes_at_end
from codeintel_session.lifecycle import recovery, session_start
from codeintel_session.machine import limits, observations
from codeintel_session.machine.decide import Decision, current, note_echo
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.outcome import Outcome
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.verdict import EndSession, MessageRef
from codeintel_session.machine.write_policy import moved_by_session
from codeintel_session.ports import Ports
from codeintel_session.records import Records
from codeintel_session.replies import notices
from codeintel_session.replies.brief import take_mark
from codeintel_session.replies.reply import (
    Reply,
    accepted_reply,
    bound_reply,
    ending_reply,
    reasons_of,
    refusal_reply,
    render_message,
    rendered_assessment,
    stuck,
)
from codeintel_session.replies.status import status_reply, unreported
from codeintel_session.replies.truncation import json_size
from codeintel_session.storage.home import ensure_home
from codeintel_session.storage.lock import SessionLock
from codeintel_session.submission import submit_call
from codeintel_session.submission.collect_facts import collect_facts
from codeintel_session.submission.effects_runner import run, with_tree
from codeintel_session.submission.elicitation import Question, UserAnswer
from codeintel_session.submission.submission import Row, Submission, WorldFailure, git_failed, judge, parse_row, read
from codeintel_session.submission.submit_call import SubmitCall, reason_to_stop
from codeintel_session.submission.user_decisions import question_of

Change = Mapping[str, Any] | Callable[[SessionState], Mapping[str, Any]]


class SessionService:
    """All sessions of one project root, at most one at a time. Thread-safe; methods block."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self._mutex = threading.RLock()
        self._submitting = threading.Lock()  # taken before the other one: a call of submit is not interleaved
        self._state: SessionState | None = None
        self._contract: Contract | None = None
        self._told: tuple[str, int] | None = None
        self.running: list[str] = []  # verifiers: who waits no longer for a reply sees them in the status
        self.said: set[str] = set()  # the warnings that the agent has had
        self.records = Records(ports, self._mutex)
        shared = ports.git.git_dir / "codeintel" if ports.git and ports.git.root != ports.git.top else None
        self.lock = SessionLock(self.records.store.folder, shared)
        self.external_changes = ExternalChanges(self.records, self.lock)

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

        Raises ContractViolation: `no_active_session`, saying whether one can be resumed.
        """
        if self._state is not None:
            return self._state
        for session_id in self.records.store.ids():
            raise ContractViolation("session_messages.no_active_session_resumable", session_id=session_id)
        raise ContractViolation("session_messages.no_active_session")

    def start(
        self,
        intent: str,
        query: str,
        flags: object = None,
        *,
        discard_active: bool = False,
        client: str = "",
        answer: UserAnswer | None = None,
    ) -> Reply:
        """Begin a session; an unfinished one of this process is archived if `discard_active` says so.

        `client` is the name by which the user's prompts are found, `answer` what the user said about the flags.

        Raises ContractViolation: bad intent, query or flags, another session, or a repository that is not ready.
        """
        with self._mutex:
            chosen, checked, said = session_start.read_request(intent, query, flags)
            checked = session_start.confirm_flags(checked, answer)
            self._refuse_unfinished(discard_active)
            contract = self.ports.library.contract()
            session_start.check_repository(self.ports, chosen, checked)
            with self._locked():
                self.records.use_git(self.ports.git)
                past = list(self.records.outcomes.read())
                with one_moment(self.ports.git):
                    state = session_start.open_session(
                        self.ports, chosen, query, checked, contract.digest, client, past, confirmed=answer is not None
                    )
                self._retire(Outcome.DISCARDED, "discarded for a new session")
                unfinished = next(self.records.store.usable(), None)
                self._keep(state)
                self._contract, self.said = contract, set()
                self.external_changes.begin()
            reply = accepted_reply(contract, state)
            before = notices.asked_before(earlier(past, query))
            lines = [*said, *notices.on_start(state), *before, *notices.on_entry(self.ports, state)]
            if unfinished is not None:
                reply["recovery_available"] = recovery.describe(unfinished, self.ports.clock.now())
                reply["message"] = render_message(contract, MessageRef("session_messages.checkpoint_recovery"))
            self._told = _place(state)
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

    def start_question(self, intent: str, query: str, flags: object, client: str) -> tuple[str, tuple[str, ...]] | None:
        """Return what the user should be asked before a session with these flags begins; None if nothing."""
        return self._asked(session_start.question_at_start(self.ports, intent, query, flags, client))

    def question(self, data: object) -> tuple[str, tuple[str, ...]] | None:
        """Return what the user should be asked before `data` is submitted, text and options; None if nothing."""
        row = parse_row(data)
        with self._mutex:
            done = self._accepted_before(row)
            if self._state is None or done == len(row):
                return None
            return self._asked(question_of(self.ports, self.contract, self._state, row[done]))

    def _asked(self, question: Question | None) -> tuple[str, tuple[str, ...]] | None:
        return (render_message(self.contract, question.say), question.options) if question else None

    def submit(
        self,
        data: object,
        answer: UserAnswer | None = None,
        *,
        can_ask: bool = False,
        run: Callable[[str], Reply] | None = None,
    ) -> Reply:
        """Submit the current phase, or a row of payloads for it and the phases after it. Refusals are replies.

        Each payload of a row is judged, performed, stored and logged alone. The first refusal ends the row; what was
        accepted before it remains accepted. A payload for another phase than the present one ends the row without a
        refusal. A row that was cut off can be submitted again: what was accepted then is passed over.

        Args:
            data: the payload or the list of them, or their JSON text; or the `Row` that was parsed to ask the user.
            answer: what the user said, if they were asked about the first payload that is not accepted yet.
            can_ask: the user can be asked, so a later payload that needs them ends the row.
            run: runs a verifier, and returns what the reply says of it. A pass that needs receipts has them made.

        Raises ContractViolation: there is no session, or another process has taken the project over.
        """
        row = parse_row(data)
        with self._submitting:
            with self._mutex:
                done = self._accepted_before(row)
                if done == len(row):
                    return self._same_reply()
                self.require()
                self.external_changes.hold()
            call = SubmitCall(row, [part.digest for part in row[:done]], first=done, can_ask=can_ask)
            for number, submission in enumerate(row[done:], start=done):
                if run is not None:  # it takes minutes, so the session is not locked meanwhile
                    with self._mutex, one_moment(self.ports.git):
                        names = submit_call.verifiers_to_run(self.ports, self.contract, self._state, submission)
                    call.have_run(names, run)
                with self._mutex, one_moment(self.ports.git):
                    reply = self._next(number, submission, answer, call)
                if call.is_stopped or not reply["success"]:
                    break
            self._told = _place(self._state)
            return reply

    def _next(self, number: int, submission: Submission, answer: UserAnswer | None, call: SubmitCall) -> Reply:
        """Submit one payload of a row, after a no to the questions that it passes over; or say why the row ends."""
        while self._state is not None and (no := submit_call.passed_over(self.contract, self._state, submission)):
            if not (reply := self._submit(no, None, call))["success"]:
                return reply
        may_ask = call.can_ask and number > call.first
        if why := reason_to_stop(self.ports, self.contract, self._state, submission, number, may_ask=may_ask):
            return self._stopped(call, why)
        return self._submit(submission, answer if number == call.first else None, call)

    def _submit(self, submission: Submission, answer: UserAnswer | None, call: SubmitCall) -> Reply:
        facts: Facts | None = None
        try:
            if call.fault is not None:
                raise call.fault
            state = self.look()
            payload = read(self.contract, state, submission, answer)
            facts = collect_facts(self.ports, state, payload, answer)
            decision = judge(self.contract, state, payload, facts)
            after = run(self.ports.git, decision.state, decision.effects)
        except ContractViolation as violation:
            if by_world := isinstance(violation, WorldFailure):
                self._state = with_tree(self.ports.git, self.require())
            return self._refuse(violation, AuditRecord(self.require(), submission, answer, facts, by_world), call)
        call.accept(current(state).key.value, submission.digest)
        return self._accept(AuditRecord(state, submission, answer, facts), payload, decision, after, call)

    def _accepted_before(self, row: Row) -> int:
        """Return how many payloads of a row an earlier call accepted: its reply, or the rest of the row, was lost."""
        return submit_call.accepted_before(row, self.records.last_reply(self._state), has_ended=self._state is None)

    def _same_reply(self) -> Reply:
        last = self.records.last_reply(self._state)
        assert last is not None
        again = render_message(self.contract, MessageRef("session_messages.resubmitted"))
        return bound_reply({**last.reply, "notices": [again, *last.reply.get("notices", ())]})

    def _stopped(self, call: SubmitCall, why: MessageRef) -> Reply:
        call.is_stopped = True
        if self._state is None:
            return {**self._same_reply(), "notices": [render_message(self.contract, why)]}
        if call.accepted:  # the call ends, and it was accepted
            self._keep(self._state.model_copy(update={"observed": ()}))
        self._told = _place(self._state)
        reply = {**accepted_reply(self.contract, self._state), **call.carried(), "accepted": call.accepted}
        return self._finish(reply, (why, *notices.after_submission(self.ports, self._state, is_last=True)))

    def look(self) -> SessionState:
        """Return the session after a look at what was changed by others; the next reply says what was found.

        Raises ContractViolation: there is no session. Raises WorldFailure: git cannot be asked.
        """
        with self._mutex:
            try:
                self._state = self.external_changes.look(self.ports, self.require())
            except GitFault as fault:
                raise git_failed(fault) from fault
            return self._state

    def _refuse(self, violation: ContractViolation, record: AuditRecord, call: SubmitCall) -> Reply:
        echo = record.submission.echo
        # A payload that is refused may lack its count for the reason that it is refused; a different one tells.
        state, is_lost = self._note_echo(record.state, record.state.compaction_count if echo is None else echo)
        reply = refusal_reply(self.contract, violation, state, is_known=self._told == _place(state) and not is_lost)
        reply |= call.carried()
        if is_lost:
            reply["phase_summaries"] = dict(state.summaries)
        refusals = (*state.counters.refusals, "; ".join(reasons_of(reply))[:300])[-limits.REFUSALS_KEPT :]
        counters = state.counters.model_copy(update={"refusals": refusals})
        if len(refusals) >= state.limits.refusals:
            reply |= stuck(self.contract, state, refusals)
        self._keep(state.model_copy(update={"counters": counters}))
        reply = self._finish(reply, notices.after_loss(self.ports, state) if is_lost else ())
        self._log(record, reply)
        return reply

    def _log(self, record: AuditRecord, reply: Reply, warnings: Sequence[MessageRef] = ()) -> None:
        said = (warnings, self.external_changes.taken)
        self.records.log_decision(record, reply, *([render_message(self.contract, say) for say in one] for one in said))

    def _note_echo(self, state: SessionState, received: int | None) -> tuple[SessionState, bool]:
        """Note the agent's echo; tell whether its context is lost, by the echo or by what the client's hook says."""
        state, is_lost = note_echo(state, received)
        return state, take_mark(self.records.store.folder) or is_lost

    def _accept(
        self, record: AuditRecord, payload: Payload, decision: Decision, after: SessionState, call: SubmitCall
    ) -> Reply:
        after, is_lost = self._note_echo(after, payload.compaction_count)
        if decision.ending is not None:
            return self._end(record, decision, after, call)
        reply = accepted_reply(self.contract, after, hints=decision.hints)
        if isinstance(payload, QueryFrame | Exploration):
            reply["assessment"] = rendered_assessment(self.contract, after.assessment)
        if is_lost:
            reply["phase_summaries"] = dict(after.summaries)
            self.said.clear()
        call.carry(reply, {render_message(self.contract, say): say.key for say in decision.warnings}, self.said)
        if not call.is_over:
            after = after.model_copy(update={"observed": record.state.observed})
        lines = notices.after_submission(self.ports, after, payload.summary, is_last=call.is_over, is_lost=is_lost)
        reply = self._finish(reply | call.carried(), lines)
        self._keep(after.model_copy(update={"last_reply": call.last(reply)}))
        self._log(record, reply, decision.warnings)
        return reply

    def _finish(self, reply: Reply, lines: Sequence[MessageRef]) -> Reply:
        """Add the notices, redact secrets, bound the size: after this nothing of a reply changes."""
        found = (*self.external_changes.take(), *lines)
        if any(say.key == OUT_OF_PHASE for say in found) and self._state is not None:
            reply["changed_out_of_phase"] = moved_by_session(self._state)
        if texts := [render_message(self.contract, say) for say in found]:
            reply["notices"] = texts
        return bound_reply(self.ports.redact(reply))

    def _end(self, record: AuditRecord, decision: Decision, state: SessionState, call: SubmitCall) -> Reply:
        ending = next(effect for effect in decision.effects if isinstance(effect, EndSession))
        notes = {**ending.notes, **state.notes, **notes_at_end(self.ports, state)}
        state = state.model_copy(update=ending.update() | {"notes": notes})
        assert decision.ending is not None
        reply = ending_reply(self.contract, state, decision.ending, self.ports.reports.place(state.session_id))
        call.carry(reply, {render_message(self.contract, say): say.key for say in decision.warnings}, self.said)
        reply = self._finish(reply | call.carried(), ())
        cost = observations.Cost(json_size({"data": [part.fields for part in call.row]}), json_size(reply))
        state = observations.spend(state.model_copy(update={"last_reply": call.last(reply)}), cost)
        self._log(record, reply, decision.warnings)
        changed = changed_paths(self.ports.git, state)
        self.records.archive(state, ending.outcome, "", changed)
        self._state, self._contract = None, None
        # Whoever continued with this session gave the older ones up: none of them may come back after it.
        self.records.archive_left(f"given up for session {state.session_id}")
        self.lock.release()
        self.ports.reports.write(state)
        # Last: the session has ended whether or not this is kept.
        if ending.outcome == Outcome.VERIFIED and not ending.doubts and state.intent.implements:
            self.ports.code.learn(state, changed, self.records.now())
        return reply

    def give_up(self, outcome: str, note: str) -> SessionState:
        """End the running session in its present phase and return it; its branch and the working tree stay as is."""
        with self._mutex:
            state = self.require()
            self._retire(outcome, note)
            self.lock.release()
            return state

    def give_up_left(self) -> list[str]:
        """Give up the sessions that could be resumed, while none is running; return their ids."""
        with self._mutex:
            return self.records.archive_left("given up by cleanup_stale_branches")

    def _retire(self, outcome: str, note: str) -> None:
        """Put the running session away, if there is one, with its report; another follows under the same lock."""
        if (state := self._state) is not None:
            self.records.archive(state, outcome, note, changed_paths(self.ports.git, state))
            self._state, self._contract = None, None
            self.ports.reports.write(state.model_copy(update={"outcome": outcome}))

    def status(self, session_id: str = "", *, discard_active: bool = False) -> Reply:
        """Return the state of the session; without one in memory, the newest checkpoint (or the named one) is resumed.

        Raises ContractViolation: nothing to resume, or a checkpoint that cannot be used.
        """
        with self._mutex:
            lines: list[MessageRef] = []
            is_here = self._state is not None and session_id == self._state.session_id
            if is_resumed := self._state is None or bool((discard_active or session_id) and not is_here):
                lines = self._resume(session_id, discard_active)
            state = self.require()
            reply = status_reply(self.ports, self.contract, state)
            found = [*unreported(state, reply["changed"]), *lines] if is_resumed else []
            lines = [*notices.on_run(self.ports, state, self.running), *found, *notices.on_entry(self.ports, state)]
            if texts := [render_message(self.contract, say) for say in lines]:
                reply["notices"] = texts
            self._told = _place(state)
            return bound_reply(reply, limits.STATUS_BYTES)

    def _resume(self, session_id: str, discard_active: bool) -> list[MessageRef]:
        self._refuse_unfinished(discard_active)
        if not session_id and not self.records.store.ids():
            return []
        with self._locked():
            saved = recovery.pick(self.records.store, session_id, self._state.session_id if self._state else "")
            if saved is None:
                return []
            contract = self.ports.library.contract(saved.state.contract_source)
            self._retire(Outcome.DISCARDED, "discarded to resume another session")
            self.records.resumed(saved)
            self._keep(saved.state)
            self._contract, self.said = contract, set()
            self.external_changes.begin()
        lines = [*recovery.unsealed(self.ports, saved), *notices.after_resume(self.ports, saved.state)]
        return [*lines, *notices.contract_changed(self.ports, saved.state)]

    def observe(self, seen: observations.ToolCall | observations.Cost) -> None:
        """Take a call of one of our tools, or its cost, into the state; nothing without a session."""
        with self._mutex:
            if self._state is not None:
                self._state = observations.observe(self._state, seen)
                self.records.saw(self._state)

    def change(self, update: Change) -> SessionState:
        """Set fields of the running session and save; used by the session's own tools.

        A function is given the state as it is under the lock, for fields that depend on what they were.
        """
        with self._mutex:
            state = self.require()
            self._keep(state.model_copy(update=update(state) if callable(update) else update))
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


def _place(state: SessionState | None) -> tuple[str, int] | None:
    """Return what differs between any two entries of a phase; a refusal repeats nothing of what its entry said."""
    return (state.session_id, len(state.completed_steps)) if state is not None else None
