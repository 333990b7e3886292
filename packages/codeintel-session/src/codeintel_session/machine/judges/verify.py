"""Judges of POST_IMPL_VERIFY and VERIFY_INTERVENTION: whether the work passes, and what follows repeated failures."""

from collections.abc import Sequence
from typing import Any

from codeintel_contract import ContractViolation, Key, PostImplVerify, VerifyIntervention
from codeintel_session.machine.checklist import check_work_remains
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.judges.chain import unreported_verdict
from codeintel_session.machine.judges.ready import needs_user, noted_decision, warn_unconfirmed
from codeintel_session.machine.limits import DETAIL_CHARS
from codeintel_session.machine.naming import ESCALATION, find_prompt
from codeintel_session.machine.receipts import assess_receipt, find_advice, weakened_messages
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import active_tags, applies
from codeintel_session.machine.verdict import MessageRef, Verdict
from codeintel_session.machine.write_policy import moved_by_session

_FOUND = ("warnings.findings", "warnings.findings_again")


def post_impl_verify(state: SessionState, payload: PostImplVerify, facts: Facts) -> Verdict:
    """Require for a pass the server's receipts, and count a failure.

    Receipts are needed of the named verifier and of those that fit the changes, as far as they have a command; of any
    that has one, if none of these has.
    """
    name = find_prompt("verifier_used", payload.verifier_used, tuple(facts.verifiers))
    if payload.passed:
        check_work_remains(state, facts.changes)
        needed = _needed(state, name, facts)
        unproved = [message for one in needed if (message := _check_receipt(state, one, facts.tree))]
        if not state.flags.only_verify and (files := moved_by_session(state)):
            return unreported_verdict(state, files)
        of_runs = [message for one in needed for message in find_advice(state.receipts[one])]
        of_runs += _way_back(state, of_runs)
        warnings = (*unproved, *of_runs, *weakened_messages(facts.weakened), *_not_run(name, facts))
        return Verdict(updates=_reset(state) | {"verified_tree": facts.tree}, warnings=warnings)
    return _failed(state, payload, facts.tree)


def _way_back(state: SessionState, of_runs: Sequence[MessageRef]) -> list[MessageRef]:
    """Return how what a reader found can be put right, where the session has a step for that."""
    is_found = any(message.key in _FOUND for message in of_runs)
    if not is_found or not applies(Key.QUALITY_REVIEW, active_tags(state.flags, state.intent)):
        return []
    left = state.limits.quality_reverts - state.counters.quality_revert_count
    return [
        MessageRef("warnings.findings_rounds", {"left": left}) if left > 0 else MessageRef("warnings.findings_last")
    ]


def missing_runs(state: SessionState, payload: PostImplVerify, facts: Facts) -> list[str]:
    """List the verifiers whose receipts a pass needs and that have not run on this tree, as far as they can run.

    Raises ContractViolation: whatever they prove, the submission is refused.
    """
    name = find_prompt("verifier_used", payload.verifier_used, tuple(facts.verifiers))
    check_work_remains(state, facts.changes)
    needed = [one for one in _needed(state, name, facts) if not facts.verifiers[one].is_lost]
    return [one for one in needed if one not in state.receipts or state.receipts[one].tree != facts.tree]


def _needed(state: SessionState, name: str, facts: Facts) -> list[str]:
    """List the verifiers whose receipts a pass needs; what only reads the change comes last."""
    if not facts.trusted:  # nothing may run: the session continues, and its outcome is not `verified`
        return []
    others = _fitting(name, facts)
    needed = [name, *others] if facts.verifiers[name].has_command else others
    reading = [one for one in needed if facts.verifiers[one].is_reading]
    runs = [one for one in needed if one not in reading]
    runnable = [
        one.name for one in facts.verifiers.values() if one.has_command and not one.is_lost and not one.is_reading
    ]
    if runnable and not runs:
        runs = [next((one for one in runnable if one in state.receipts), runnable[0])]
    return [*runs, *reading]


def _fitting(name: str, facts: Facts) -> list[str]:
    """List the verifiers other than `name` that fit the changes and have a command."""
    return [one.name for one in facts.verifiers.values() if one.fits and one.has_command and one.name != name]


def _not_run(name: str, facts: Facts) -> tuple[MessageRef, ...]:
    """Warn about commands that the user has not agreed to run; they do not prevent a pass."""
    named = [name] if facts.verifiers[name].has_command else []
    others = [] if facts.trusted else [*named, *_fitting(name, facts)]
    return (MessageRef("warnings.verifiers_not_trusted", {"names": ", ".join(others)}),) if others else ()


def _check_receipt(state: SessionState, name: str, tree: str) -> MessageRef | None:
    """Return the warning about a run that proves nothing, None for one that passes."""
    receipt = state.receipts.get(name)
    if receipt is None:
        raise ContractViolation("failures.POST_IMPL_VERIFY.verification_receipt_missing", name=name)
    if receipt.tree != tree:
        raise ContractViolation("failures.POST_IMPL_VERIFY.verification_receipt_stale", name=name)
    standing, why = assess_receipt(receipt, state.tasks)
    if why is not None and standing == "failed" and not (tree and tree == state.accepted_tree):
        raise ContractViolation(why.key, **dict[str, Any](why.values))
    return MessageRef("warnings.unproved", {"name": name, "why": why}) if why else None


def _failed(state: SessionState, payload: PostImplVerify, tree: str) -> Verdict:
    """Count a failure. Where the same tree failed before, nothing of the agent's helps: the user decides."""
    if state.flags.only_verify:
        return Verdict("only_verify_failed")
    failed = _failed_ids(state, payload)
    why = payload.details[:DETAIL_CHARS]
    tasks = tuple(
        task.model_copy(update={"failure_count": task.failure_count + 1, "revert_reason": why})
        if task.id in failed
        else task
        for task in state.tasks
    )
    counters = state.counters.model_copy(
        update={"verification_failure_count": state.counters.verification_failure_count + 1}
    )
    worst = max([counters.verification_failure_count, *(task.failure_count for task in tasks if task.id in failed)])
    can_intervene = applies(Key.VERIFY_INTERVENTION, active_tags(state.flags, state.intent))
    is_stuck = bool(tree) and tree == state.failed_tree
    stop = can_intervene and (is_stuck or worst >= state.limits.verification_failures)
    updates = {"tasks": tasks, "counters": counters, "revert_reason": why, "failed_tree": tree, "stuck": is_stuck}
    return Verdict("failed_at_limit" if stop else "failed", updates)


def _failed_ids(state: SessionState, payload: PostImplVerify) -> set[str]:
    if not payload.failed_tasks:
        return {task.id for task in state.tasks if task.round == state.plan_round}
    unknown = [name for name in payload.failed_tasks if state.task(name) is None]
    if unknown:
        raise ContractViolation("failures.POST_IMPL_VERIFY.unknown_failed_task", ids=", ".join(unknown))
    return set(payload.failed_tasks)


def _reset(state: SessionState) -> dict[str, object]:
    tasks = tuple(task.model_copy(update={"failure_count": 0}) for task in state.tasks)
    counters = state.counters.model_copy(update={"verification_failure_count": 0})
    return {"tasks": tasks, "counters": counters, "stuck": False}


def verify_intervention(state: SessionState, payload: VerifyIntervention, facts: Facts) -> Verdict:
    """Require a known prompt; once interventions are used up, only the escalation to the user."""
    name = find_prompt("prompt_used", payload.prompt_used, facts.prompts)
    if needs_user(state) and name != ESCALATION:
        raise ContractViolation("failures.VERIFY_INTERVENTION.user_escalation")
    updates = _reset(state) | noted_decision(state, facts, asked=name == ESCALATION)
    counters = state.counters.model_copy(
        update={"verification_failure_count": 0, "intervention_count": state.counters.intervention_count + 1}
    )
    return Verdict(updates=updates | {"counters": counters}, warnings=warn_unconfirmed(updates))
