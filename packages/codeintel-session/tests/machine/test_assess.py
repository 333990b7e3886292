"""Risk and confidence are the server's, and a gate answered false against a gap is overruled once."""

from typing import Any

import pytest

from codeintel_contract.names import Intent
from codeintel_session.machine.assess import assess, contradicts, risk
from codeintel_session.testing import state_at


def slot(value: str, quote: str | None = None) -> dict[str, str]:
    return {"value": value, "quote": value if quote is None else quote}


UNTOLD = "a desired action without an observed problem"
NO_TARGET = "a modification without a target"


@pytest.mark.parametrize(
    ("intent", "slots", "targets", "found"),
    [
        (Intent.MODIFY, {}, (), ("HIGH", "no slot is filled")),
        (Intent.MODIFY, {"target_feature": {}}, (), ("HIGH", "no slot is filled")),
        (Intent.IMPLEMENT, {"desired_action": slot("add a list")}, (), ("HIGH", UNTOLD)),
        (Intent.IMPLEMENT, {"desired_action": slot("add"), "observed_issue": slot("there is none")}, (), ("LOW", "")),
        (
            Intent.MODIFY,
            {"observed_issue": slot("it crashes at once")},
            (),
            ("HIGH", "a modification without a target"),
        ),
        (
            Intent.MODIFY,
            {"observed_issue": slot("it crashes at once"), "target_feature": slot("login")},
            (),
            ("LOW", ""),
        ),
        (Intent.MODIFY, {"observed_issue": slot("crashes")}, ("f",), ("MEDIUM", "the problem is hardly described")),
        (Intent.MODIFY, {"observed_issue": slot("x")}, ("f",), ("MEDIUM", "the problem is hardly described")),
        (Intent.MODIFY, {"observed_issue": slot("ten letter")}, ("f",), ("LOW", "")),
        (
            Intent.MODIFY,
            {"observed_issue": slot("it crashes at once", ""), "target_feature": {"value": "login"}},
            ("f",),
            ("MEDIUM", "no quote covers observed_issue, target_feature"),
        ),
        (Intent.MODIFY, {"observed_issue": slot("it crashes at once")}, ("f",), ("LOW", "")),
        (Intent.QUESTION, {"target_feature": slot("login"), "observed_issue": slot("")}, (), ("LOW", "")),
    ],
)
def test_risk_follows_what_the_request_leaves_open(
    intent: Intent, slots: dict[str, dict[str, str]], targets: tuple[str, ...], found: tuple[str, str]
) -> None:
    assert risk(intent, slots, targets) == found


def framed(**fields: Any) -> Any:
    slots = {"observed_issue": slot("it crashes at once")}
    return state_at(6, query_frame={"target_symbols": ["f"], "slots": slots}, **fields)


def test_confidence_is_high_only_if_nothing_is_missing() -> None:
    good = framed(explored=("a.py", "b.py"), referenced=("f",))
    assert assess(good, {"f": True}, {"f": 0.912}) == {
        "risk": "LOW",
        "confidence": "high",
        "relevance": {"f": 0.91},
    }
    assert assess(good, {}, {})["undefined"] == ["f"]
    assert assess(framed(), {"f": True}, {})["confidence"] == "low"
    found = assess(framed(explored=("a.py", "b.py")), {"f": True}, {})
    assert (found["confidence"], found["unreferenced"]) == ("low", ["f"])
    assert assess(state_at(6), {}, {})["why"]


@pytest.mark.parametrize(
    ("gate", "intent", "assessment", "key"),
    [
        ("q1", Intent.MODIFY, {"undefined": ["f"]}, "undefined_targets"),
        ("q2", Intent.MODIFY, {"risk": "HIGH", "why": "w"}, "high_risk"),
        ("q3", Intent.MODIFY, {"unreferenced": ["f"]}, "no_reference_lookup"),
    ],
)
def test_a_gap_speaks_against_its_gate(gate: str, intent: Intent, assessment: dict[str, Any], key: str) -> None:
    said = contradicts(state_at(6, intent=intent, assessment=assessment), gate)
    assert said is not None
    assert said.key == f"warnings.{key}"


@pytest.mark.parametrize(
    ("gate", "intent", "assessment", "referenced"),
    [
        ("q1", Intent.IMPLEMENT, {"undefined": ["f"]}, ()),  # what is to be made is not there yet
        ("q2", Intent.IMPLEMENT, {"risk": "HIGH"}, ()),
        ("q3", Intent.QUESTION, {"unreferenced": ["f"]}, ()),
        ("q3", Intent.MODIFY, {"unreferenced": ["A.f"]}, ("f",)),  # looked up since the exploration
        ("q1", Intent.MODIFY, {}, ()),
    ],
)
def test_what_is_no_gap_overrules_nothing(
    gate: str, intent: Intent, assessment: dict[str, Any], referenced: tuple[str, ...]
) -> None:
    assert contradicts(state_at(6, intent=intent, assessment=assessment, referenced=referenced), gate) is None
