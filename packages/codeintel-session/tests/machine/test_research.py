"""Steps 2 to 4: old branches, documents, the request taken apart."""

from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.effects import ResolveStale
from codeintel_session.machine.facts import Facts, FileFact
from codeintel_session.testing import judge, state_at

FRAME: dict[str, Any] = {"action_type": "a", "target_symbols": ["f"], "scope": "s", "constraints": "c"}


@pytest.mark.parametrize("choice", ["delete", "merge"])
def test_deleting_and_merging_are_effects_on_the_branches_seen(choice: str) -> None:
    decision = judge(state_at(2, stale_branches=("x", "y")), choice=choice)
    assert decision.effects == (ResolveStale(choice, ("x", "y")),)
    assert decision.state.stale_branches == ()
    assert decision.state.phase_state.step == 4


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


def test_a_frame_is_kept_assessed_and_what_is_missing_becomes_a_hint() -> None:
    slots = {"desired_action": {"value": "mend it", "quote": "mend"}, "observed_issue": {"value": " ", "quote": ""}}
    decision = judge(state_at(4), Facts(defined={"f": True}), **FRAME, slots=slots | {"desired_action": None})
    assert decision.state.query_frame["slots"] == {}
    assert [say.key.rpartition(".")[2] for say in decision.hints] == [
        "target_feature_missing",
        "trigger_condition_missing",
        "observed_issue_missing",
        "desired_action_missing",
    ]
    assert decision.state.assessment["risk"] == "HIGH"


@pytest.mark.parametrize(
    ("slot", "key"),
    [
        ({"value": "mend", "quote": "repair"}, "quote_not_found"),
        ({"value": "drop count_all", "quote": "mend count_all"}, "value_not_covered"),
    ],
)
def test_a_slot_that_says_more_than_the_request_is_named(slot: dict[str, str], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        judge(state_at(4), **FRAME, slots={"desired_action": slot})
    assert caught.value.key == f"failures.QUERY_FRAME.{key}"
    assert caught.value.values["slot"] == "desired_action"


def test_a_value_without_a_quote_passes_in_auto_and_counts_as_uncovered() -> None:
    slots = {"observed_issue": {"value": "it crashes at once", "quote": ""}}
    assert judge(state_at(4), **FRAME, slots=slots).state.assessment["risk"] == "MEDIUM"


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
