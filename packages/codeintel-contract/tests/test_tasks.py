"""The task list: what counts as a reason, and what no payload can set."""

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, ValidationError

from codeintel_contract.tasks import ChecklistItem, PlannedTask, ReportedItem, Task, is_real_reason


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("not needed", True),
        ("  not needed\n", True),
        ("abababababa", True),
        ("aaaaaaaaab", True),
        ("must. it.", False),
        ("  short    ", False),
        ("aaaaaaaaaaaaaaa", False),
        ("a a a a a a a a", False),
        ("a\ta\ta\ta\ta\ta\na", False),
        ("...............", False),
        ("               ", False),
        ("", False),
        (None, False),
    ],
)
def test_a_reason_has_ten_characters_that_are_not_one_repeated(text: str | None, real: bool) -> None:
    assert is_real_reason(text) is real


@given(st.characters(), st.integers(0, 40))
def test_one_character_repeated_is_never_a_reason(char: str, times: int) -> None:
    assert not is_real_reason(char * times)


@given(st.text(max_size=9), st.text(" \t\n", max_size=20))
def test_white_space_around_does_not_make_a_reason_longer(text: str, space: str) -> None:
    assert not is_real_reason(space + text + space)


class TestShapes:
    """What is handed in, and what the server keeps."""

    def test_a_task_needs_an_id_and_a_description_and_may_have_the_rest(self) -> None:
        task = PlannedTask.model_validate({"id": "t" * 64, "description": "d"})
        assert (task.status, task.checklist, task.drop_reason) == ("pending", [], None)

    @pytest.mark.parametrize(
        ("fields", "place"),
        [
            ({"id": "", "description": "d"}, "id"),
            ({"id": "t" * 65, "description": "d"}, "id"),
            ({"id": "t", "description": ""}, "description"),
            ({"id": 1, "description": "d"}, "id"),
            ({"id": "t", "description": "d", "status": "done"}, "status"),
            ({"id": "t", "description": "d", "checklist": [{"item": ""}]}, "checklist"),
            ({"id": "t", "description": "d", "note": "n"}, "note"),
        ],
    )
    def test_what_does_not_fit_is_refused_at_its_place(self, fields: dict[str, object], place: str) -> None:
        with pytest.raises(ValidationError) as caught:
            PlannedTask.model_validate(fields)
        assert [error["loc"][0] for error in caught.value.errors()] == [place]

    def test_a_reported_item_is_pending_until_it_says_otherwise(self) -> None:
        assert ReportedItem.model_validate({"item": "i"}).status == "pending"

    def test_a_task_of_the_server_begins_without_failures_in_the_first_round(self) -> None:
        task = Task(id="t", description="d", checklist=(ChecklistItem(item="i"),))
        assert task.model_dump() == {
            "id": "t",
            "description": "d",
            "status": "pending",
            "checklist": ({"item": "i", "status": "pending", "evidence": (), "reason": None},),
            "failure_count": 0,
            "revert_reason": "",
            "round": 1,
        }

    @pytest.mark.parametrize("kept", [Task(id="t", description="d"), ChecklistItem(item="i"), ReportedItem(item="i")])
    def test_none_of_them_can_be_changed(self, kept: BaseModel) -> None:
        with pytest.raises(ValidationError, match="frozen"):
            kept.status = "completed"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("evidence", "places"),
    [(None, []), (" a.py:1 ", ["a.py:1"]), (["a.py:1", " ", "a.py:1", "b.py:2-3"], ["a.py:1", "b.py:2-3"])],
)
def test_evidence_is_one_place_or_several_each_once(evidence: str | list[str] | None, places: list[str]) -> None:
    assert ReportedItem(item=1, status="done", evidence=evidence).places() == places
