"""Steps 2 to 4: what to do with old branches, which documents were read, what the request says."""

from typing import Any

from codeintel_contract.payloads import BranchIntervention, DocumentResearch, QueryFrame, Slot
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.assess import SLOTS, assess
from codeintel_session.machine.checklist import valid_place
from codeintel_session.machine.effects import ResolveStale
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.quotes import stands_in, uncovered
from codeintel_session.machine.state import MandatoryRule, SessionState
from codeintel_session.machine.verdict import Say, Verdict


def branch_intervention(state: SessionState, payload: BranchIntervention, facts: Facts) -> Verdict:
    """Delete or merge stale branches, or work on: on a task branch adopt it, elsewhere commit in place."""
    if payload.choice != "continue":
        return Verdict(effects=(ResolveStale(payload.choice, state.stale_branches),), updates={"stale_branches": ()})
    updates: dict[str, Any] = {"stale_branches": ()}
    if state.branch_policy == "task" and facts.current_is_stale:
        if not facts.stale_base:  # nothing to merge into at the end: better said now than after the work
            why = f"the branch that {facts.current_branch} came from is not known"
            raise ContractViolation(
                "failures.BRANCH_INTERVENTION.branch_operation_failed", choice=payload.choice, errors=why
            )
        updates |= {"branch": facts.current_branch, "branch_policy": "adopted", "base": facts.stale_base}
    elif state.branch_policy == "task":
        updates |= {"branch": facts.current_branch, "branch_policy": "in_place", "base": facts.current_branch}
    return Verdict(updates=updates)


def document_research(state: SessionState, payload: DocumentResearch, facts: Facts) -> Verdict:
    """Documents exist, and every rule points at a line of one."""
    if not payload.documents_reviewed:
        raise ContractViolation("failures.DOCUMENT_RESEARCH.empty_documents")
    gone = [path for path in payload.documents_reviewed if not _exists(facts, path)]
    if gone:
        raise ContractViolation("failures.DOCUMENT_RESEARCH.document_not_found", files=", ".join(gone))
    for rule in payload.mandatory_rules:
        if why := valid_place(rule.source, facts.files):
            raise ContractViolation("failures.DOCUMENT_RESEARCH.rule_source_invalid", source=rule.source, why=why)
    rules = tuple(MandatoryRule(rule=rule.rule, source=rule.source) for rule in payload.mandatory_rules)
    return Verdict(updates={"mandatory_rules": rules})


def _exists(facts: Facts, path: str) -> bool:
    fact = facts.files.get(path)
    return fact is not None and fact.inside and fact.exists


def query_frame(state: SessionState, payload: QueryFrame, facts: Facts) -> Verdict:
    """Quotes stand in the request and carry their values; what is missing becomes a hint."""
    slots = _slots(payload)
    missing = [name for name in SLOTS if name not in slots]
    if state.flags.gate_level == "full" and not slots:
        raise ContractViolation("failures.QUERY_FRAME.slots_required", missing=", ".join(missing))
    for name, slot in slots.items():
        _check_quote(name, slot, state.query, needed=state.flags.gate_level == "full")
    frame = payload.model_dump(mode="json", exclude={"summary", "compaction_count", "tools_used", "slots"})
    frame["slots"] = {name: slot.model_dump() for name, slot in slots.items()}
    framed = state.model_copy(update={"query_frame": frame})
    found = assess(framed, facts.defined, facts.relevance)
    hints = tuple(Say(f"query_frame_hints.{name}_missing") for name in missing)
    return Verdict(updates={"query_frame": frame, "assessment": found}, hints=hints)


def _slots(payload: QueryFrame) -> dict[str, Slot]:
    given = payload.slots
    pairs = ((name, getattr(given, name)) for name in SLOTS) if given else ()
    return {name: slot for name, slot in pairs if slot is not None and slot.value.strip()}


def _check_quote(name: str, slot: Slot, request: str, *, needed: bool) -> None:
    if not slot.quote.strip() and not needed:
        return  # counts as uncovered in the assessment
    if not stands_in(slot.quote, request):
        raise ContractViolation("failures.QUERY_FRAME.quote_not_found", slot=name)
    if extra := uncovered(slot.value, slot.quote):
        raise ContractViolation("failures.QUERY_FRAME.value_not_covered", slot=name, words=", ".join(extra))
