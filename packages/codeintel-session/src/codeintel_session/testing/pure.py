"""States and decisions without a project, for tests of the machine alone."""

from collections.abc import Iterable
from typing import Any

from codeintel_contract import PAYLOADS, TOOL_NAMES, Intent, load_contract
from codeintel_session.machine.decide import Decision, current, decide
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.state import ObservedCall, PhaseState, SessionState
from codeintel_session.machine.steps import ROWS

CHECKED = "a.py"
"""The file that the write checks of `saw` are about."""


def state_at(step: int, **fields: Any) -> SessionState:
    """Return a session at a step."""
    row = ROWS[step]
    values: dict[str, Any] = {
        "session_id": "20261121_100002_0001",
        "intent": Intent.MODIFY,
        "query": "fix count_all",
        "started_at": "2026-11-21T10:00:02+00:00",
        "phase_state": PhaseState(current_phase=row.phase.value, step=step, ready_substep=row.substep),
        "branch": "llm_task_20261121_100002_0001_from_main",
        "branch_policy": "task",
        "base": "main",
    }
    return SessionState.model_validate(values | fields)


def saw(state: SessionState, tools: Iterable[str] = TOOL_NAMES) -> SessionState:
    """Return the session with successful calls in its log."""
    observed = tuple(ObservedCall(tool=name, digest="") for name in sorted(tools))
    return state.model_copy(update={"observed": observed})


NO_FACTS = Facts()


def judge(state: SessionState, facts: Facts = NO_FACTS, **fields: Any) -> Decision:
    """Decide a submission of the present phase; adds a summary if there is none."""
    key = current(state).key
    payload = PAYLOADS[key].model_validate({"summary": "done", **fields})
    decision = decide(state, payload, facts, load_contract(None).phases[key])
    # `model_copy` accepts any name and any type: a checkpoint must be able to hold the next state.
    assert SessionState.model_validate(decision.state.model_dump()) == decision.state
    return decision
