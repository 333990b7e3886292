"""Record how a finished session turned out, as the user reports it later, and give up an unfinished one."""

from codeintel_contract import ContractViolation
from codeintel_session.audit.history import last_outcomes
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.user_words import Who
from codeintel_session.records import ABANDONED
from codeintel_session.service import SessionService
from codeintel_session.storage.checkpoints import readable

OUTCOMES = ("success", "failure", "partial", ABANDONED)


def record_outcome(
    service: SessionService, outcome: str, session_id: str, note: str, by: Who = Who.AGENT
) -> SessionState:
    """Log an outcome for a session, the newest if none is named; return the session.

    `abandoned` gives up the session that is running or can be resumed; every other outcome needs a finished session.

    Raises ContractViolation: `invalid_outcome`, or there is no such session.
    """
    if outcome == ABANDONED:
        if service.state is None or session_id not in ("", service.state.session_id):
            service.status(session_id)  # resumes it
        return service.give_up(ABANDONED, note)
    if outcome not in OUTCOMES:
        raise ContractViolation(
            "tool_errors.record_outcome.invalid_outcome", outcome=repr(outcome), known=", ".join(OUTCOMES)
        )
    state = _finished(service, session_id)
    service.records.log_outcome(state, outcome, note, by=by)
    return state


def _finished(service: SessionService, session_id: str) -> SessionState:
    service.open_home()
    named = (path for path in service.records.store.archived() if session_id in ("", path.stem))
    if (state := next(readable(named), None)) is None:
        raise ContractViolation("tool_errors.record_outcome.unknown_session", session_id=session_id or "to record for")
    return state


def last_changed(service: SessionService, session_id: str) -> list[str]:
    """Return the files that a finished session changed, as its outcome was logged when it ended."""
    entry = last_outcomes(service.records.outcomes.read()).get(session_id, {})
    return [str(path) for path in entry.get("changed", ())]
