"""Judges of the exploration: the explored files, the three gates, and the phases the gates lead to."""

from collections.abc import Iterable

from codeintel_contract import (
    Q1,
    Q2,
    Q3,
    ContractViolation,
    Exploration,
    ImpactAnalysis,
    Key,
    Semantic,
    Verification,
    plain_tool,
)
from codeintel_session.machine.assess import assess, contradicts, may_overrule
from codeintel_session.machine.checklist import location_fault, parse_evidence, plain_path
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.limits import MIN_REASON, VERDICT_CHARS
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.observations import union
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.verdict import MessageRef, Verdict

JUDGEMENTS = ("will_modify", "no_change_needed", "not_affected")
"""The possible judgments of a file that must be verified."""


def exploration(state: SessionState, payload: Exploration, facts: Facts) -> Verdict:
    """Require findings, and explored files that a tool of this session has shown."""
    if facts.has_sources and not (payload.explored_files and _has_text(payload.findings)):
        raise ContractViolation("failures.EXPLORATION.empty_result")
    seen = set(state.seen)
    paths = [facts.files[path].path for path in payload.explored_files if path in facts.files]
    shown = {path for path, fact in facts.files.items() if fact.is_there and fact.path in seen}
    unseen = [path for path in payload.explored_files if path not in shown]
    if unseen:
        raise ContractViolation(
            "failures.EXPLORATION.unseen_files",
            problems=tuple(MessageRef("hints.file_unseen", {"path": path}) for path in unseen),
            files=", ".join(unseen),
        )
    explored = union(state.explored, paths)
    named = [fact for fact in facts.files.values() if fact.is_there]
    assessment = assess(state, facts, all_shown=all(fact.path in seen for fact in named))
    return Verdict(updates={"explored": explored, "assessment": assessment})


def _has_text(lines: Iterable[str]) -> bool:
    return any(line.strip() for line in lines)


ANSWERS = {
    Key.Q1: "needs_more_information",
    Key.Q2: "has_unverified_hypotheses",
    Key.Q3: "needs_impact_analysis",
}
"""The questions of the flow, by the field that answers each."""


def gate(state: SessionState, payload: Q1 | Q2 | Q3, facts: Facts) -> Verdict:
    """Judge the answer to a question: is a semantic search, a check of hypotheses or an impact analysis needed?"""
    key = Key(type(payload).__name__)
    name, answer = key.lower(), getattr(payload, ANSWERS[key])
    if len(payload.reason.strip()) < MIN_REASON:
        raise ContractViolation(f"failures.{key}.reason_too_short")
    fact = contradicts(state, name, facts) if may_overrule(state, name, answer=answer) else None
    if fact is None:
        return Verdict(updates={"answers": {**state.answers, name: answer}})
    updates = {"answers": {**state.answers, name: True}, "overruled": (*state.overruled, name)}
    return Verdict(updates=updates, warnings=(MessageRef("warnings.gate_overruled", {"fact": fact}),))


def semantic(state: SessionState, payload: Semantic, facts: Facts) -> Verdict:
    """Require search results, unless the observed searches returned none."""
    found = sum(call.count for call in state.observed if call.tool == "semantic_search" and call.ok)
    if not _has_text(payload.search_results) and found:
        raise ContractViolation("failures.SEMANTIC.empty_search_results")
    return Verdict()


def verification(state: SessionState, payload: Verification, facts: Facts) -> Verdict:
    """Require for every hypothesis a location in the code or a call that the server observed."""
    if not payload.hypotheses_verified:
        raise ContractViolation("failures.VERIFICATION.empty_hypotheses")
    for entry in payload.hypotheses_verified:
        if not entry.evidence.strip():
            name = "evidence_required" if entry.result else "result_false_exists"
            raise ContractViolation(f"failures.VERIFICATION.{name}", hypothesis=entry.hypothesis)
        if why := _evidence_fault(state, entry.evidence, facts):
            raise ContractViolation("failures.VERIFICATION.evidence_invalid", evidence=entry.evidence, why=why)
    refuted = [entry.hypothesis for entry in payload.hypotheses_verified if not entry.result]
    warnings = (MessageRef("warnings.hypothesis_refuted", {"hypotheses": "; ".join(refuted)}),) if refuted else ()
    return Verdict(updates={"refuted": tuple(refuted)}, warnings=warnings)


def _evidence_fault(state: SessionState, evidence: str, facts: Facts) -> MessageRef | None:
    if parse_evidence(evidence) is not None:
        return location_fault(evidence, facts.files)
    named = plain_tool(evidence.split("(")[0])
    return None if named in state.tools_called() else MessageRef("hints.no_evidence")


def impact_analysis(state: SessionState, payload: ImpactAnalysis, facts: Facts) -> Verdict:
    """Require a judgment of each file that the last analysis listed in `must_verify`."""
    if not payload.impact_summary:
        raise ContractViolation("failures.IMPACT_ANALYSIS.empty_impact_summary")
    given = {plain_path(path): value for path, value in payload.impact_summary.items()}
    missing = [path for path in state.must_verify if not any(word in str(given.get(path)) for word in JUDGEMENTS)]
    if missing:
        raise ContractViolation(
            "failures.IMPACT_ANALYSIS.impact_files_missing",
            problems=tuple(MessageRef("hints.file_not_judged", {"path": path}) for path in missing),
            files=names_of(missing),
        )
    told = {path: str(value)[:VERDICT_CHARS] for path, value in given.items()}
    return Verdict(updates={"impact": {**state.impact, **told}})
