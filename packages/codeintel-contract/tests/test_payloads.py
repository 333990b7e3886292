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
    assert Q1(summary="s", needs_more_information=True, reason="r").tools_used == []


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


@pytest.mark.parametrize("key", list(Key))
def test_no_payload_can_be_changed_or_bent(key: Key) -> None:
    model = PAYLOADS[key]
    with pytest.raises(ValidationError) as caught:
        model.model_validate({"summary": 1, "unknown": 1})
    kinds = {error["loc"][0]: error["type"] for error in caught.value.errors()}
    assert kinds["summary"] == "string_type"
    assert kinds["unknown"] == "extra_forbidden"
    assert model.model_config["frozen"] is True
