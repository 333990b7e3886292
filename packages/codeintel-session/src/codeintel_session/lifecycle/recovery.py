"""Resume a session: choose its checkpoint and describe it."""

from datetime import datetime
from typing import Any

from codeintel_contract import ContractViolation
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.ports import Ports
from codeintel_session.storage.checkpoints import CheckpointStore, Saved
from codeintel_session.storage.seal import Origin


def pick(store: CheckpointStore, session_id: str, live_id: str) -> Saved | None:
    """Return the checkpoint to resume: the named one, or the newest that is not the live session's.

    Raises ContractViolation: `unknown_session`, or `checkpoint_restore_failed` if the checkpoint cannot be used.
    """
    known = [name for name in store.ids() if name != live_id]
    if session_id and session_id not in known:
        raise ContractViolation(
            "tool_errors.get_session_status.unknown_session", session_id=session_id, known=", ".join(known) or "none"
        )
    wanted = session_id or next(iter(known), "")
    return store.load(wanted) if wanted else None


def unsealed(ports: Ports, saved: Saved) -> list[MessageRef]:
    """Report a checkpoint of unknown origin, which is used: another machine, a lost key or a person may explain it."""
    known = ports.seal is None or saved.origin is Origin.OURS
    return [] if known else [MessageRef("session_messages.checkpoint_unsealed", {"session_id": saved.state.session_id})]


def describe(saved: Saved, now: datetime) -> dict[str, Any]:
    """Return the `recovery_available` of a start_session reply."""
    state = saved.state
    return {
        "session_id": state.session_id,
        "phase": state.phase_state.current_phase,
        "step": state.phase_state.step,
        "query": state.query[:200],
        "age_s": max(0, round(now.timestamp() - saved.saved_at)),
        "branch": state.branch,
    }
