"""Payloads against a compiled pseudo-schema: what holds, and the line that says what does not."""

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from codeintel_contract.grammar import PseudoSchemaError
from codeintel_contract.pseudo_schema import PayloadShape, compile_shape

TASKS = (
    "list[{id: str, description, status: str: 'pending' | 'completed', "
    "checklist: list[{item, status: str: 'pending' | 'completed' | 'done', evidence?: str}], failure_count?: int}]"
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcf0é. "), inner, max_size=3),
    max_leaves=8,
)


def _item(**more: object) -> dict[str, object]:
    return {"item": "x", "status": "done", **more}


def _task(*items: dict[str, object], **more: object) -> dict[str, object]:
    return {"id": "t1", "description": "d", "status": "pending", "checklist": list(items), **more}


@pytest.fixture
def plan() -> PayloadShape:
    return compile_shape({"summary": "str", "tasks": TASKS, "compaction_count": "int?"})


def test_says_nothing_about_a_payload_that_holds(plan: PayloadShape) -> None:
    assert plan.check({"summary": "", "tasks": [_task(_item(evidence="a.py:1"))], "compaction_count": 0}) == []
    assert plan.check({"summary": "s", "tasks": []}) == []


def test_tells_which_fields_are_required(plan: PayloadShape) -> None:
    assert plan.fields == {"summary": True, "tasks": True, "compaction_count": False}


def test_keeps_the_types_it_was_compiled_from(plan: PayloadShape) -> None:
    assert {name: str(kind) for name, kind in plan.types.items()} == {
        "summary": "str",
        "tasks": TASKS,
        "compaction_count": "int?",
    }


def test_names_the_path_of_a_value_outside_an_enumeration(plan: PayloadShape) -> None:
    tasks = [_task(_item(), _item(), _item(status="finished"))]
    assert plan.check({"summary": "s", "tasks": tasks}) == [
        "tasks[0].checklist[2].status: expected one of 'pending', 'completed', 'done', got 'finished'"
    ]


def test_reports_every_problem_at_once(plan: PayloadShape) -> None:
    tasks = [_task(_item(evidense="a"), id=3, failure_count="2"), "do it"]
    assert plan.check({"sumary": "s", "tasks": tasks}) == [
        "summary: missing",
        "tasks[0].id: expected a string, got an integer",
        "tasks[0].checklist[0].evidense: unknown field, did you mean 'evidence'?",
        "tasks[0].failure_count: expected an integer, got a string",
        "tasks[1]: expected an object, got a string",
        "sumary: unknown field, did you mean 'summary'?",
    ]


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        ("str", 1, "expected a string, got an integer"),
        ("str", None, "expected a string, got null"),
        ("int", True, "expected an integer, got true"),
        ("int", 1.0, "expected an integer, got a decimal number"),
        ("int", "1", "expected an integer, got a string"),
        ("bool", 1, "expected true or false, got an integer"),
        ("bool", "yes", "expected true or false, got a string"),
        ("dict", [], "expected an object, got a list"),
        ("list[str]", "a", "expected a list, got a string"),
        ("list[str]", {}, "expected a list, got an object"),
        ("str: 'a'", False, "expected one of 'a', got false"),
        ("str: 'a'", ["a"], "expected one of 'a', got a list"),
        ("{a}", "a", "expected an object, got a string"),
        ("str | int", 1.5, "expected a string or an integer, got a decimal number"),
        ("str: 'a'", "\ud800", "holds text that is not valid Unicode"),
        ("str", b"a", "expected a string, got bytes"),
    ],
)
def test_bends_no_type_to_fit(kind: str, value: object, problem: str) -> None:
    assert compile_shape({"f": kind}).check({"f": value}) == [f"f: {problem}"]


@pytest.mark.parametrize("value", [None, 0, False, 1.5, "x", [1], {"a": {}}])
def test_a_member_without_a_type_takes_any_value(value: object) -> None:
    assert compile_shape({"f": "{a, b?}"}).check({"f": {"a": value}}) == []


def test_a_question_mark_makes_a_field_optional_and_so_does_a_comment_that_names_a_condition() -> None:
    shape = compile_shape({"failed": "list[str] (if passed=false)", "more": "list[str]?", "all": "list[str] (paths)"})
    assert shape.check({}) == ["all: missing"]
    assert len(shape.check({"failed": "x", "all": []})) == 1


class TestUnions:
    """A value is judged by the option of its kind alone."""

    @pytest.fixture
    def files(self) -> PayloadShape:
        return compile_shape({"files": "list[str | {path, decision: str: 'keep' | 'discard', reason?}]"})

    def test_every_option_is_accepted(self, files: PayloadShape) -> None:
        assert files.check({"files": ["a.py", {"path": "b.py", "decision": "keep"}]}) == []

    def test_problems_inside_an_option_are_named_without_naming_the_option(self, files: PayloadShape) -> None:
        assert files.check({"files": [{"path": "b", "decision": "kep"}, {"decision": "keep", "pth": 1}]}) == [
            "files[0].decision: expected one of 'keep', 'discard', got 'kep'",
            "files[1].path: missing",
            "files[1].pth: unknown field, did you mean 'path'?",
        ]

    def test_a_value_of_no_kind_is_told_all_kinds(self, files: PayloadShape) -> None:
        assert files.check({"files": [3]}) == ["files[0]: expected a string or an object, got an integer"]

    def test_of_several_options_of_one_kind_the_nearest_speaks(self) -> None:
        shape = compile_shape({"f": "{kind: str: 'a', x: int} | {kind: str: 'b', y: int, z: int}"})
        assert shape.check({"f": {"kind": "a", "x": 1}}) == []
        assert shape.check({"f": {"kind": "b", "y": 1, "z": 2}}) == []
        assert shape.check({"f": {"kind": "b", "y": 1, "z": "2"}}) == ["f.z: expected an integer, got a string"]

    def test_lists_and_enumerations_are_kinds_too(self) -> None:
        shape = compile_shape({"f": "list[int] | str: 'all' | bool"})
        assert shape.check({"f": [1, "2"]}) == ["f[1]: expected an integer, got a string"]
        assert shape.check({"f": "some"}) == ["f: expected one of 'all', got 'some'"]
        assert shape.check({"f": True}) == []


class TestNames:
    """Field names are the user's, whatever Python or pydantic make of them."""

    @pytest.mark.parametrize(
        "name", ["copy", "json", "model_config", "model_dump", "_private", "class", "f0", "schema"]
    )
    def test_any_word_can_be_a_field(self, name: str) -> None:
        shape = compile_shape({name: "int", "r": f"{{{name}: int}}"})
        assert shape.check({name: 1, "r": {name: 1}}) == []
        assert shape.check({name: "1", "r": {name: "1"}}) == [
            f"{name}: expected an integer, got a string",
            f"r.{name}: expected an integer, got a string",
        ]

    def test_the_inner_names_of_the_models_are_not_reachable(self) -> None:
        shape = compile_shape({"a": "str?", "b": "str?"})
        assert shape.check({"f0": "x"}) == ["f0: unknown field, known are: a, b"]

    def test_a_name_is_shown_whole_up_to_sixty_characters(self) -> None:
        assert compile_shape({}).check({"Xy": 1, "x" * 60: 1, "x" * 61: 1}) == [
            "Xy: unknown field, known are: none",
            f"{'x' * 60}: unknown field, known are: none",
            f"'{'x' * 27}...{'x' * 28}': unknown field, known are: none",
        ]

    def test_a_shape_without_fields_knows_none(self) -> None:
        assert compile_shape({}).check({"a": 1}) == ["a: unknown field, known are: none"]

    def test_a_field_name_that_is_no_word_is_shown_quoted_and_short(self) -> None:
        (problem,) = compile_shape({}).check({"x" * 10_000: 1})
        assert problem.startswith("'xxx")
        assert len(problem) < 120

    def test_a_key_that_is_no_text_is_refused(self) -> None:
        data: Any = {1: 2}
        assert compile_shape({}).check(data) == ["1: expected a field name, got an integer"]

    def test_a_key_that_is_no_unicode_is_refused(self) -> None:
        assert compile_shape({}).check({"\ud800": 2}) == ["payload: holds text that is not valid Unicode"]

    @pytest.mark.parametrize(
        ("name", "problem"),
        [
            ("failed?", "'failed?' is not a field name: the ? of an optional field goes after its type"),
            ("a b", "'a b' is not a field name"),
        ],
    )
    def test_a_pseudo_schema_with_a_name_that_is_no_word_does_not_compile(self, name: str, problem: str) -> None:
        with pytest.raises(PseudoSchemaError) as caught:
            compile_shape({name: "str"})
        assert (caught.value.text, caught.value.column, caught.value.problem) == (name, 1, problem)


def test_a_long_value_is_shown_short() -> None:
    (problem,) = compile_shape({"f": "str: 'a'"}).check({"f": "x" * 10_000})
    assert len(problem) < 120


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c", "u", "x"]), JSON, max_size=5))
def test_any_json_gets_an_answer_of_one_line_for_each_problem(data: dict[str, object]) -> None:
    shape = compile_shape(
        {"a": "int", "b": "list[{a: str, b?}]?", "c": "dict", "u": "{a: int} | {b: list[str]} | bool"}
    )
    for line in shape.check(data):
        assert line.split(": ")[0]
        assert "\n" not in line


@settings(deadline=None)
@given(st.lists(st.integers() | st.text(st.characters(categories=["L", "N"]))), st.booleans())
def test_what_holds_goes_on_holding_after_a_trip_through_json(values: list[object], flag: bool) -> None:
    shape = compile_shape({"values": "list[int | str]", "flag": "bool"})
    data = {"values": values, "flag": flag}
    assert shape.check(data) == shape.check(json.loads(json.dumps(data))) == []
