"""Steps 5 to 11: what was looked at, the gates, the searches they lead to."""

from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.decide import is_markup
from codeintel_session.machine.facts import Facts, FileFact
from codeintel_session.machine.state import ObservedCall
from codeintel_session.testing import judge, saw, state_at

FILES = {
    "a.py": FileFact("a.py", True, True, 9),
    "link.py": FileFact("a.py", True, True, 9),
    "b.css": FileFact("b.css", True, True, 9),
    "unseen.py": FileFact("unseen.py", True, True, 9),
    "gone.py": FileFact("gone.py", True, False),
}
FACTS = Facts(files=FILES | {"a.py:3": FileFact("a.py:3", True, False)}, in_text={"f": True})
LOOKED = saw(state_at(5, seen=("a.py", "b.css", "gone.py")), ["search_text", "get_symbols"])


def explored(**fields: Any) -> Any:
    return judge(LOOKED, FACTS, **{"explored_files": ["a.py"], "findings": ["f"], **fields})


def test_files_shown_by_a_tool_become_explored_under_their_own_name() -> None:
    assert explored(explored_files=["a.py", "link.py"]).state.explored == ("a.py",)


@pytest.mark.parametrize("files", [["unseen.py"], ["gone.py"], ["never/looked/up.py"], ["a.py", "unseen.py"]])
def test_a_file_no_tool_has_shown_is_refused_by_name(files: list[str]) -> None:
    with pytest.raises(ContractViolation) as caught:
        explored(explored_files=files)
    assert caught.value.key == "failures.EXPLORATION.unseen_files"
    assert caught.value.values["files"] == files[-1]


@pytest.mark.parametrize("fields", [{"explored_files": []}, {"findings": []}, {"findings": [" "]}])
def test_nothing_found_is_no_exploration(fields: dict[str, Any]) -> None:
    with pytest.raises(ContractViolation, match="empty_result"):
        explored(**fields)


def test_a_repository_without_sources_has_nothing_to_explore() -> None:
    assert judge(LOOKED, Facts(has_sources=False), explored_files=[], findings=[]).state.explored == ()


def test_pure_markup_needs_one_look_up() -> None:
    once = saw(LOOKED, ["search_text"])
    assert judge(once, FACTS, explored_files=["b.css"], findings=["f"]).state.explored == ("b.css",)
    with pytest.raises(ContractViolation, match="exploration_min_tools"):
        judge(once, FACTS, explored_files=["b.css", "a.py"], findings=["f"])


@pytest.mark.parametrize(
    ("path", "expected"), [("A.HTML", True), ("x.md", True), ("page.blade.php", False), ("a.vue", False)]
)
def test_markup_is_what_holds_no_code(path: str, expected: bool) -> None:
    assert is_markup(path) is expected


OVERRULING = Facts(in_text={"f": False}, unseen_users={"f": ("b.py",)})
GATES = [(6, "needs_more_information"), (8, "has_unverified_hypotheses"), (10, "needs_impact_analysis")]


@pytest.mark.parametrize(("step", "field"), GATES)
def test_a_gate_wants_a_reason(step: int, field: str) -> None:
    with pytest.raises(ContractViolation, match="reason_too_short"):
        judge(state_at(step), **{field: True, "reason": " short    "})


@pytest.mark.parametrize(("step", "field"), GATES)
@pytest.mark.parametrize("answer", [True, False])
def test_a_gate_opens_or_skips_the_phase_behind_it(step: int, field: str, answer: bool) -> None:
    after = judge(state_at(step), **{field: answer, "reason": "because it is so"}).state
    assert after.phase_state.step == step + (1 if answer else 2)


@pytest.mark.parametrize(("step", "field"), GATES)
def test_gate_full_ignores_the_answer(step: int, field: str) -> None:
    state = state_at(step, flags=Flags(gate_level="full"), refuted=("h",))
    decision = judge(state, OVERRULING, **{field: False, "reason": "because it is so"})
    assert decision.state.phase_state.step == step + 1
    assert decision.warnings == ()


@pytest.mark.parametrize(("step", "field"), GATES)
def test_a_false_against_a_fact_is_overruled_once(step: int, field: str) -> None:
    state = state_at(step, refuted=("h",))
    first = judge(state, OVERRULING, **{field: False, "reason": "because it is so"})
    assert first.state.phase_state.step == step + 1
    assert first.warnings[0].key == "warnings.gate_overruled"
    again = state.model_copy(update={"overruled": first.state.overruled})
    assert judge(again, OVERRULING, **{field: False, "reason": "because it is so"}).state.phase_state.step == step + 2


def test_a_finding_that_names_a_file_no_tool_has_shown_lowers_the_confidence() -> None:
    frame = {"target_symbols": ["f"]}
    state = LOOKED.model_copy(update={"query_frame": frame})
    for files, confidence in ((("a.py",), "high"), (("a.py", "unseen.py"), "medium"), (("a.py", "gone.py"), "high")):
        facts = Facts(files={path: FILES[path] for path in files}, in_text={"f": True})
        after = judge(state, facts, explored_files=["a.py"], findings=["unseen.py:3 does it"]).state
        assert after.assessment["confidence"] == confidence


def semantic(count: int, results: list[str]) -> Any:
    state = state_at(7, observed=(ObservedCall(tool="semantic_search", digest="", count=count),))
    return judge(state, search_query="q", search_results=results, tools_used=["semantic_search"])


def test_no_results_are_named_only_if_there_were_none() -> None:
    assert semantic(0, []).state.phase_state.step == 8
    assert semantic(3, ["a.py:1"]).state.phase_state.step == 8
    for empty in ([], [" "]):
        with pytest.raises(ContractViolation, match="empty_search_results"):
            semantic(3, empty)


def verified(*entries: tuple[bool, str]) -> Any:
    state = saw(state_at(9), ["search_text"])
    rows = [
        {"hypothesis": f"h{number}", "result": result, "evidence": text}
        for number, (result, text) in enumerate(entries)
    ]
    return judge(state, FACTS, hypotheses_verified=rows)


def test_hypotheses_are_settled_by_places_and_calls() -> None:
    decision = verified((True, "a.py:3"), (True, "search_text"), (True, "mcp__code-intel__search_text('x')"))
    assert decision.warnings == ()


def test_a_refuted_hypothesis_is_accepted_with_a_warning() -> None:
    decision = verified((False, "a.py:3"), (True, "a.py:1"))
    assert decision.warnings[0].values == {"hypotheses": "h0"}
    assert decision.state.refuted == ("h0",)


@pytest.mark.parametrize(
    ("entries", "key"),
    [
        ((), "empty_hypotheses"),
        (((True, " "),), "evidence_required"),
        (((False, ""),), "result_false_exists"),
        (((True, "a.py:99"),), "evidence_invalid"),
        (((False, "find_references"),), "evidence_invalid"),
        (((True, "I looked at it"),), "evidence_invalid"),
    ],
)
def test_what_shows_nothing_is_refused(entries: tuple[tuple[bool, str], ...], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        verified(*entries)
    assert caught.value.key == f"failures.VERIFICATION.{key}"


def impact(summary: dict[str, Any], must: tuple[str, ...] = ("a.py", "b.py")) -> Any:
    state = saw(state_at(11, must_verify=must), ["analyze_impact"])
    return judge(state, impact_summary=summary, tools_used=["analyze_impact"])


def test_each_file_of_the_analysis_is_judged_however_its_path_is_spelled() -> None:
    assert (
        impact({"./a.py": "will_modify: it", "b.py": {"status": "not_affected"}, "c.py": 1}).state.phase_state.step
        == 12
    )


def test_what_was_said_of_each_file_is_kept_in_short() -> None:
    state = impact({"./a.py": "will_modify: " + "x" * 500, "b.py": "not_affected"}, ("a.py",)).state
    assert {path: len(text) for path, text in state.impact.items()} == {"a.py": 160, "b.py": 12}


def test_many_missing_files_are_counted() -> None:
    with pytest.raises(ContractViolation) as caught:
        impact({"x": "y"}, tuple(f"{number}.py" for number in range(25)))
    assert caught.value.values["files"].endswith("19.py and 5 more")
    assert len(caught.value.problems) == 25


@pytest.mark.parametrize(
    ("summary", "key"),
    [
        ({}, "empty_impact_summary"),
        ({"a.py": "will_modify"}, "impact_files_missing"),
        ({"a.py": "will_modify", "b.py": "seen"}, "impact_files_missing"),
        ({"a.py": "will_modify", "b.py": None}, "impact_files_missing"),
    ],
)
def test_an_analysis_with_a_hole_is_refused(summary: dict[str, Any], key: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        impact(summary)
    assert caught.value.key == f"failures.IMPACT_ANALYSIS.{key}"
