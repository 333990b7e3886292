"""Steps 5 to 11: what was looked at, the three gates, and what they lead to."""

from collections.abc import Iterable

from codeintel_contract.names import plain_tool
from codeintel_contract.payloads import Q1, Q2, Q3, Exploration, ImpactAnalysis, Semantic, Verification
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.assess import assess, contradicts
from codeintel_session.machine.checklist import parse_evidence, plain_path, valid_place
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.limits import MIN_REASON
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.tools_used import observed
from codeintel_session.machine.verdict import Say, Verdict

JUDGEMENTS = ("will_modify", "no_change_needed", "not_affected")
"""What may become of a file of must_verify."""


def exploration(state: SessionState, payload: Exploration, facts: Facts) -> Verdict:
    """Files were shown by a tool of this session, and something was found."""
    if facts.has_sources and not (payload.explored_files and _said(payload.findings)):
        raise ContractViolation("failures.EXPLORATION.empty_result")
    seen = set(state.seen)
    paths = [facts.files[path].path for path in payload.explored_files if path in facts.files]
    unseen = [path for path in payload.explored_files if path not in facts.files or not _shown(facts, path, seen)]
    if unseen:
        raise ContractViolation(
            "failures.EXPLORATION.unseen_files",
            problems=tuple(f"explored_files: {path} was not shown by a tool" for path in unseen),
            files=", ".join(unseen),
        )
    explored = tuple(dict.fromkeys((*state.explored, *paths)))
    found = assess(state.model_copy(update={"explored": explored}), facts.defined, facts.relevance)
    return Verdict(updates={"explored": explored, "assessment": found})


def _said(lines: Iterable[str]) -> bool:
    return any(line.strip() for line in lines)


def _shown(facts: Facts, path: str, seen: set[str]) -> bool:
    fact = facts.files[path]
    return fact.inside and fact.exists and fact.path in seen


def q1(state: SessionState, payload: Q1, facts: Facts) -> Verdict:
    """Is a search by meaning needed?"""
    return _gate(state, "q1", payload.needs_more_information, payload.reason)


def q2(state: SessionState, payload: Q2, facts: Facts) -> Verdict:
    """Are there hypotheses to verify?"""
    return _gate(state, "q2", payload.has_unverified_hypotheses, payload.reason)


def q3(state: SessionState, payload: Q3, facts: Facts) -> Verdict:
    """Is the impact to be analysed?"""
    return _gate(state, "q3", payload.needs_impact_analysis, payload.reason)


def _gate(state: SessionState, name: str, answer: bool, reason: str) -> Verdict:
    if len(reason.strip()) < MIN_REASON:
        raise ContractViolation(f"failures.{name.upper()}.reason_too_short")
    fact = None if answer or state.flags.gate_level == "full" or name in state.overruled else contradicts(state, name)
    if fact is None:
        return Verdict(updates={"answers": {**state.answers, name: answer}})
    updates = {"answers": {**state.answers, name: True}, "overruled": (*state.overruled, name)}
    return Verdict(updates=updates, warnings=(Say("warnings.gate_overruled", {"fact": fact}),))


def semantic(state: SessionState, payload: Semantic, facts: Facts) -> Verdict:
    """Results are named, unless the search that was seen returned none."""
    found = sum(call.count for call in state.observed if call.tool == "semantic_search" and call.ok)
    if not _said(payload.search_results) and found:
        raise ContractViolation("failures.SEMANTIC.empty_search_results")
    return Verdict()


def verification(state: SessionState, payload: Verification, facts: Facts) -> Verdict:
    """Every hypothesis is settled by a place in the code or a call the server saw."""
    if not payload.hypotheses_verified:
        raise ContractViolation("failures.VERIFICATION.empty_hypotheses")
    for entry in payload.hypotheses_verified:
        if not entry.evidence.strip():
            name = "evidence_required" if entry.result else "result_false_exists"
            raise ContractViolation(f"failures.VERIFICATION.{name}", hypothesis=entry.hypothesis)
        if why := _evidence_fault(state, entry.evidence, facts):
            raise ContractViolation("failures.VERIFICATION.evidence_invalid", evidence=entry.evidence, why=why)
    refuted = [entry.hypothesis for entry in payload.hypotheses_verified if not entry.result]
    said = (Say("warnings.hypothesis_refuted", {"hypotheses": "; ".join(refuted)}),) if refuted else ()
    return Verdict(warnings=said)


def _evidence_fault(state: SessionState, evidence: str, facts: Facts) -> str:
    if parse_evidence(evidence) is not None:
        return valid_place(evidence, facts.files)
    named = plain_tool(evidence.split("(")[0])
    return "" if named in observed(state) else "neither a file:line nor a call seen in this phase"


def impact_analysis(state: SessionState, payload: ImpactAnalysis, facts: Facts) -> Verdict:
    """Each file the last analysis says must be verified is judged."""
    if not payload.impact_summary:
        raise ContractViolation("failures.IMPACT_ANALYSIS.empty_impact_summary")
    given = {plain_path(path): value for path, value in payload.impact_summary.items()}
    missing = [path for path in state.must_verify if not _judged(given.get(path))]
    if missing:
        raise ContractViolation(
            "failures.IMPACT_ANALYSIS.impact_files_missing",
            problems=tuple(f"impact_summary: {path} is not judged" for path in missing),
            files=", ".join(missing[:20]) + (f" and {len(missing) - 20} more" if len(missing) > 20 else ""),
        )
    return Verdict()


def _judged(value: object) -> bool:
    return any(word in str(value) for word in JUDGEMENTS) if value is not None else False
