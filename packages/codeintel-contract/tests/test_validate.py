"""From what a client sent to a payload: decoded, checked by the contract, given its types."""

import json
from pathlib import Path
from typing import Any

import pytest

from codeintel_contract.loader import Contract, load_contract
from codeintel_contract.names import Key
from codeintel_contract.payloads import Q1, Merge, PreCommit, ReadyPlan
from codeintel_contract.validate import MAX_DEPTH, decode_payload, decode_row, mismatch, read_payload
from codeintel_contract.violations import ContractViolation

ANSWER = {"needs_more_information": True, "reason": "because", "summary": "s", "tools_used": ["query"]}
PLAN = {"summary": "s", "tasks": [{"id": "t1", "description": "d", "checklist": [{"item": "i"}]}]}

NOT_ASKED_FOR = "the server needs it, but the project's contract file does not ask for it"


@pytest.fixture
def contract() -> Contract:
    return load_contract(None)


@pytest.fixture
def project(tmp_path: Path) -> Any:
    def _load(phase: str, **fields: str) -> Contract:
        path = tmp_path / "phase_contract.yml"
        listed = "".join(f"      {name}: {json.dumps(text)}\n" for name, text in fields.items())
        path.write_text(f"phases:\n  {phase}:\n    expected_payload:\n{listed}", encoding="utf-8")
        return load_contract(path)

    return _load


def nested(depth: int) -> Any:
    """Lists and objects by turns."""
    value: Any = []
    for at in range(depth - 1):
        value = [value] if at % 2 else {"a": value}
    return value


def refused(contract: Contract, key: Key, data: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    with pytest.raises(ContractViolation) as caught:
        read_payload(contract, key, data)
    assert contract.message(caught.value.key, caught.value.values).message
    return caught.value.key.removeprefix("common_failures."), caught.value.problems


class TestDecode:
    """The payload as an object, however the client wrapped it."""

    def test_an_object_is_itself(self) -> None:
        assert decode_payload(ANSWER) == ANSWER

    @pytest.mark.parametrize("times", [1, 2, 3])
    def test_json_text_is_decoded_up_to_three_times(self, times: int) -> None:
        data: object = ANSWER
        for _ in range(times):
            data = json.dumps(data)
        assert decode_payload(data) == ANSWER

    @pytest.mark.parametrize(
        ("data", "why"),
        [
            ("{", "Expecting property name"),
            ("", "Expecting value"),
            ("summary: s", "Expecting value"),
            ('"s', "Unterminated string"),
            (json.dumps(json.dumps(json.dumps(json.dumps({})))), "it is a string"),
            ("[]", "it is a list"),
            ("3", "it is an integer"),
            ("null", "it is null"),
            (None, "it is null"),
            (True, "it is true"),
            ([ANSWER], "it is a list"),
            (b"{}", "it is bytes"),
            ('{"a": ' + "1" * 5000 + "}", "Exceeds the limit"),
        ],
    )
    def test_anything_else_is_refused_with_what_it_is(self, contract: Contract, data: object, why: str) -> None:
        with pytest.raises(ContractViolation) as caught:
            decode_payload(data)
        assert caught.value.key == "session_messages.invalid_data"
        assert str(caught.value.values["error"]).startswith(why)
        assert caught.value.problems == (f"data: {caught.value.values['error']}",)
        assert "data is not a JSON object: " in contract.message(caught.value.key, caught.value.values).message

    def test_null_is_a_field_left_out_at_every_depth(self) -> None:
        assert decode_payload({"a": None, "b": {"c": None, "d": 0}, "e": [{"f": None}, [{"g": None}], None]}) == {
            "b": {"d": 0},
            "e": [{}, [{}], None],
        }

    def test_what_is_empty_or_false_is_kept(self) -> None:
        data = {"a": "", "b": [], "c": {}, "d": False, "e": 0}
        assert decode_payload(data) == data

    @pytest.mark.parametrize("wrap", [lambda data: data, json.dumps])
    def test_what_is_nested_deeper_than_anyone_can_mean_is_refused(self, wrap: Any) -> None:
        assert decode_payload(wrap({"a": nested(MAX_DEPTH - 1)})) == {"a": nested(MAX_DEPTH - 1)}
        deep = {"a": {"b": nested(MAX_DEPTH - 1)}}
        with pytest.raises(ContractViolation) as caught:
            decode_payload(wrap(deep))
        assert caught.value.values == {"error": "it is nested deeper than 64"}

    def test_what_is_nested_without_end_does_not_run_out_of_stack(self) -> None:
        for data in ({"a": nested(50_000)}, "[" * 100_000):
            with pytest.raises(ContractViolation) as caught:
                decode_payload(data)
            assert caught.value.values == {"error": "it is nested deeper than 64"}


class TestReadPayload:
    """The packaged contract and the models together."""

    def test_gives_a_payload_its_types(self, contract: Contract) -> None:
        assert read_payload(contract, Key.Q1, ANSWER) == Q1(
            summary="s", tools_used=["query"], needs_more_information=True, reason="because"
        )

    def test_tools_may_be_left_out_where_none_are_required(self, contract: Contract) -> None:
        data = {name: value for name, value in ANSWER.items() if name != "tools_used"}
        assert read_payload(contract, Key.Q1, data) == Q1(summary="s", needs_more_information=True, reason="because")

    @pytest.mark.parametrize("tools", ["query", {"query": 1}, 1, True, None, ["query", 1], [["query"]]])
    @pytest.mark.parametrize("more", [{}, {"summary": 1}])
    def test_tools_that_are_no_list_of_names_come_before_everything_else(
        self, contract: Contract, tools: object, more: dict[str, object]
    ) -> None:
        found = refused(contract, Key.Q1, {**ANSWER, "tools_used": tools, **more})
        assert found == ("tools_used_invalid", ("tools_used: must be a list of names",))

    def test_a_summary_that_a_project_asks_for_is_asked_for_by_name(self, tmp_path: Path) -> None:
        path = tmp_path / "phase_contract.yml"
        path.write_text("phases:\n  MERGE:\n    expected_payload:\n      summary: str\n      compaction_count: int?\n")
        contract = load_contract(path)
        assert refused(contract, Key.MERGE, {}) == ("summary_required", ("summary: missing",))
        problems = ("summary: missing", "sumary: unknown field, did you mean 'summary'?")
        assert refused(contract, Key.MERGE, {"sumary": "s"}) == ("payload_mismatch", problems)

    def test_a_closing_phase_needs_nothing_at_all(self, contract: Contract) -> None:
        assert read_payload(contract, Key.MERGE, {}).summary == ""

    def test_a_summary_of_another_type_is_a_mismatch(self, contract: Contract) -> None:
        problem = "summary: expected a string, got a list"
        assert refused(contract, Key.MERGE, {"summary": [1]}) == ("payload_mismatch", (problem,))

    def test_a_text_may_come_as_the_list_of_its_lines(self, contract: Contract) -> None:
        assert read_payload(contract, Key.MERGE, {"summary": ["- one", "- two"]}).summary == "- one\n- two"
        assert refused(contract, Key.Q1, {**ANSWER, "needs_more_information": ["true"]})[0] == "payload_mismatch"

    def test_unknown_fields_are_named_with_the_nearest(self, contract: Contract) -> None:
        assert refused(contract, Key.Q1, {**ANSWER, "reasn": "r"}) == (
            "payload_mismatch",
            ("reasn: unknown field, did you mean 'reason'?",),
        )

    def test_unknown_members_are_named_with_their_path(self, contract: Contract) -> None:
        tasks = [{"id": "t1", "description": "d", "checklist": [{"item": "i", "evidnce": "a.py:1"}]}]
        assert refused(contract, Key.READY_PLAN, {"summary": "s", "tasks": tasks})[1] == (
            "tasks[0].checklist[0].evidnce: unknown field, did you mean 'evidence'?",
        )

    def test_the_mismatch_names_the_key(self, contract: Contract) -> None:
        violation = mismatch(Key.READY_PLAN, ["a: missing"])
        assert (violation.problems, violation.values) == (("a: missing",), {"key": "READY_PLAN"})
        text = contract.message(violation.key, violation.values).message
        assert text.startswith("The payload does not match READY_PLAN.")

    def test_what_only_the_server_asks_is_said_with_the_same_paths(self, contract: Contract) -> None:
        plan = {"summary": "s", "tasks": [{"id": "", "description": "d", "checklist": [{"item": ""}]}]}
        assert refused(contract, Key.READY_PLAN, plan)[1] == (
            "tasks[0].id: String should have at least 1 character",
            "tasks[0].checklist[0].item: String should have at least 1 character",
        )

    def test_a_reviewed_file_may_be_a_path_or_an_object(self, contract: Contract) -> None:
        data = {"summary": "s", "tools_used": [], "review_prompt_used": "p", "commit_message": "m"}
        found = read_payload(contract, Key.PRE_COMMIT, {**data, "reviewed_files": ["a", {"path": "b"}]})
        assert isinstance(found, PreCommit)
        assert [one.path for one in found.decisions()] == ["a", "b"]


class TestProjectContract:
    """A project's own field list."""

    def test_a_field_it_added_is_checked_and_left_out_of_the_model(self, project: Any) -> None:
        contract = project("MERGE", summary="str", ticket="str")
        assert read_payload(contract, Key.MERGE, {"summary": "s", "ticket": "A-1"}) == Merge(summary="s")
        assert refused(contract, Key.MERGE, {"summary": "s"})[1] == ("ticket: missing",)
        assert refused(contract, Key.MERGE, {"summary": "s", "ticket": 1})[1] == (
            "ticket: expected a string, got an integer",
        )

    def test_a_member_it_added_is_checked_and_left_out_of_the_model(self, project: Any) -> None:
        contract = project(
            "READY_PLAN", summary="str", tasks="list[{id, description, size: int, checklist: list[{item, who}]}]"
        )
        task = {"id": "t1", "description": "d", "size": 3, "checklist": [{"item": "i", "who": "me"}]}
        found = read_payload(contract, Key.READY_PLAN, {"summary": "s", "tasks": [task]})
        assert found == ReadyPlan.model_validate(PLAN)
        assert refused(contract, Key.READY_PLAN, {"summary": "s", "tasks": [{**task, "size": "3"}]})[1] == (
            "tasks[0].size: expected an integer, got a string",
        )

    def test_a_field_it_dropped_and_the_server_needs_is_laid_at_its_door(self, project: Any) -> None:
        contract = project("Q1", summary="str", needs_more_information="bool")
        assert refused(contract, Key.Q1, {"summary": "s", "needs_more_information": True}) == (
            "payload_mismatch",
            (f"reason: {NOT_ASKED_FOR}",),
        )

    def test_a_member_it_dropped_and_the_server_needs_is_named_with_its_path(self, project: Any) -> None:
        contract = project("READY_PLAN", summary="str", tasks="list[{id: str}]")
        assert refused(contract, Key.READY_PLAN, {"summary": "s", "tasks": [{"id": "t1"}]})[1] == (
            f"tasks[0].description: {NOT_ASKED_FOR}",
        )

    def test_an_optional_field_it_dropped_is_unknown(self, project: Any) -> None:
        contract = project("MERGE", summary="str")
        assert refused(contract, Key.MERGE, {"summary": "s", "compaction_count": 1})[1] == (
            "compaction_count: unknown field, known are: summary",
        )

    def test_a_required_field_it_made_optional_is_still_required(self, project: Any) -> None:
        contract = project("Q1", summary="str", needs_more_information="bool", reason="str?")
        assert refused(contract, Key.Q1, {"summary": "s", "needs_more_information": True})[1] == (
            f"reason: {NOT_ASKED_FOR}",
        )

    def test_a_type_the_server_cannot_use_is_named(self, project: Any) -> None:
        contract = project("Q1", summary="str", needs_more_information="str", reason="str")
        data = {"summary": "s", "needs_more_information": "yes", "reason": "because"}
        assert refused(contract, Key.Q1, data)[1] == ("needs_more_information: Input should be a valid boolean",)


class TestRows:
    """A list of payloads."""

    def test_a_single_payload_is_a_row_of_one(self) -> None:
        assert decode_row('{"a": 1, "b": null}') == [{"a": 1}]

    def test_a_list_may_hold_objects_and_their_text(self) -> None:
        assert decode_row('[{"a": 1}, "{\\"b\\": 2}"]') == [{"a": 1}, {"b": 2}]

    @pytest.mark.parametrize(("data", "problem"), [([], "0 payloads"), ([{}] * 21, "21 payloads"), (7, "an integer")])
    def test_what_is_no_row_is_refused(self, data: object, problem: str) -> None:
        with pytest.raises(ContractViolation) as refusal:
            decode_row(data)
        assert problem in refusal.value.problems[0]

    def test_every_entry_that_is_no_object_is_named(self) -> None:
        with pytest.raises(ContractViolation) as refusal:
            decode_row([{}, 1, "x"])
        violation = refusal.value
        assert [line[:7] for line in violation.problems] == ["data[1]", "data[2]"]
        assert (violation.key, violation.values) == (
            "session_messages.invalid_data",
            {"error": "; ".join(violation.problems)},
        )

    @pytest.mark.parametrize("length", [1, 20])
    def test_one_to_twenty_payloads_are_a_row(self, length: int) -> None:
        assert decode_row([{"a": 1}] * length) == [{"a": 1}] * length
