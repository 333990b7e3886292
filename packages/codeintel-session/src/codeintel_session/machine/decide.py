"""Decide one submission: checks, judge, table. Pure: the same values give the same decision.

An illegal submission raises `ContractViolation` and no new state exists. A legal one returns its effects and the state
that holds once they have been carried out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codeintel_contract import (
    EXPLORATION_TOOLS,
    TOOL_NAMES,
    ContractViolation,
    Exploration,
    Key,
    Payload,
    Phase,
    PhaseEntry,
    ReadyImpl,
    WithTools,
    plain_tool,
)
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.judges import JUDGES
from codeintel_session.machine.limits import SUMMARY_CHARS
from codeintel_session.machine.naming import is_markup
from codeintel_session.machine.outcome import conclude
from codeintel_session.machine.state import PhaseState, SessionState
from codeintel_session.machine.steps import END, ROWS, START, Step, active_tags, next_step
from codeintel_session.machine.verdict import CreateBranch, Effect, EndSession, MessageRef, Verdict

ONCE = frozenset({"analyze_impact", "check_write_target"})
"""A call of it holds for the whole session, where a contract requires it."""
CONTROL_TOOLS = frozenset({"start_session", "submit_phase", "get_session_status"})
"""The tools of the protocol itself: naming them in `tools_used` proves nothing and does no harm."""


def still_required(state: SessionState, required: Iterable[str]) -> list[str]:
    """Return the tools of a phase's contract without those whose call in an earlier phase still holds."""
    held = (ONCE & set(state.called)) - state.tools_called()
    return [name for name in required if name not in held]


def check_tools(state: SessionState, used: Sequence[str] | None, required: Iterable[str], min_distinct: int) -> None:
    """Compare what the contract requires and what the agent reports with the calls the server observed.

    Whoever looked at the code while reading the documents need not look again: for the exploration all calls of the
    session count.

    Raises ContractViolation: too few exploration tools; a required tool was not called, or not reported; a tool of ours
    was reported and not called. The first of these that applies.
    """
    seen = state.tools_called()
    exploring = len((seen | set(state.called)) & EXPLORATION_TOOLS)
    if exploring < min_distinct:
        raise ContractViolation("common_failures.exploration_min_tools", count=exploring, needed=min_distinct)
    needed = still_required(state, required)
    if missing := [name for name in needed if name not in seen]:
        raise ContractViolation("common_failures.required_tools_not_used", missing_list=", ".join(missing))
    if used is None:  # then the agent claims nothing beside what the server saw
        return
    claimed = {plain_tool(name) for name in used}
    if missing := [name for name in needed if name not in claimed]:
        raise ContractViolation("common_failures.required_tools_not_reported", missing_reported=", ".join(missing))
    if unobserved := sorted((claimed & TOOL_NAMES) - seen - set(state.called) - CONTROL_TOOLS):
        raise ContractViolation("common_failures.unobserved_tools", names=", ".join(unobserved))


def note_echo(state: SessionState, received: int | None) -> tuple[SessionState, bool]:
    """Record the agent's echo of `compaction_count`; return the state and whether the reply must carry the summaries.

    A missing or wrong count gets them once, and not again for the same wrong echo: otherwise a client that never echoes
    would pay for them in every reply. That one time is not spent while the only summary is the one just submitted.
    """
    if received == state.compaction_count:
        return state.model_copy(update={"told_summaries_for": ""}), False
    mark = "missing" if received is None else str(received)
    counted = state.model_copy(update={"compaction_count": max(state.compaction_count, received or 0)})
    if len(state.summaries) < 2:
        return counted, False
    return counted.model_copy(update={"told_summaries_for": mark}), mark != state.told_summaries_for


def with_summary(state: SessionState, key: str, summary: str) -> SessionState:
    """Store a summary under `key`; a later one of the same step gets `#2`, `#3`, … An empty one is not stored."""
    if not summary.strip():
        return state
    unique, number = key, 2
    while unique in state.summaries:
        unique, number = f"{key}#{number}", number + 1
    return state.model_copy(update={"summaries": {**state.summaries, unique: summary.strip()[:SUMMARY_CHARS]}})


@dataclass(frozen=True, slots=True)
class Decision:
    """The next state, the effects that must succeed before it holds, and the messages of the reply.

    `ending` is set by the last submission of a session.
    """

    state: SessionState
    effects: tuple[Effect, ...]
    warnings: tuple[MessageRef, ...] = ()
    hints: tuple[MessageRef, ...] = ()
    ending: MessageRef | None = None


def start(state: SessionState) -> SessionState:
    """Return the state at its first phase, which depends on its flags, stale branches and documents."""
    return _enter(state, _after(state, START, "accepted"))


def current(state: SessionState) -> Step:
    """Return the row of the session's present step.

    Raises ContractViolation: `unknown_phase`, if a checkpoint of another version names a phase that this one lacks.
    """
    row = ROWS.get(state.phase_state.step)
    if row is None or row.phase != state.phase_state.current_phase:
        raise ContractViolation("common_failures.unknown_phase", phase=state.phase_state.current_phase)
    return row


def decide(state: SessionState, payload: Payload, facts: Facts, entry: PhaseEntry) -> Decision:
    """Return the decision on a payload that has the right shape.

    Raises ContractViolation: the submission is illegal.
    """
    row = current(state)
    if not payload.summary.strip() and "summary" in payload.model_fields_set:
        raise ContractViolation("common_failures.summary_required", problems=("summary: is empty",))
    if isinstance(payload, WithTools):
        check_tools(state, payload.tools_used, entry.required_tools, _min_distinct(entry, payload))
    verdict = JUDGES[row.key](state, payload, facts)
    moved = _record(state.model_copy(update=verdict.updates), row, payload)
    target = _after(moved, row.number, verdict.outcome)
    effects, ending = verdict.effects, None
    if target is None:
        found = conclude(moved, verdict.outcome == "only_verify_failed", facts)
        effects += (EndSession(found.outcome.value, found.gaps, found.doubts, found.notes),)
        ending = ending_of(moved, row, verdict)
    elif target.key is Key.READY_PLAN and moved.branch_policy == "task":
        effects += (CreateBranch(moved.base),)
    return Decision(_enter(moved, target), effects, verdict.warnings, verdict.hints, ending)


def _min_distinct(entry: PhaseEntry, payload: WithTools) -> int:
    """Return how many exploration tools are needed; one is enough for pure markup, which has no symbols to follow."""
    if isinstance(payload, Exploration) and payload.explored_files and all(map(is_markup, payload.explored_files)):
        return min(entry.min_distinct_tools, 1)
    return entry.min_distinct_tools


def conditions(state: SessionState) -> frozenset[str]:
    """Return the facts that the table's `only_if` may name and that hold."""
    full = state.flags.gate_level == "full"
    held = {name for name in ("q1", "q2", "q3") if full or state.answers.get(name)}
    named = {"stale_branch": state.stale_branches, "documents": state.documents, "pending_task": state.pending_tasks()}
    return frozenset(held | {name for name, value in named.items() if value})


def _after(state: SessionState, number: int, outcome: str) -> Step | None:
    return next_step(number, outcome, active_tags(state.flags, state.intent), conditions(state))


def _record(state: SessionState, row: Step, payload: Payload) -> SessionState:
    detail = f":{payload.task_id}" if isinstance(payload, ReadyImpl) else ""
    noted = with_summary(state, summary_key(row) + detail, payload.summary.strip() or payload.told())
    return noted.model_copy(update={"completed_steps": (*state.completed_steps, row.number)})


def summary_key(row: Step) -> str:
    """Return the key of a row's summary, such as `step_05_EXPLORATION`; READY has one for each substep."""
    substeps = {"plan": "READY_PLANNING", "implement": "READY_IMPLEMENTATION", "complete": "READY_COMPLETION"}
    return f"step_{row.number:02d}_{substeps.get(row.substep, row.phase.value)}"


def _enter(state: SessionState, row: Step | None) -> SessionState:
    """Enter a row and clear what belongs to the phase before it."""
    phase_state = (
        PhaseState(current_phase=row.phase.value, step=row.number, ready_substep=row.substep)
        if row
        else PhaseState(current_phase=Phase.SESSION_COMPLETE.value, step=END)
    )
    counters = state.counters.model_copy(update={"refusals": ()})
    return state.model_copy(update={"phase_state": phase_state, "observed": (), "counters": counters})


def ending_of(state: SessionState, row: Step, verdict: Verdict) -> MessageRef:
    """Return the message of the last reply, which depends on the row that ended the session."""
    if row.key in (Key.Q3, Key.IMPACT_ANALYSIS):
        return MessageRef(f"success.{row.phase.value}.investigation_complete")
    if row.key is Key.READY_COMPLETE:
        return MessageRef("success.READY.session_complete_no_verify_quick")
    if row.key is Key.POST_IMPL_VERIFY and state.flags.only_verify:
        result = "failed" if verdict.outcome == "only_verify_failed" else "passed"
        return MessageRef(f"success.POST_IMPL_VERIFY.only_verify_{result}")
    if row.key is Key.POST_IMPL_VERIFY:
        return MessageRef("success.POST_IMPL_VERIFY.session_complete_quick")
    if state.branch_policy == "in_place":
        return MessageRef("success.MERGE.no_task_branch_complete", {"branch": state.base})
    return MessageRef("success.MERGE.merge_success", {"from_branch": state.branch, "to_branch": state.base})
