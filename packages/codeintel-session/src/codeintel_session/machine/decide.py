"""One submission, decided: checks, judge, table. Pure: the same values in give the same decision out.

An illegal submission raises `ContractViolation` and no new state exists. A legal one returns the state
as it will be once its effects have been carried out, and those effects.
"""

from dataclasses import dataclass

from codeintel_contract.names import Key, Phase
from codeintel_contract.payloads import Exploration, Payload, ReadyImpl, WithTools
from codeintel_contract.schema import PhaseEntry
from codeintel_contract.violations import ContractViolation

from .compaction import with_summary
from .effects import CreateBranch, Effect, EndSession
from .facts import Facts
from .judges import JUDGES
from .state import PhaseState, SessionState
from .steps import END, ROWS, Step, next_step, tags
from .tools_used import check_tools
from .verdict import Say, Verdict

MARKUP = (".html", ".htm", ".css", ".scss", ".sass", ".less", ".md")
NOT_MARKUP = (".blade.php", ".vue", ".jsx", ".tsx", ".svelte")


@dataclass(frozen=True, slots=True)
class Decision:
    """The state to be, the effects that must succeed first, and what to tell. `ending` is set at the end."""

    state: SessionState
    effects: tuple[Effect, ...]
    warnings: tuple[Say, ...] = ()
    hints: tuple[Say, ...] = ()
    ending: Say | None = None


def start(state: SessionState) -> SessionState:
    """The state at its first phase. `state` knows its flags, stale branches and documents."""
    return _stand(state, _after(state, 1, "accepted"))


def current(state: SessionState) -> Step:
    """The row the session stands at.

    Raises:
        ContractViolation: `unknown_phase` if a checkpoint of another version names one we do not have.
    """
    row = ROWS.get(state.phase_state.step)
    if row is None or row.phase != state.phase_state.current_phase:
        raise ContractViolation("common_failures.unknown_phase", phase=state.phase_state.current_phase)
    return row


def decide(state: SessionState, payload: Payload, facts: Facts, entry: PhaseEntry) -> Decision:
    """Judge a submission that has the right shape."""
    row = current(state)
    if not payload.summary.strip():
        raise ContractViolation("common_failures.summary_required", problems=("summary: is empty",))
    if isinstance(payload, WithTools):
        check_tools(state, payload.tools_used, _required(entry, payload), _min_distinct(entry, payload))
    verdict = JUDGES[row.key](state, payload, facts)
    moved = _record(state.model_copy(update=verdict.updates), row, payload)
    target = _after(moved, row.number, verdict.outcome)
    effects = verdict.effects + _entry_effects(moved, target) + _end_effects(moved, row, target, verdict)
    entered = _stand(moved, target)
    ending = ending_of(moved, row, verdict) if target is None else None
    return Decision(entered, effects, verdict.warnings, verdict.hints, ending)


def _required(entry: PhaseEntry, payload: WithTools) -> tuple[str, ...]:
    """A task whose every item is skipped wrote nothing, so it needs no write check."""
    if isinstance(payload, ReadyImpl) and all(item.status == "skipped" for item in payload.checklist):
        return tuple(name for name in entry.required_tools if name != "check_write_target")
    return entry.required_tools


def _min_distinct(entry: PhaseEntry, payload: WithTools) -> int:
    """Pure markup needs one look-up only: there are no symbols to follow."""
    if isinstance(payload, Exploration) and payload.explored_files and all(map(is_markup, payload.explored_files)):
        return min(entry.min_distinct_tools, 1)
    return entry.min_distinct_tools


def is_markup(path: str) -> bool:
    """True for files without code."""
    name = path.lower()
    return name.endswith(MARKUP) and not name.endswith(NOT_MARKUP)


def _facts(state: SessionState) -> frozenset[str]:
    full = state.flags.gate_level == "full"
    held = {name for name in ("q1", "q2", "q3") if full or state.answers.get(name)}
    named = {"stale_branch": state.stale_branches, "documents": state.documents, "pending_task": state.pending_tasks()}
    return frozenset(held | {name for name, value in named.items() if value})


def _after(state: SessionState, number: int, outcome: str) -> Step | None:
    return next_step(number, outcome, tags(state.flags, state.intent), _facts(state))


def _record(state: SessionState, row: Step, payload: Payload) -> SessionState:
    detail = f":{payload.task_id}" if isinstance(payload, ReadyImpl) else ""
    noted = with_summary(state, summary_key(row) + detail, payload.summary)
    return noted.model_copy(update={"completed_steps": (*state.completed_steps, row.number)})


def summary_key(row: Step) -> str:
    """`step_05_EXPLORATION`; the substeps of READY by name."""
    substeps = {"plan": "READY_PLANNING", "implement": "READY_IMPLEMENTATION", "complete": "READY_COMPLETION"}
    return f"step_{row.number:02d}_{substeps.get(row.substep, row.phase.value)}"


def _stand(state: SessionState, row: Step | None) -> SessionState:
    """Enter a row: what belongs to the phase before is cleared."""
    where = (
        PhaseState(current_phase=row.phase.value, step=row.number, ready_substep=row.substep)
        if row
        else PhaseState(current_phase=Phase.SESSION_COMPLETE.value, step=END)
    )
    counters = state.counters.model_copy(update={"refusals": ()})
    return state.model_copy(update={"phase_state": where, "observed": (), "counters": counters})


def _entry_effects(state: SessionState, target: Step | None) -> tuple[Effect, ...]:
    if target is not None and target.key is Key.READY_PLAN and state.branch_policy == "task":
        return (CreateBranch(state.base),)
    return ()


def _end_effects(state: SessionState, row: Step, target: Step | None, verdict: Verdict) -> tuple[Effect, ...]:
    if target is not None:
        return ()
    verified = 15 in state.completed_steps and verdict.outcome == "accepted" and not state.forced_completion
    return (EndSession(_outcome(state, verdict), verified),)


def _outcome(state: SessionState, verdict: Verdict) -> str:
    if verdict.outcome == "only_verify_failed":
        return "failure"
    return "partial" if state.forced_completion else "success"


def ending_of(state: SessionState, row: Step, verdict: Verdict) -> Say:
    """What the last reply says, by the row the flow fell off from."""
    if row.number in (10, 11):
        return Say(f"success.{row.phase.value}.investigation_complete")
    if row.number == 14:
        return Say("success.READY.session_complete_no_verify_quick")
    if row.number == 15 and state.flags.only_verify:
        result = "failed" if verdict.outcome == "only_verify_failed" else "passed"
        return Say(f"success.POST_IMPL_VERIFY.only_verify_{result}")
    if row.number == 15:
        return Say("success.POST_IMPL_VERIFY.session_complete_quick")
    if state.branch_policy == "in_place":
        return Say("success.MERGE.no_task_branch_complete", {"branch": state.base})
    return Say("success.MERGE.merge_success", {"from_branch": state.branch, "to_branch": state.base})
