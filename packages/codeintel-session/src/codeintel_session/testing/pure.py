"""States and decisions without a project: for tests of the machine alone."""

from collections.abc import Iterable
from typing import Any

from codeintel_contract.loader import load
from codeintel_contract.names import TOOL_NAMES, Intent
from codeintel_contract.payloads import PAYLOADS
from codeintel_session.machine.decide import Decision, current, decide
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.state import ObservedCall, PhaseState, SessionState
from codeintel_session.machine.steps import ROWS


def state_at(step: int, **fields: Any) -> SessionState:
    """A session that stands at a step."""
    row = ROWS[step]
    values: dict[str, Any] = {
        "session_id": "20261121_100002_0001",
        "intent": Intent.MODIFY,
        "query": "mend count_all",
        "started_at": "2026-11-21T10:00:02+00:00",
        "phase_state": PhaseState(current_phase=row.phase.value, step=step, ready_substep=row.substep),
        "branch": "llm_task_20261121_100002_0001_from_main",
        "branch_policy": "task",
        "base": "main",
    }
    return SessionState.model_validate(values | fields)


def saw(state: SessionState, tools: Iterable[str] = TOOL_NAMES) -> SessionState:
    """The session with successful calls in its log."""
    return state.model_copy(update={"observed": tuple(ObservedCall(tool=name, digest="") for name in sorted(tools))})


NO_FACTS = Facts()


def judge(state: SessionState, facts: Facts = NO_FACTS, **fields: Any) -> Decision:
    """Decide a submission of the phase the state stands at; a summary is added."""
    key = current(state).key
    payload = PAYLOADS[key].model_validate({"summary": "done", **fields})
    decision = decide(state, payload, facts, load(None).phases[key])
    # `model_copy` takes any name and any type: the state to be must be one that a checkpoint can hold.
    assert SessionState.model_validate(decision.state.model_dump()) == decision.state
    return decision
