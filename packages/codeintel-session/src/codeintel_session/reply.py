"""The shape of every reply: one compact object that says where the session stands and what to hand in next."""

from collections.abc import Iterable, Sequence
from typing import Any

from codeintel_contract.loader import Contract
from codeintel_contract.names import Key, Phase
from codeintel_contract.violations import ContractViolation

from .machine.decide import current
from .machine.judges.ready import escalation_due
from .machine.state import SessionState
from .machine.verdict import Say
from .sizes import bounded as bounded
from .sizes import size as size

Reply = dict[str, Any]


def text_of(contract: Contract, say: Say) -> str:
    """A message's words; a value that is itself a message is put into words first."""
    values = {name: text_of(contract, value) if isinstance(value, Say) else value for name, value in say.values.items()}
    return contract.message(say.key, values).message


def position(contract: Contract, state: SessionState) -> Reply:
    """The part every reply has: phase, instruction, what to hand in."""
    row = current(state)
    entry = contract.phases[row.key]
    reply: Reply = {
        "session_id": state.session_id,
        "phase": row.phase.value,
        "step": row.number,
        **({"substep": row.substep} if row.substep else {}),
        "instruction": _instruction(contract, state, row.key, entry.instruction),
        "expected_payload": dict(entry.expected_payload),
        "required_tools": list(entry.required_tools),
        "call": "submit_phase",
        "compaction_count": state.compaction_count,
    }
    if entry.resources:
        reply["resources"] = _resources(state, row.key, entry.resources)
    if row.phase is Phase.READY and state.tasks:
        reply |= task_progress(state)
    if _asks_user(state, row.key):
        reply["requires_user_intervention"] = True
    if state.forced_completion:
        reply["forced_completion"] = True
    return reply


def _instruction(contract: Contract, state: SessionState, key: Key, normal: str) -> str:
    if key is Key.VERIFY_INTERVENTION and state.counters.intervention_count >= state.limits.interventions:
        values = {"count": state.counters.intervention_count}
        return contract.message("failures.VERIFY_INTERVENTION.escalation_count", values).instruction
    return normal


def _asks_user(state: SessionState, key: Key) -> bool:
    if key is Key.VERIFY_INTERVENTION:
        return state.counters.intervention_count >= state.limits.interventions
    return key is Key.BRANCH_INTERVENTION or (key is Key.READY_PLAN and escalation_due(state))


def _resources(state: SessionState, key: Key, resources: Iterable[str]) -> list[str]:
    if key is Key.DOCUMENT_RESEARCH and state.research_prompts:
        names = (name.removesuffix(".md") for name in state.research_prompts)
        return [f".code-intel/doc_research/{name}.md" for name in names]
    return list(resources)


def task_progress(state: SessionState) -> Reply:
    """`progress`, and `next_task` with its checklist if one is left."""
    pending = state.pending_tasks()
    progress: Reply = {"progress": {"done": len(state.tasks) - len(pending), "total": len(state.tasks)}}
    if pending:
        task = pending[0]
        progress["next_task"] = {
            "id": task.id,
            "description": task.description,
            "checklist": [item.item for item in task.checklist],
        }
    return progress


def accepted(
    contract: Contract, state: SessionState, *, warnings: Iterable[Say] = (), hints: Iterable[Say] = ()
) -> Reply:
    """The reply to a submission that moved the session on."""
    reply: Reply = {"success": True, **position(contract, state)}
    if lines := [text_of(contract, say) for say in warnings]:
        reply["warning"] = " ".join(lines)
    if lines := [text_of(contract, say) for say in hints]:
        reply["investigation_hints"] = lines
    return reply


def ended(contract: Contract, state: SessionState, ending: Say, report: str, warnings: Iterable[Say] = ()) -> Reply:
    """The last reply of a session; it names no call, and where the report is."""
    reply: Reply = {
        "success": True,
        "session_id": state.session_id,
        "phase": Phase.SESSION_COMPLETE.value,
        "message": text_of(contract, ending),
        "outcome": state.outcome,
        "report": report,
        "compaction_count": state.compaction_count,
    }
    if lines := [text_of(contract, say) for say in warnings]:
        reply["warning"] = " ".join(lines)
    if state.forced_completion:
        reply["forced_completion"] = True
    if state.commits:
        reply["commit"] = state.commits[-1]
    return reply


def refused(contract: Contract, violation: ContractViolation, state: SessionState | None = None) -> Reply:
    """The reply to what was not accepted: the code, what is wrong, and the same phase again."""
    found = contract.message(violation.key, violation.values)
    reply: Reply = {
        "success": False,
        "error": found.error or violation.key.rpartition(".")[2],
        "message": found.message,
        "problems": list(violation.problems) or [found.message],
    }
    if state is not None:
        reply |= {"current_phase": state.phase_state.current_phase, **position(contract, state)}
        if found.instruction:
            reply["instruction"] = found.instruction
    if found.requires_user_intervention:
        reply["requires_user_intervention"] = True
    return reply


def stuck(contract: Contract, state: SessionState, refusals: Sequence[str]) -> Reply:
    """What a refusal carries beside, once there were too many in a row: the user is to look at all of them."""
    values = {"count": len(refusals), "phase": state.phase_state.current_phase}
    return {
        "warning": text_of(contract, Say("common_failures.repeated_refusals", values)),
        "last_refusals": list(refusals[-state.limits.refusals :]),
        "requires_user_intervention": True,
    }
