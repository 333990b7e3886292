"""The observed log decides; what the agent says is held against it."""

import pytest

from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.decide import check_tools, still_required
from codeintel_session.machine.state import ObservedCall
from codeintel_session.testing import saw, state_at

STATE = state_at(5)


@pytest.mark.parametrize("prefix", ["mcp__code-intel__", "mcp__code_intel__", "mcp_code-intel_", " "])
def test_a_tool_as_a_client_names_it_counts_as_the_tool(prefix: str) -> None:
    check_tools(saw(STATE, ["semantic_search"]), [f"{prefix}semantic_search"], ["semantic_search"], 0)
    with pytest.raises(ContractViolation, match="unobserved_tools"):
        check_tools(STATE, [f"{prefix}search_text"], [], 0)


@pytest.mark.parametrize(
    ("seen", "used", "required", "distinct", "key"),
    [
        (["search_text"], [], [], 2, "exploration_min_tools"),
        (["search_text", "semantic_search"], [], [], 2, "exploration_min_tools"),
        ([], ["semantic_search"], ["semantic_search"], 0, "required_tools_not_used"),
        (["semantic_search"], [], ["semantic_search"], 0, "required_tools_not_reported"),
        ([], ["search_text"], [], 0, "unobserved_tools"),
    ],
)
def test_what_does_not_hold_is_named(
    seen: list[str], used: list[str], required: list[str], distinct: int, key: str
) -> None:
    with pytest.raises(ContractViolation) as caught:
        check_tools(saw(STATE, seen), used, required, distinct)
    assert caught.value.key == f"common_failures.{key}"


def test_who_looked_before_the_exploration_need_not_look_again() -> None:
    check_tools(STATE.model_copy(update={"called": ("search_text", "read_lines")}), [], [], 2)


def test_an_analysis_of_an_earlier_phase_is_neither_asked_for_nor_to_be_reported() -> None:
    required = ["analyze_impact", "search_text"]
    assert still_required(STATE, required) == required
    looked = STATE.model_copy(update={"called": ("analyze_impact", "search_text")})
    assert still_required(looked, required) == ["search_text"]
    check_tools(saw(looked, ["search_text"]), ["search_text"], required, 0)


def test_a_failed_call_does_not_count() -> None:
    state = STATE.model_copy(update={"observed": (ObservedCall(tool="search_text", digest="", ok=False),)})
    with pytest.raises(ContractViolation, match="unobserved"):
        check_tools(state, ["search_text"], [], 0)


def test_foreign_tools_and_the_protocol_itself_may_be_named_freely() -> None:
    check_tools(STATE, ["Read", "Bash", "submit_phase", "start_session"], [], 0)
