"""Steps 2 to 4: old branches, documents, the request taken apart."""

from dataclasses import replace
from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.loader import load_contract
from codeintel_contract.names import Intent
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.facts import Facts, FileFact
from codeintel_session.machine.judges.research import find_source
from codeintel_session.machine.verdict import ResolveStale
from codeintel_session.replies.reply import refusal_reply
from codeintel_session.testing import judge, state_at

FRAME: dict[str, Any] = {"action_type": "a", "target_symbols": ["f"], "scope": "s", "constraints": "c"}


@pytest.mark.parametrize("choice", ["delete", "merge"])
def test_deleting_and_merging_are_effects_on_the_branches_seen(choice: str) -> None:
    decision = judge(state_at(2, stale_branches=("x", "y")), choice=choice)
    assert decision.effects == (ResolveStale(choice, ("x", "y")),)
    assert decision.state.stale_branches == ()
    assert decision.state.phase_state.step == 4


@pytest.mark.parametrize(
    ("choice", "current", "resolved"),
    [("delete", "main", ("free",)), ("merge", "main", ()), ("merge", "free", ("free",)), ("delete", "free", ("free",))],
)
def test_a_branch_with_commits_nobody_reviewed_stays_unless_the_user_chose(
    choice: str, current: str, resolved: tuple[str, ...]
) -> None:
    facts = Facts(unreviewed={"held": ("c1",)}, current_branch=current, current_is_stale=current != "main")
    decision = judge(state_at(2, stale_branches=("held", "free")), facts, choice=choice)
    assert [(say.key, say.values) for say in decision.warnings] == [("warnings.branches_stay", {"branches": "held"})]
    assert decision.effects == ((ResolveStale(choice, resolved),) if resolved else ())
    chosen = judge(state_at(2, stale_branches=("held", "free")), replace(facts, user_chose=choice), choice=choice)
    assert (chosen.effects, chosen.warnings) == ((ResolveStale(choice, ("held", "free")),), ())


def test_a_branch_that_stays_and_is_checked_out_is_adopted_and_its_commits_are_reviewed() -> None:
    facts = Facts(
        unreviewed={"held": ("c1",)}, current_branch="held", current_is_stale=True, stale_base="main", fork="f"
    )
    decision = judge(state_at(2, stale_branches=("held",)), facts, choice="delete")
    assert [say.key for say in decision.warnings] == ["warnings.branches_stay", "warnings.adopted_unreviewed"]
    assert (decision.effects, decision.state.branch, decision.state.base_commit) == ((), "held", "f")


def test_continuing_on_a_task_branch_adopts_it() -> None:
    facts = Facts(current_branch="llm_task_x", current_is_stale=True, stale_base="main")
    after = judge(state_at(2, stale_branches=("llm_task_x",)), facts, choice="continue").state
    assert (after.branch, after.branch_policy, after.base) == ("llm_task_x", "adopted", "main")


def test_a_branch_whose_base_is_unknown_is_not_adopted() -> None:
    facts = Facts(current_branch="llm_task_x", current_is_stale=True)
    with pytest.raises(ContractViolation, match="branch_operation_failed"):
        judge(state_at(2, stale_branches=("llm_task_x",)), facts, choice="continue")


def test_continuing_elsewhere_commits_in_place() -> None:
    after = judge(state_at(2, stale_branches=("x",)), Facts(current_branch="dev"), choice="continue").state
    assert (after.branch, after.branch_policy, after.base) == ("dev", "in_place", "dev")


def test_a_session_without_commits_changes_nothing_by_continuing() -> None:
    quick = state_at(2, stale_branches=("x",), branch_policy="none", branch="", flags=Flags(quick=True))
    after = judge(quick, Facts(current_branch="dev"), choice="continue").state
    assert (after.branch, after.branch_policy) == ("", "none")


DOCUMENTS = Facts(
    files={
        "docs/a.md": FileFact("docs/a.md", True, True, 3),
        "gone.md": FileFact("gone.md", True, False),
        "/etc/hosts": FileFact("/etc/hosts", False, True),
    }
)


def test_documents_and_their_rules_are_kept() -> None:
    rule = {"rule": "r", "source": "docs/a.md:3"}
    after = judge(state_at(3), DOCUMENTS, documents_reviewed=["docs/a.md"], mandatory_rules=[rule]).state
    assert after.mandatory_rules[0].source == "docs/a.md:3"


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"documents_reviewed": []}, "empty_documents"),
        ({"documents_reviewed": ["docs/a.md", "gone.md"]}, "document_not_found"),
        ({"documents_reviewed": ["/etc/hosts"]}, "document_not_found"),
        ({"documents_reviewed": ["never looked up"]}, "document_not_found"),
        (
            {"documents_reviewed": ["docs/a.md"], "mandatory_rules": [{"rule": "r", "source": "docs/a.md:9"}]},
            "rule_source_invalid",
        ),
        (
            {"documents_reviewed": ["docs/a.md"], "mandatory_rules": [{"rule": "r", "source": "docs/a.md"}]},
            "rule_source_invalid",
        ),
    ],
)
def test_documents_that_cannot_be_checked_are_refused(fields: dict[str, Any], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        judge(state_at(3), DOCUMENTS, **fields)
    assert caught.value.key == f"failures.DOCUMENT_RESEARCH.{key}"


@pytest.mark.parametrize(
    ("intent", "missing"),
    [
        (Intent.MODIFY, ["target_feature", "trigger_condition", "observed_issue", "desired_action"]),
        (Intent.IMPLEMENT, ["target_feature", "desired_action"]),
    ],
)
def test_a_frame_is_kept_assessed_and_what_is_missing_becomes_a_hint(intent: Intent, missing: list[str]) -> None:
    """What is new need not repair anything."""
    slots = {"desired_action": {"value": "mend it", "quote": "mend"}, "observed_issue": {"value": " ", "quote": ""}}
    state = state_at(4, intent=intent)
    decision = judge(state, Facts(in_text={"f": True}), **FRAME, slots=slots | {"desired_action": None})
    assert decision.state.query_frame["slots"] == {}
    assert [say.key.rpartition(".")[2].removesuffix("_missing") for say in decision.hints] == missing
    assert decision.state.assessment["risk"] == "HIGH"


def test_every_quote_that_does_not_hold_is_named_in_one_refusal() -> None:
    slots = {
        "observed_issue": {"value": "it crashes", "quote": ["crashes", "falls over", "so"]},
        "desired_action": {"value": "repair", "quote": "repair it"},
        "target_feature": {"value": "count_all", "quote": "count_all"},
    }
    with pytest.raises(ContractViolation) as caught:
        judge(state_at(4, query="count_all crashes, so mend it"), **FRAME, slots=slots)
    assert caught.value.key == "failures.QUERY_FRAME.quote_not_found"
    refused = refusal_reply(load_contract(None), caught.value)
    assert sorted(refused["problems"]) == [
        "slots.desired_action.quote: not in the request",
        "slots.observed_issue.quote[1]: not in the request",
        "slots.observed_issue.quote[2]: holds no content word",
    ]
    assert all(line.partition(":")[0] in refused["message"] for line in refused["problems"])


def test_every_rule_whose_source_does_not_hold_is_named_in_one_refusal() -> None:
    facts = Facts(files={"a.md": FileFact("a.md", True, True, 3)})
    rules = [{"rule": "r", "source": source} for source in ("a.md:9", "a.md:1", "b.md:1", "a.md")]
    with pytest.raises(ContractViolation) as caught:
        judge(state_at(3), facts, documents_reviewed=["a.md"], mandatory_rules=rules)
    problems = refusal_reply(load_contract(None), caught.value)["problems"]
    assert [line.partition(":")[0] for line in problems] == [f"mandatory_rules[{number}]" for number in (1, 3, 4)]
    assert "the line is out of range" in problems[0]


def test_a_value_in_the_agents_own_words_is_accepted_without_a_warning() -> None:
    slots = {"observed_issue": {"value": "an exception instead of a result", "quote": ["crashes", "empty list"]}}
    decision = judge(state_at(4, query="count_all crashes on an empty list"), **FRAME, slots=slots)
    assert (decision.warnings, decision.state.assessment["risk"]) == ((), "LOW")
    assert decision.state.query_frame["slots"]["observed_issue"]["quote"] == ["crashes", "empty list"]


def test_a_value_that_names_more_than_the_request_is_accepted_with_a_warning_and_more_risk() -> None:
    slots = {"observed_issue": {"value": "drop_tables crashes too", "quote": "crashes"}}
    decision = judge(state_at(4, query="count_all crashes on an empty list"), **FRAME, slots=slots)
    assert [(say.key, say.values) for say in decision.warnings] == [
        ("warnings.value_adds", {"slot": "observed_issue", "words": "drop_tables"})
    ]
    assert decision.state.assessment["risk"] == "MEDIUM"


def test_a_value_without_a_quote_passes_in_auto_and_counts_as_uncovered() -> None:
    slots = {"observed_issue": {"value": "it crashes at once", "quote": [" "]}}
    assert judge(state_at(4), **FRAME, slots=slots).state.assessment["risk"] == "MEDIUM"


def test_the_action_is_the_intent_if_it_is_left_out() -> None:
    after = judge(state_at(4), target_symbols=["f"]).state
    assert (after.query_frame["action_type"], after.query_frame["scope"]) == ("modify", "")


@pytest.mark.parametrize(
    ("slots", "key"),
    [
        (None, "slots_required"),
        ({}, "slots_required"),
        ({"observed_issue": {"value": "it crashes", "quote": ""}}, "quote_not_found"),
    ],
)
def test_gate_full_wants_slots_and_their_quotes(slots: Any, key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        judge(state_at(4, flags=Flags(gate_level="full")), **FRAME, slots=slots)
    assert caught.value.key == f"failures.QUERY_FRAME.{key}"


@pytest.mark.parametrize(
    ("source", "widened"),
    [
        ("a.md:1", "a.md:1-2"),  # its own line is a heading
        ("a.md:2", "a.md:2"),
        ("a.md:3", "a.md:2-3"),
        ("a.md:5", "a.md:5"),  # nothing beside it has words of the rule
        ("a.md:9", "a.md:2"),  # there is no such line
        ("a.md", "a.md:2"),
    ],
)
def test_a_source_beside_the_rule_is_widened_to_it(source: str, widened: str) -> None:
    lines = ["# Style", "Never return None from a public function.", "", "", "Another matter", ""]
    assert find_source("Public functions never return None", source, lines) == widened


def test_a_source_without_a_line_that_states_the_rule_stays_as_it_is() -> None:
    assert find_source("Names are short", "a.md:9", ["# Style", "Never return None."]) == "a.md:9"
    assert find_source("Names are short", "a.md", []) == "a.md"
