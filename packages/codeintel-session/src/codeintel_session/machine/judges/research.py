"""Judges of the phases before the exploration: stale branches, documents, and the frame of the request."""

from collections.abc import Iterator, Sequence
from typing import Any

from codeintel_contract import BranchIntervention, ContractViolation, DocumentResearch, Intent, QueryFrame, Slot
from codeintel_session.machine.assess import FAULT, SLOTS, assess
from codeintel_session.machine.checklist import Evidence, location_fault, parse_evidence, several
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.quotes import added, content_words, has_content, occurs_in
from codeintel_session.machine.state import MandatoryRule, SessionState
from codeintel_session.machine.verdict import MessageRef, ResolveStale, Verdict

LONG = 4
"""Letters of a word that can show that a line states a rule."""
SHARED = 2
"""Such words that a line beside the source must hold."""
BESIDE = (1, -1, 2, -2)
"""Where a rule is looked for beside its source."""


def branch_intervention(state: SessionState, payload: BranchIntervention, facts: Facts) -> Verdict:
    """Delete or merge stale branches, or continue: adopt a task branch that is checked out, else commit in place.

    A branch with commits of a session that was not finished stays, unless the user themselves chose what becomes of it.
    """
    choice = facts.user_chose or payload.choice
    if choice == "continue":
        return Verdict(updates={"stale_branches": (), **_continued(state, facts)}, warnings=_adopted(facts))
    held = [name for name in state.stale_branches if name in facts.unreviewed and facts.user_chose != choice]
    if not held:
        return Verdict(effects=(ResolveStale(choice, state.stale_branches),), updates={"stale_branches": ()})
    stay = MessageRef("warnings.branches_stay", {"branches": ", ".join(held)})
    if facts.current_is_stale and facts.current_branch in held:  # it cannot be left, so its commits are reviewed here
        updates = {"stale_branches": (), **_continued(state, facts)}
        return Verdict(updates=updates, warnings=(stay, *_adopted(facts)))
    free = tuple(name for name in state.stale_branches if name not in held)
    effects = (ResolveStale(choice, free),) if free and (choice == "delete" or facts.current_is_stale) else ()
    return Verdict(effects=effects, updates={"stale_branches": ()}, warnings=(stay,))


def _continued(state: SessionState, facts: Facts) -> dict[str, Any]:
    if state.branch_policy != "task":
        return {}
    if not facts.current_is_stale:
        return {"branch": facts.current_branch, "branch_policy": "in_place", "base": facts.current_branch}
    if not facts.stale_base:  # nothing to merge into at the end: refuse now and not after the work
        why = MessageRef("hints.base_unknown", {"branch": facts.current_branch})
        raise ContractViolation("failures.BRANCH_INTERVENTION.branch_operation_failed", choice="continue", errors=why)
    adopted = {"branch": facts.current_branch, "branch_policy": "adopted", "base": facts.stale_base}
    return {**adopted, "base_commit": facts.fork} if facts.current_branch in facts.unreviewed else adopted


def _adopted(facts: Facts) -> tuple[MessageRef, ...]:
    commits = facts.unreviewed.get(facts.current_branch, ())
    values = {"branch": facts.current_branch, "commits": ", ".join(commit[:12] for commit in commits[:5])}
    return (MessageRef("warnings.adopted_unreviewed", values),) if commits else ()


def document_research(state: SessionState, payload: DocumentResearch, facts: Facts) -> Verdict:
    """Require documents that exist, and for every rule a line that exists."""
    if not payload.documents_reviewed:
        raise ContractViolation("failures.DOCUMENT_RESEARCH.empty_documents")
    there = {path for path, fact in facts.files.items() if fact.is_there}
    gone = [path for path in payload.documents_reviewed if path not in there]
    if gone:
        raise ContractViolation("failures.DOCUMENT_RESEARCH.document_not_found", files=", ".join(gone))
    sources = facts.rule_sources or tuple(rule.source for rule in payload.mandatory_rules)
    faults = {
        number: ContractViolation("failures.DOCUMENT_RESEARCH.rule_source_invalid", source=source, why=why)
        for number, source in enumerate(sources, 1)
        if (why := location_fault(source, facts.files))
    }
    if faults:
        raise several(faults, "hints.rule_problem")
    given = list(zip(payload.mandatory_rules, sources, strict=True))
    rules = tuple(MandatoryRule(rule=rule.rule, source=source) for rule, source in given)
    moved = ", ".join(source for rule, source in given if source != rule.source)
    warnings = (MessageRef("warnings.rule_source_widened", {"sources": moved}),) if moved else ()
    return Verdict(updates={"mandatory_rules": rules}, warnings=warnings)


def find_source(rule: str, source: str, lines: Sequence[str]) -> str:
    """Return the source of a rule: with the line beside it, if that one has words of the rule and its own have none.

    A path alone, or a line that the file does not have, gives way to the line that has most words of the rule.
    """
    words = {word for word in content_words(rule) if len(word) >= LONG}

    def shared(first: int, last: int) -> int:
        return len(words.intersection(content_words(" ".join(lines[max(0, first - 1) : last]))))

    place = parse_evidence(source)
    if place is None or not 1 <= place.start <= place.end <= len(lines):
        found = max(range(1, len(lines) + 1), key=lambda line: shared(line, line), default=0)
        return f"{place.path if place else source}:{found}" if found and shared(found, found) >= SHARED else source
    if shared(place.start, place.end):
        return source
    best = max(BESIDE, key=lambda step: shared(place.start + step, place.end + step))
    if shared(place.start + best, place.end + best) < SHARED:
        return source
    start, end = min(place.start, place.start + best), max(place.end, place.end + best)
    return Evidence(place.path, start, end).text


def query_frame(state: SessionState, payload: QueryFrame, facts: Facts) -> Verdict:
    """Check that the quotes are in the request; warn of what a value adds, hint at what is missing."""
    slots = {name: slot for name, slot in payload.slots or () if slot is not None and slot.value.strip()}
    missing = [name for name in SLOTS if name not in slots]
    is_full = state.flags.gate_level == "full"
    if is_full and not slots:
        raise ContractViolation("failures.QUERY_FRAME.slots_required", missing=", ".join(missing))
    if problems := [line for name, slot in slots.items() for line in _problems(name, slot, state.query, is_full)]:
        fields = ", ".join(str(line.values["field"]) for line in problems)
        raise ContractViolation("failures.QUERY_FRAME.quote_not_found", problems=tuple(problems), quotes=fields)
    more = {
        name: added(slot.value, state.query, facts.nearness, is_fault=name in FAULT) for name, slot in slots.items()
    }
    frame = {
        "action_type": payload.action_type.strip() or state.intent.value.lower(),
        **payload.model_dump(mode="json", include={"target_symbols", "scope", "constraints"}),
        "slots": {name: {"value": slot.value, "quote": [*slot.quotes().values()]} for name, slot in slots.items()},
        "uncovered": [name for name, slot in slots.items() if more[name] or not slot.quotes()],
    }
    found = assess(state.model_copy(update={"query_frame": frame}), facts)
    return Verdict(
        updates={"query_frame": frame, "assessment": found},
        warnings=tuple(
            MessageRef("warnings.value_adds", {"slot": name, "words": ", ".join(words)})
            for name, words in more.items()
            if words
        ),
        hints=tuple(
            MessageRef(f"query_frame_hints.{name}_missing")
            for name in missing
            if state.intent is not Intent.IMPLEMENT or name not in FAULT
        ),
    )


def _problems(name: str, slot: Slot, request: str, is_full: bool) -> Iterator[MessageRef]:
    """Yield a line for each quote that does not hold; without gate full a slot may do without one."""
    quotes = slot.quotes()
    if is_full and not quotes:
        yield MessageRef("hints.quote_missing", {"field": f"slots.{name}.quote"})
    for place, quote in quotes.items():
        if not occurs_in(quote, request):
            yield MessageRef("hints.quote_absent", {"field": f"slots.{name}.{place}"})
        elif not has_content(quote):
            yield MessageRef("hints.quote_empty", {"field": f"slots.{name}.{place}"})
