"""The payload models: one for each key, strict, and the two spellings of a reviewed file."""

import pytest
from pydantic import BaseModel, ValidationError

from codeintel_contract.names import Key
from codeintel_contract.payloads import (
    PAYLOADS,
    Q1,
    Merge,
    PreCommit,
    QueryFrame,
    ReadyComplete,
    ReviewedFile,
    Slot,
    WithTools,
)


def pre_commit(*files: str | dict[str, str]) -> PreCommit:
    return PreCommit.model_validate(
        {"summary": "s", "review_prompt_used": "p", "reviewed_files": list(files), "commit_message": "m"}
    )


def test_every_key_has_a_model_of_its_own() -> None:
    assert set(PAYLOADS) == set(Key)
    assert len(set(PAYLOADS.values())) == len(Key)


def test_all_but_the_two_closing_keys_name_their_tools() -> None:
    assert {key for key, model in PAYLOADS.items() if not issubclass(model, WithTools)} == {
        Key.READY_COMPLETE,
        Key.MERGE,
    }
    assert Q1(summary="s", needs_more_information=True, reason="r").tools_used is None


class TestReviewedFiles:
    """The decisions of PRE_COMMIT."""

    def test_a_bare_path_means_keep(self) -> None:
        assert pre_commit("a.py").decisions() == [ReviewedFile(path="a.py", decision="keep", reason="")]

    def test_both_spellings_may_stand_together_and_keep_their_order(self) -> None:
        found = pre_commit("a.py", {"path": "b.py", "decision": "discard", "reason": "why"}, {"path": "c.py"})
        assert [(one.path, one.decision, one.reason) for one in found.decisions()] == [
            ("a.py", "keep", ""),
            ("b.py", "discard", "why"),
            ("c.py", "keep", ""),
        ]

    def test_no_files_are_no_decisions(self) -> None:
        assert pre_commit().decisions() == []

    def test_there_are_two_decisions_only(self) -> None:
        with pytest.raises(ValidationError, match="'keep' or 'discard'"):
            pre_commit({"path": "a.py", "decision": "stash"})


@pytest.mark.parametrize("model", [ReadyComplete, Merge])
def test_the_closing_keys_take_no_field_of_their_own(model: type[BaseModel]) -> None:
    assert set(model.model_fields) == {"summary", "compaction_count"}


def test_a_slot_that_was_not_understood_stays_none() -> None:
    frame = QueryFrame.model_validate(
        {
            "summary": "s",
            "action_type": "a",
            "target_symbols": [],
            "scope": "s",
            "constraints": "c",
            "slots": {"observed_issue": {"value": "v", "quote": "q"}},
        }
    )
    assert frame.slots is not None
    assert frame.slots.observed_issue == Slot(value="v", quote="q")
    assert (frame.slots.target_feature, frame.slots.trigger_condition, frame.slots.desired_action) == (None,) * 3


@pytest.mark.parametrize(
    ("quote", "places"),
    [
        ("q", {"quote": "q"}),
        (" ", {}),
        ([], {}),
        (["a", " ", "b"], {"quote[0]": "a", "quote[2]": "b"}),
    ],
)
def test_a_slot_names_the_place_of_each_quote(quote: str | list[str], places: dict[str, str]) -> None:
    assert Slot(value="v", quote=quote).quotes() == places


@pytest.mark.parametrize("key", list(Key))
def test_no_payload_can_be_changed_or_bent(key: Key) -> None:
    model = PAYLOADS[key]
    with pytest.raises(ValidationError) as caught:
        model.model_validate({"summary": 1, "unknown": 1})
    kinds = {error["loc"][0]: error["type"] for error in caught.value.errors()}
    assert kinds["summary"] == "string_type"
    assert kinds["unknown"] == "extra_forbidden"
    assert model.model_config["frozen"] is True


@pytest.mark.parametrize(
    ("key", "fields", "said"),
    [
        (Key.BRANCH_INTERVENTION, {"choice": "delete"}, "delete"),
        (Key.DOCUMENT_RESEARCH, {"documents_reviewed": ["a.md", "b.md"]}, "2 documents reviewed, 0 rules found"),
        (
            Key.QUERY_FRAME,
            {"target_symbols": ["f"], "slots": {"target_feature": {"value": "v"}}},
            "target_feature: v\nsymbols: f",
        ),
        (Key.QUERY_FRAME, {"target_symbols": []}, ""),
        (Key.EXPLORATION, {"explored_files": ["a.py"], "findings": ["one", "two"]}, "one\ntwo"),
        (Key.SEMANTIC, {"search_query": "q", "search_results": ["a.py:1 counts"]}, "a.py:1 counts"),
        (Key.VERIFICATION, {"hypotheses_verified": [{"hypothesis": "it counts", "result": False}]}, "it counts: false"),
        (Key.IMPACT_ANALYSIS, {"impact_summary": {"a.py": "not_affected: no"}}, "a.py: not_affected: no"),
        (Key.READY_PLAN, {"tasks": [{"id": "t1", "description": "count"}]}, "t1: count"),
        (
            Key.READY_IMPL,
            {
                "task_id": "t1",
                "checklist": [
                    {"item": 1, "status": "done", "evidence": ["a.py:f", "a.py:2"]},
                    {"item": 2, "status": "skipped", "reason": "it is there"},
                    {"item": 3, "status": "done"},
                    {"item": 4, "status": "done"},
                ],
            },
            "a.py:f, a.py:2; skipped: it is there; done",
        ),
        (Key.Q1, {"needs_more_information": True, "reason": "r1"}, "r1"),
        (Key.Q2, {"has_unverified_hypotheses": True, "reason": "r2"}, "r2"),
        (Key.Q3, {"needs_impact_analysis": True, "reason": "r3"}, "r3"),
        (Key.READY_COMPLETE, {}, ""),
        (Key.POST_IMPL_VERIFY, {"verifier_used": "v", "passed": True, "details": "all green"}, "all green"),
        (Key.VERIFY_INTERVENTION, {"prompt_used": "p", "action_taken": "stepped back"}, "stepped back"),
        (Key.PRE_COMMIT, {"review_prompt_used": "p", "reviewed_files": [], "commit_message": "Add it"}, "Add it"),
        (Key.QUALITY_REVIEW, {"quality_prompt_used": "p", "quality_score": "9", "issues": []}, "no issues"),
        (Key.QUALITY_REVIEW, {"quality_prompt_used": "p", "quality_score": "9", "issues": ["a", "b"]}, "a; b"),
        (Key.MERGE, {}, ""),
    ],
)
def test_where_no_summary_is_given_the_payload_says_it(key: Key, fields: dict[str, object], said: str) -> None:
    assert PAYLOADS[key].model_validate(fields).told() == said
