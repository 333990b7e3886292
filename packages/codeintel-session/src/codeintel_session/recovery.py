"""Resuming: which checkpoint, what to tell of it, and the overview a resumed agent needs."""

from datetime import datetime
from typing import Any

from codeintel_contract.violations import ContractViolation

from .adapters.checkpoints import CheckpointStore, Saved
from .adapters.seal import Origin
from .machine.state import SessionState
from .machine.verdict import Say
from .ports import Ports
from .reply import task_progress

SHOWN_FILES = 20


def newest(store: CheckpointStore) -> Saved | None:
    """The newest checkpoint that can be used; one that cannot is set aside by the store and passed over."""
    for session_id in store.ids():
        try:
            return store.load(session_id)
        except ContractViolation:
            continue
    return None


def pick(store: CheckpointStore, session_id: str, live_id: str) -> Saved | None:
    """The checkpoint to resume: the named one, or the newest that is not the live session's.

    Raises:
        ContractViolation: `unknown_session`, or `checkpoint_restore_failed` if it cannot be used.
    """
    known = [name for name in store.ids() if name != live_id]
    if session_id and session_id not in known:
        raise ContractViolation(
            "tool_errors.get_session_status.unknown_session", session_id=session_id, known=", ".join(known) or "none"
        )
    wanted = session_id or next(iter(known), "")
    return store.load(wanted) if wanted else None


def unsealed(ports: Ports, saved: Saved) -> list[Say]:
    """A checkpoint of unknown origin is used, and said: another machine wrote it, a lost key, or somebody's hand."""
    known = ports.seal is None or saved.origin is Origin.OURS
    return [] if known else [Say("session_messages.checkpoint_unsealed", {"session_id": saved.state.session_id})]


def describe(saved: Saved, now: datetime) -> dict[str, Any]:
    """`recovery_available` of a start_session reply."""
    state = saved.state
    return {
        "session_id": state.session_id,
        "phase": state.phase_state.current_phase,
        "step": state.phase_state.step,
        "query": state.query[:200],
        "age_s": max(0, round(now.timestamp() - saved.saved_at)),
        "branch": state.branch,
    }


def overview(state: SessionState) -> dict[str, Any]:
    """What get_session_status tells beside the position."""
    progress = task_progress(state)
    return {
        "completed_steps": list(state.completed_steps),
        "flags": state.flags.active(),
        "intent": state.intent.value,
        "query": state.query[:1000],
        "task_progress": {**progress["progress"], "next_task": progress.get("next_task")},
        "explored_files": {"count": len(state.explored), "first": list(state.explored[:SHOWN_FILES])},
        "phase_summaries": dict(state.summaries),
    }
