"""The server's own assessment of a request and of its exploration: risk, confidence, and the facts against a gate.

A gate that is answered `false` is overruled once, and only by a fact that the server holds (1-flow 1.4). What the index
does not know is not a fact: it neither overrules nor lowers the confidence.
"""

from collections.abc import Mapping
from typing import Any

from codeintel_contract import Intent
from codeintel_session.machine.facts import Facts
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.verdict import MessageRef

SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
FAULT = ("trigger_condition", "observed_issue")
"""The slots that describe what goes wrong; a request for something new has none."""
USERS_NAMED = 5
"""The most files that a warning names as users of the target symbols."""
SHORT_ISSUE = 10
"""An observed issue shorter than this raises the risk to MEDIUM."""


def risk(intent: Intent, frame: Mapping[str, Any]) -> tuple[str, MessageRef | None]:
    """Return HIGH, MEDIUM or LOW, and the reason (None for LOW). What is new need not repair anything."""
    values = {name: slot["value"].strip() for name, slot in (frame.get("slots") or {}).items()}
    if not any(values.values()):
        return "HIGH", MessageRef("hints.risk_no_slot")
    if intent is not Intent.IMPLEMENT and values.get("desired_action") and not values.get("observed_issue"):
        return "HIGH", MessageRef("hints.risk_no_problem")
    if intent is Intent.MODIFY and not values.get("target_feature") and not frame.get("target_symbols"):
        return "HIGH", MessageRef("hints.risk_no_target")
    if 0 < len(values.get("observed_issue", "")) < SHORT_ISSUE:
        return "MEDIUM", MessageRef("hints.risk_short_problem")
    if uncovered := frame.get("uncovered"):
        return "MEDIUM", MessageRef("hints.risk_uncovered", {"slots": ", ".join(uncovered)})
    return "LOW", None


def assess(state: SessionState, facts: Facts, *, all_shown: bool = True) -> dict[str, Any]:
    """Return the `assessment` of a reply: risk and confidence. `why` holds a key and its values.

    Args:
        state: the session with the submitted frame.
        facts: what the text of the project says about the target symbols.
        all_shown: every file that the findings name was shown by a tool.
    """
    frame = state.query_frame
    targets = tuple(frame.get("target_symbols", ()))
    level, why = risk(state.intent, frame)
    assessment: dict[str, Any] = {"risk": level, "confidence": _confidence(state, targets, facts, all_shown=all_shown)}
    if why:
        assessment["why"] = [why.key, dict(why.values)]
    if facts.relevance:
        assessment["relevance"] = {name: round(score, 2) for name, score in facts.relevance.items()}
    return assessment


def _confidence(state: SessionState, targets: tuple[str, ...], facts: Facts, *, all_shown: bool) -> str:
    if _absent(state, facts):
        return "low"
    present = bool(targets) and all(facts.in_text.get(name, False) for name in targets)
    return "high" if all_shown and (present or state.intent is Intent.IMPLEMENT) else "medium"


def _absent(state: SessionState, facts: Facts) -> list[str]:
    """List the target symbols of a MODIFY of which none occurs in the text.

    Beside one that does, the others may be what the change makes, as with any other intent.
    """
    is_lost = state.intent is Intent.MODIFY and not any(facts.in_text.values())
    return list(facts.in_text) if is_lost else []


def reason(assessment: Mapping[str, Any]) -> MessageRef | None:
    """Return the reason for the risk in an assessment; None for a low risk."""
    return MessageRef(*assessment["why"]) if "why" in assessment else None


def may_overrule(state: SessionState, gate: str, *, answer: bool) -> bool:
    """Return True if a fact may overrule this answer: a false in gate auto, once for each gate."""
    return not answer and state.flags.gate_level == "auto" and gate not in state.overruled


def contradicts(state: SessionState, gate: str, facts: Facts) -> MessageRef | None:
    """Return the fact that contradicts the answer `false` at this gate; None if there is none."""
    if gate == "q1" and (absent := _absent(state, facts)):
        return MessageRef("warnings.absent_targets", {"symbols": ", ".join(absent)})
    if gate == "q2" and state.refuted:
        return MessageRef("warnings.refuted_since", {"hypotheses": "; ".join(state.refuted)})
    if gate == "q3" and facts.unseen_users:
        files = dict.fromkeys(path for paths in facts.unseen_users.values() for path in paths)
        values = {"symbols": ", ".join(facts.unseen_users), "files": ", ".join([*files][:USERS_NAMED])}
        return MessageRef("warnings.unseen_users", values)
    return None
