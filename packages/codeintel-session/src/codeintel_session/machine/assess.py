"""The server's own judgement of a request and of the exploration: risk, confidence, and the gaps.

The agent's word is not asked for. Each gap is a message key with its values; a gate answered `false`
against a gap of its own is overruled once (1-flow 1.4).
"""

from collections.abc import Mapping
from typing import Any

from codeintel_contract.names import Intent

from .quotes import uncovered
from .state import SessionState
from .verdict import Say

SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
SHORT_ISSUE = 10
"""An observed issue of fewer characters is hardly one."""


def risk(intent: Intent, slots: Mapping[str, Mapping[str, str]], targets: tuple[str, ...]) -> tuple[str, str]:
    """HIGH, MEDIUM or LOW, and why ("" for LOW)."""
    values = {name: slot.get("value", "").strip() for name, slot in slots.items()}
    if not any(values.values()):
        return "HIGH", "no slot is filled"
    if values.get("desired_action") and not values.get("observed_issue"):
        return "HIGH", "a desired action without an observed problem"
    if intent is Intent.MODIFY and not values.get("target_feature") and not targets:
        return "HIGH", "a modification without a target"
    if 0 < len(values.get("observed_issue", "")) < SHORT_ISSUE:
        return "MEDIUM", "the problem is hardly described"
    if bare := [
        name for name, slot in slots.items() if values[name] and uncovered(values[name], slot.get("quote", ""))
    ]:
        return "MEDIUM", f"no quote covers {', '.join(bare)}"
    return "LOW", ""


def assess(state: SessionState, defined: Mapping[str, bool], relevance: Mapping[str, float]) -> dict[str, Any]:
    """The `assessment` of a reply: risk, confidence, and what is missing."""
    frame = state.query_frame
    targets = tuple(frame.get("target_symbols", ()))
    level, why = risk(state.intent, frame.get("slots") or {}, targets)
    undefined = [name for name in targets if not defined.get(name, False)]
    unreferenced = [name for name in targets if name not in undefined and not is_referenced(state, name)]
    several = len(state.explored) > 1
    gaps = bool(undefined) or not state.explored or (several and bool(unreferenced)) or level == "HIGH"
    found: dict[str, Any] = {"risk": level, "confidence": "low" if gaps else "high"}
    if why:
        found["why"] = why
    if undefined:
        found["undefined"] = undefined
    if several and unreferenced:
        found["unreferenced"] = unreferenced
    if relevance:
        found["relevance"] = {name: round(score, 2) for name, score in relevance.items()}
    return found


def is_referenced(state: SessionState, name: str) -> bool:
    """True if a reference look-up of the name, or of the last part of a dotted one, was seen."""
    return name in state.referenced or name.rpartition(".")[2] in state.referenced


def contradicts(state: SessionState, gate: str) -> Say | None:
    """The fact of the assessment that speaks against answering `false` at this gate, if there is one."""
    seen = state.assessment
    if gate == "q1" and seen.get("undefined") and state.intent is not Intent.IMPLEMENT:
        return Say("warnings.undefined_targets", {"symbols": ", ".join(seen["undefined"])})
    if gate == "q2" and seen.get("risk") == "HIGH" and state.intent is Intent.MODIFY:
        return Say("warnings.high_risk", {"why": seen.get("why", "")})
    # The assessment is of the exploration; what was looked up since then is no gap any more.
    open_names = [name for name in seen.get("unreferenced", ()) if not is_referenced(state, name)]
    if gate == "q3" and open_names and state.intent.implements:
        return Say("warnings.no_reference_lookup", {"symbols": ", ".join(open_names)})
    return None
