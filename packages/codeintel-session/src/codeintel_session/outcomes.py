"""How a finished session turned out in the end, told by the user after the fact."""

from codeintel_contract.violations import ContractViolation
from codeintel_session.adapters.checkpoints import Unreadable, decode
from codeintel_session.machine.state import SessionState
from codeintel_session.service import SessionService

OUTCOMES = ("success", "failure", "partial")


def record(service: SessionService, outcome: str, session_id: str, note: str) -> str:
    """Log an outcome for a finished session, the newest if none is named; returns its id.

    Raises:
        ContractViolation: `invalid_outcome` or `unknown_session`.
    """
    if outcome not in OUTCOMES:
        raise ContractViolation(
            "tool_errors.record_outcome.invalid_outcome", outcome=repr(outcome), known=", ".join(OUTCOMES)
        )
    state = _finished(service, session_id)
    service.records.log_outcome(state, outcome, note)
    return state.session_id


def _finished(service: SessionService, session_id: str) -> SessionState:
    service.open_home()
    for path in service.records.store.archived():
        if session_id in ("", path.stem):
            try:
                return decode(path.read_bytes())
            except Unreadable:
                continue
    raise ContractViolation("tool_errors.record_outcome.unknown_session", session_id=session_id or "to record for")
