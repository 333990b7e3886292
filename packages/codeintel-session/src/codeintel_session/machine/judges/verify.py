"""Steps 15 and 16: did it work, and what is done when it keeps failing."""

from codeintel_contract.payloads import PostImplVerify, VerifyIntervention
from codeintel_contract.tasks import Task
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.checklist import check_stands
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.limits import DETAIL_CHARS
from codeintel_session.machine.promises import losses, weakened
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import applies, tags
from codeintel_session.machine.verdict import Say, Verdict

from .prompts import ESCALATION, find_prompt


def post_impl_verify(state: SessionState, payload: PostImplVerify, facts: Facts) -> Verdict:
    """A pass needs the server's own receipt of each verifier with a command that is named or fits the changes.

    A failure is counted.
    """
    name = find_prompt("verifier_used", payload.verifier_used, tuple(facts.verifiers))
    if payload.passed:
        check_stands(state, facts.changes)
        for each in _needed(name, facts):
            _check_receipt(state, each, facts.tree)
        return Verdict(updates=_reset(state), warnings=(*_lost(state, name, facts), *_not_run(name, facts)))
    return _failed(state, payload)


def _needed(name: str, facts: Facts) -> list[str]:
    others = _fitting(name, facts) if facts.trusted else []
    return [name, *others] if facts.verifiers[name].has_command else others


def _fitting(name: str, facts: Facts) -> list[str]:
    """Other verifiers than the one that was named, which fit the changes and have a command."""
    return [each.name for each in facts.verifiers.values() if each.fits and each.has_command and each.name != name]


def _not_run(name: str, facts: Facts) -> tuple[Say, ...]:
    """Commands that nobody agreed to stop no pass: the user may not want them to run."""
    others = [] if facts.trusted else _fitting(name, facts)
    return (Say("warnings.verifiers_not_trusted", {"names": ", ".join(others)}),) if others else ()


def _check_receipt(state: SessionState, name: str, tree: str) -> None:
    receipt = state.receipts.get(name)
    if receipt is None:
        raise ContractViolation("failures.POST_IMPL_VERIFY.verification_receipt_missing", name=name)
    if receipt.tree != tree:
        raise ContractViolation("failures.POST_IMPL_VERIFY.verification_receipt_stale", name=name)
    if receipt.exit != 0:
        raise ContractViolation("failures.POST_IMPL_VERIFY.verification_receipt_failed", name=name, exit=receipt.exit)


def _lost(state: SessionState, name: str, facts: Facts) -> tuple[Say, ...]:
    """A pass is worth as much as the tests behind it."""
    receipt = state.receipts.get(name)
    said = losses(receipt) if receipt and facts.verifiers[name].has_command else []
    if thinner := weakened(facts.tests):
        said.append(Say("warnings.tests_weakened", {"files": ", ".join(thinner)}))
    return tuple(said)


def _failed(state: SessionState, payload: PostImplVerify) -> Verdict:
    if state.flags.only_verify:
        return Verdict("only_verify_failed")
    failed = _failed_ids(state, payload)
    why = payload.details[:DETAIL_CHARS]
    tasks = tuple(_blame(task, why) if task.id in failed else task for task in state.tasks)
    counters = state.counters.model_copy(
        update={"verification_failure_count": state.counters.verification_failure_count + 1}
    )
    worst = max([counters.verification_failure_count, *(task.failure_count for task in tasks if task.id in failed)])
    stop = worst >= state.limits.verification_failures and applies(16, tags(state.flags, state.intent))
    updates = {"tasks": tasks, "counters": counters, "revert_reason": why}
    return Verdict("failed_at_limit" if stop else "failed", updates)


def _failed_ids(state: SessionState, payload: PostImplVerify) -> set[str]:
    if not payload.failed_tasks:
        return {task.id for task in state.tasks if task.round == state.plan_round}
    unknown = [name for name in payload.failed_tasks if state.task(name) is None]
    if unknown:
        raise ContractViolation("failures.POST_IMPL_VERIFY.unknown_failed_task", ids=", ".join(unknown))
    return set(payload.failed_tasks)


def _blame(task: Task, why: str) -> Task:
    return task.model_copy(update={"failure_count": task.failure_count + 1, "revert_reason": why})


def _reset(state: SessionState) -> dict[str, object]:
    tasks = tuple(task.model_copy(update={"failure_count": 0}) for task in state.tasks)
    return {"tasks": tasks, "counters": state.counters.model_copy(update={"verification_failure_count": 0})}


def verify_intervention(state: SessionState, payload: VerifyIntervention, facts: Facts) -> Verdict:
    """A known prompt was followed; once interventions are used up, the user's escalation and no other."""
    name = find_prompt("prompt_used", payload.prompt_used, facts.prompts)
    if state.counters.intervention_count >= state.limits.interventions and name != ESCALATION:
        raise ContractViolation("failures.VERIFY_INTERVENTION.user_escalation")
    updates = _reset(state)
    counters = state.counters.model_copy(
        update={"verification_failure_count": 0, "intervention_count": state.counters.intervention_count + 1}
    )
    return Verdict(updates=updates | {"counters": counters})
