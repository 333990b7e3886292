"""The shape of every reply: one compact object with the position of the session and the payload to submit next."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codeintel_contract import (
    Contract,
    ContractViolation,
    Key,
    Message,
    Phase,
    PhaseEntry,
    WithTools,
    load_contract,
    quote_problem,
)
from codeintel_session.machine.assess import reason
from codeintel_session.machine.decide import conditions, current, still_required
from codeintel_session.machine.judges.ready import escalation_due, needs_user
from codeintel_session.machine.outcome import proof_of
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import Step, active_tags, may_follow
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.replies.truncation import bound_reply as bound_reply, json_size as json_size

Reply = dict[str, Any]


def render_message(contract: Contract, message: MessageRef | ContractViolation) -> str:
    """Return the text of a message; a value that is itself a message, or a list of them, is rendered first."""
    return _message(contract, message).message


def _message(contract: Contract, message: MessageRef | ContractViolation) -> Message:
    return contract.message(message.key, {name: _value(contract, value) for name, value in message.values.items()})


def _value(contract: Contract, value: object) -> object:
    if isinstance(value, list) and all(isinstance(one, MessageRef) for one in value):
        return "; ".join(render_message(contract, one) for one in value)
    return render_message(contract, value) if isinstance(value, MessageRef) else value


def rendered_assessment(contract: Contract, assessment: Mapping[str, Any]) -> Reply:
    """Return the assessment with the text of its reason."""
    why = reason(assessment)
    return {**assessment, "why": render_message(contract, why)} if why else dict(assessment)


def position(contract: Contract, state: SessionState) -> Reply:
    """Return the part that every reply has: phase, instruction, expected payload."""
    row = current(state)
    entry = contract.phases[row.key]
    reply: Reply = {
        "session_id": state.session_id,
        "phase": row.phase.value,
        "step": row.number,
        **({"substep": row.substep} if row.substep else {}),
        "instruction": entry.instruction,
        "expected_payload": _expected(state, entry),
        "required_tools": still_required(state, entry.required_tools),
        "call": "submit_phase",
        "compaction_count": state.compaction_count,
    }
    if entry.resources:
        is_named = row.key is Key.DOCUMENT_RESEARCH and state.research_prompts
        own = [f".code-intel/doc_research/{name.removesuffix('.md')}.md" for name in state.research_prompts]
        reply["resources"] = own if is_named else list(entry.resources)
    if row.phase is Phase.READY and state.tasks:
        reply |= task_progress(state)
        if row.key is Key.READY_PLAN:
            reply["tasks"] = {task.id: task.status for task in state.tasks}
    if shapes := _may_follow(contract, state, row):
        reply["may_follow"] = shapes
    is_escalated = row.key is Key.VERIFY_INTERVENTION and needs_user(state)
    if is_escalated:
        why = "same_tree" if state.stuck else "escalation_count"
        values = {"count": state.counters.intervention_count}
        reply["instruction"] = contract.message(f"failures.VERIFY_INTERVENTION.{why}", values).instruction
    if is_escalated or row.key is Key.BRANCH_INTERVENTION or (row.key is Key.READY_PLAN and escalation_due(state)):
        reply["requires_user_intervention"] = True
    if state.forced_completion:
        reply["forced_completion"] = True
    return reply


def _expected(state: SessionState, entry: PhaseEntry) -> dict[str, str]:
    """Return the fields of a payload, but for optional ones that nobody has to think of.

    The server sees which tools are used and what a phase results in, and asks for a decision of the user after an
    escalation.
    """
    unasked = {"tools_used", "summary"} | (set() if escalation_due(state) else {"user_decision"})
    shown = {name: _brief(kind) for name, kind in entry.expected_payload.items()}
    asked = {name: kind for name, kind in shown.items() if name not in unasked or kind.partition(" (")[0][-1:] != "?"}
    return asked if state.tasks else {name: _first(kind) for name, kind in asked.items()}


def _first(kind: str) -> str:
    """Write the shape of the first plan: what is new needs its checklist, and nothing can be dropped yet."""
    return kind.replace("checklist?:", "checklist:").replace(", drop_reason?: str", "")


_CARRIED = re.compile(r", \w+\?(?=[,}])")
"""A member that a record may have and that has no type: an agent may send back what it was given."""
_SAME = re.compile(r"(\w+\??)(: \{[^{}]*\}), (?=[\w?, ]*\w+\??\2)")


def _brief(kind: str) -> str:
    """Write the shape that members of a record share once: `{a?: {x: str}, b?: {x: str}}` is `{a?, b?: {x: str}}`."""
    kind = _CARRIED.sub("", kind)
    while (shorter := _SAME.sub(r"\1, ", kind)) != kind:
        kind = shorter
    return kind


def _may_follow(contract: Contract, state: SessionState, row: Step) -> dict[str, str]:
    """Return the fields of the phases that can be submitted with this one, but for optional words and common fields.

    A phase that could have been submitted with the one before it lists none that the reply before did, unless calls of
    tools lie between the two.
    """
    if not row.opens:
        return {}
    active, facts = active_tags(state.flags, state.intent), conditions(state) | {"pending_task"}
    steps = may_follow(row.number, active, facts)
    if row.joins and state.completed_steps and not contract.phases[row.key].min_distinct_tools:
        told = may_follow(state.completed_steps[-1], active, facts)
        steps = tuple(step for step in steps if step not in told)
    if row.key is Key.READY_IMPL and len(state.pending_tasks()) > 1:  # the further tasks, one payload each
        steps = (row, *steps)
    shapes = {step.key.value: _shape(contract.phases[step.key]) for step in steps}
    return shapes if state.tasks else {key: _first(shape) for key, shape in shapes.items()}


def _shape(phase: PhaseEntry) -> str:
    kinds = {name: _brief(kind.partition(" (")[0]) for name, kind in phase.expected_payload.items()}
    every = WithTools.model_fields
    own = {name: kind for name, kind in kinds.items() if kind != "str?" and not (name in every and kind.endswith("?"))}
    needed = f"; min_distinct_tools: {phase.min_distinct_tools}" if phase.min_distinct_tools else ""
    needed += f"; resources: {', '.join(phase.resources)}" if phase.resources else ""
    return ", ".join(f"{name}: {kind}" for name, kind in own.items()) + needed


def task_progress(state: SessionState) -> Reply:
    """Return `progress`, and `next_task` with its checklist if a task is pending."""
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


def accepted_reply(contract: Contract, state: SessionState, *, hints: Iterable[MessageRef] = ()) -> Reply:
    """Return the reply to an accepted submission."""
    reply: Reply = {"success": True, **position(contract, state)}
    if texts := [render_message(contract, hint) for hint in hints]:
        reply["investigation_hints"] = texts
    return reply


def ending_reply(contract: Contract, state: SessionState, ending: MessageRef, report: str) -> Reply:
    """Return the last reply of a session, which names the report and no further call."""
    # In the packaged words: a project's own contract must not call the end something else.
    said = " ".join(render_message(load_contract(None), say) for say in proof_of(state))
    reply: Reply = {
        "success": True,
        "session_id": state.session_id,
        "phase": Phase.SESSION_COMPLETE.value,
        "message": f"{said} {render_message(contract, ending)}",
        "outcome": state.outcome,
        **({"doubts": sum(map(len, state.doubts.values()))} if state.doubts else {}),
        **({"unproved": list(state.gaps)} if state.gaps else {}),
        **({"chosen_by": state.chosen_by} if state.chosen_by else {}),
        "report": report,
        "compaction_count": state.compaction_count,
    }
    if state.forced_completion:
        reply["forced_completion"] = True
    if state.commits:
        reply["commit"] = state.commits[-1]
    return reply


SAID_ONCE = ("instruction", "expected_payload", "resources", "may_follow", "next_task")
"""What a refusal repeats only if the agent has not had it from the reply before."""


def refusal_reply(
    contract: Contract, violation: ContractViolation, state: SessionState | None = None, *, is_known: bool = False
) -> Reply:
    """Return the reply to a refused submission: the code, the problems, and the same phase again.

    Args:
        state: None for a call that does not submit a phase.
        is_known: the agent has the phase's instruction and payload from the reply before.
    """
    message = _message(contract, violation)
    lines = (render_message(contract, line) if isinstance(line, MessageRef) else line for line in violation.problems)
    reply: Reply = {
        "success": False,
        "error": message.error or violation.key.rpartition(".")[2],
        "message": message.message,
        "problems": [quote_problem(line) for line in lines if line != message.message],
    }
    if state is not None:
        here = position(contract, state)
        known = SAID_ONCE if is_known else ()
        reply |= {name: value for name, value in here.items() if name not in known}
        reply["current_phase"] = state.phase_state.current_phase
        if message.instruction:
            reply["instruction"] = message.instruction
    if message.requires_user_intervention:
        reply["requires_user_intervention"] = True
    return reply


def reasons_of(reply: Mapping[str, Any]) -> list[str]:
    """Return why a submission was refused: the problems, or the message if it says all; nothing for an accepted one."""
    return [] if reply["success"] else list(reply["problems"] or [reply["message"]])


def stuck(contract: Contract, state: SessionState, refusals: Sequence[str]) -> Reply:
    """Return what a refusal adds after too many in a row, so that the user looks at all of them."""
    values = {"count": len(refusals), "phase": state.phase_state.current_phase}
    return {
        "warning": render_message(contract, MessageRef("common_failures.repeated_refusals", values)),
        "last_refusals": list(refusals[-state.limits.refusals :]),
        "requires_user_intervention": True,
    }
