"""The names and demands that clients, skills and projects build on: they change on purpose or not at all."""

import pytest

from codeintel_contract.loader import load_contract
from codeintel_contract.names import EXPLORATION_TOOLS, Intent, Key
from codeintel_contract.payloads import PAYLOADS

CLOSING = {Key.READY_COMPLETE, Key.MERGE}


def test_the_tools_that_count_as_exploration() -> None:
    assert sorted(EXPLORATION_TOOLS) == [
        "analyze_structure",
        "find_definitions",
        "find_references",
        "get_function_at_line",
        "get_symbols",
        "query",
        "read_lines",
        "search_files",
        "search_text",
    ]


def test_the_tools_a_phase_cannot_be_left_without() -> None:
    phases = load_contract(None).phases
    assert {key: entry.required_tools for key, entry in phases.items() if entry.required_tools} == {
        Key.SEMANTIC: ("semantic_search",),
        Key.IMPACT_ANALYSIS: ("analyze_impact",),
    }
    assert {key: entry.min_distinct_tools for key, entry in phases.items() if entry.min_distinct_tools} == {
        Key.EXPLORATION: 2
    }


@pytest.mark.parametrize("key", list(Key))
def test_no_phase_asks_for_a_summary_of_what_its_payload_says(key: Key) -> None:
    shape = load_contract(None).validator(key)
    assert (shape.fields["summary"], shape.fields["compaction_count"]) == (False, False)
    assert ("tools_used" in shape.fields) is (key not in CLOSING)


def test_what_each_phase_asks_for_beside_that() -> None:
    common = {"summary", "compaction_count", "tools_used"}
    asked = {key.value: " ".join(name for name in PAYLOADS[key].model_fields if name not in common) for key in Key}
    assert asked == {
        "BRANCH_INTERVENTION": "choice",
        "DOCUMENT_RESEARCH": "documents_reviewed mandatory_rules",
        "QUERY_FRAME": "target_symbols action_type scope constraints slots",
        "EXPLORATION": "explored_files findings",
        "Q1": "needs_more_information reason",
        "SEMANTIC": "search_query search_results",
        "Q2": "has_unverified_hypotheses reason",
        "VERIFICATION": "hypotheses_verified",
        "Q3": "needs_impact_analysis reason",
        "IMPACT_ANALYSIS": "impact_summary",
        "READY_PLAN": "tasks user_decision",
        "READY_IMPL": "task_id checklist tasks",
        "READY_COMPLETE": "",
        "POST_IMPL_VERIFY": "verifier_used passed details failed_tasks",
        "VERIFY_INTERVENTION": "prompt_used action_taken",
        "PRE_COMMIT": "review_prompt_used reviewed_files commit_message",
        "QUALITY_REVIEW": "quality_prompt_used quality_score issues",
        "MERGE": "",
    }


def test_a_session_has_one_of_four_intents() -> None:
    assert {intent.value: intent.implements for intent in Intent} == {
        "IMPLEMENT": True,
        "MODIFY": True,
        "INVESTIGATE": False,
        "QUESTION": False,
    }
