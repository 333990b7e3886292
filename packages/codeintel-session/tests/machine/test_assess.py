"""Risk and confidence are the server's, and a gate answered false is overruled by a fact alone."""

from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.names import Intent
from codeintel_session.machine.assess import assess, contradicts, may_overrule, reason, risk
from codeintel_session.machine.facts import Facts
from codeintel_session.testing import state_at


def frame(targets: tuple[str, ...] = (), uncovered: tuple[str, ...] = (), **values: str) -> dict[str, Any]:
    slots = {name: {"value": value, "quote": [value]} for name, value in values.items()}
    return {"target_symbols": targets, "slots": slots, "uncovered": uncovered}


@pytest.mark.parametrize(
    ("intent", "framed", "found"),
    [
        (Intent.MODIFY, {}, ("HIGH", "risk_no_slot")),
        (Intent.MODIFY, frame(target_feature=" "), ("HIGH", "risk_no_slot")),
        (Intent.IMPLEMENT, frame(desired_action="add a list"), ("LOW", "")),
        (Intent.MODIFY, frame(("f",), desired_action="add a list"), ("HIGH", "risk_no_problem")),
        (Intent.IMPLEMENT, frame(desired_action="add", observed_issue="there is none"), ("LOW", "")),
        (Intent.MODIFY, frame(observed_issue="it crashes at once"), ("HIGH", "risk_no_target")),
        (Intent.MODIFY, frame(observed_issue="it crashes at once", target_feature="login"), ("LOW", "")),
        (Intent.MODIFY, frame(("f",), observed_issue="crashes"), ("MEDIUM", "risk_short_problem")),
        (Intent.MODIFY, frame(("f",), observed_issue="x"), ("MEDIUM", "risk_short_problem")),
        (Intent.MODIFY, frame(("f",), observed_issue="ten letter"), ("LOW", "")),
        (
            Intent.MODIFY,
            frame(("f",), ("observed_issue", "target_feature"), observed_issue="it crashes at once"),
            ("MEDIUM", "risk_uncovered observed_issue, target_feature"),
        ),
        (Intent.MODIFY, frame(("f",), observed_issue="it crashes at once"), ("LOW", "")),
        (Intent.QUESTION, frame(target_feature="login", observed_issue=""), ("LOW", "")),
    ],
)
def test_risk_follows_what_the_request_leaves_open(
    intent: Intent, framed: dict[str, Any], found: tuple[str, str]
) -> None:
    level, why = risk(intent, framed)
    said = " ".join([why.key.removeprefix("hints."), *map(str, why.values.values())]) if why else ""
    assert (level, said) == found


def framed(intent: Intent = Intent.MODIFY, **fields: Any) -> Any:
    return state_at(6, intent=intent, query_frame=frame(("f",), observed_issue="it crashes at once"), **fields)


STANDS, ABSENT, UNKNOWN = Facts(in_text={"f": True}), Facts(in_text={"f": False}), Facts()


@pytest.mark.parametrize(
    ("intent", "facts", "all_shown", "confidence"),
    [
        (Intent.MODIFY, STANDS, True, "high"),
        (Intent.MODIFY, STANDS, False, "medium"),
        (Intent.MODIFY, UNKNOWN, True, "medium"),  # the search failed
        (Intent.MODIFY, ABSENT, True, "low"),
        (Intent.MODIFY, Facts(in_text={"f": True, "new": False}), True, "high"),
        (Intent.IMPLEMENT, ABSENT, True, "high"),  # what is to be made is not there yet
        (Intent.IMPLEMENT, UNKNOWN, True, "high"),
        (Intent.IMPLEMENT, STANDS, False, "medium"),
        (Intent.QUESTION, ABSENT, True, "medium"),
    ],
)
def test_confidence_follows_from_facts(intent: Intent, facts: Facts, all_shown: bool, confidence: str) -> None:
    assert assess(framed(intent), facts, all_shown=all_shown) == {"risk": "LOW", "confidence": confidence}


def test_a_request_that_names_no_symbol_leaves_the_confidence_open() -> None:
    found = assess(state_at(6, query_frame={}), Facts(relevance={"f": 0.912}))
    assert (found["confidence"], found["relevance"]) == ("medium", {"f": 0.91})
    assert found["why"]


USED = Facts(unseen_users={"f": ("a.py", "b.py"), "g": ("b.py", "c.py", "d.py", "e.py", "h.py")})


@pytest.mark.parametrize(
    ("gate", "state", "facts", "key", "values"),
    [
        ("q1", framed(), ABSENT, "absent_targets", {"symbols": "f"}),
        ("q1", framed(), Facts(in_text={"f": False, "g": False}), "absent_targets", {"symbols": "f, g"}),
        ("q2", framed(refuted=("x is y",)), UNKNOWN, "refuted_since", {"hypotheses": "x is y"}),
        ("q3", framed(), USED, "unseen_users", {"symbols": "f, g", "files": "a.py, b.py, c.py, d.py, e.py"}),
    ],
)
def test_a_fact_speaks_against_its_gate(gate: str, state: Any, facts: Facts, key: str, values: dict[str, str]) -> None:
    said = contradicts(state, gate, facts)
    assert said is not None
    assert (said.key, said.values) == (f"warnings.{key}", values)


@pytest.mark.parametrize("gate", ["q1", "q2", "q3"])
@pytest.mark.parametrize("facts", [STANDS, UNKNOWN, Facts(in_text={"f": True, "to_be_made": False})])
def test_without_a_fact_no_gate_is_overruled(gate: str, facts: Facts) -> None:
    assert contradicts(framed(), gate, facts) is None
    assert contradicts(framed(Intent.IMPLEMENT), gate, ABSENT) is None


def test_only_a_false_in_gate_auto_may_be_overruled_and_only_once() -> None:
    assert may_overrule(framed(), "q1", answer=False)
    assert not may_overrule(framed(), "q1", answer=True)
    assert not may_overrule(framed(overruled=("q1",)), "q1", answer=False)
    assert may_overrule(framed(overruled=("q1",)), "q3", answer=False)
    assert not may_overrule(framed(flags=Flags(gate_level="full")), "q1", answer=False)


def test_a_risk_above_low_comes_with_its_reason() -> None:
    assert reason({"risk": "low"}) is None
    why = reason({"risk": "high", "why": ["hints.base_unknown", {"branch": "b"}]})
    assert (why and why.key, why and why.values) == ("hints.base_unknown", {"branch": "b"})
