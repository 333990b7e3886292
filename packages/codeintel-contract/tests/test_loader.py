"""The contract file: the project's over the default, key by key, and every refusal with its line."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeintel_contract import positions
from codeintel_contract.loader import Contract, ContractFileError, UnknownMessage, default_text, load
from codeintel_contract.names import Key
from codeintel_contract.schema import ContractFile, Message

UNKNOWN_TASK = "failures.READY.unknown_task"
QUOTE = " (quote it if it is meant as text)"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def _write(text: str | bytes) -> Path:
        path = tmp_path / "phase_contract.yml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return _write


@pytest.fixture(params=["C parser", "Python parser"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "Python parser":
        monkeypatch.setattr(positions, "_LOADER", yaml.SafeLoader)


def refusal(path: Path) -> tuple[int, str]:
    with pytest.raises(ContractFileError) as caught:
        load(path)
    assert caught.value.path == path
    return caught.value.line, caught.value.problem


def outcome(path: Path) -> Contract | ContractFileError:
    try:
        return load(path)
    except ContractFileError as error:
        return error


class TestDefault:
    """The packaged contract alone."""

    def test_has_all_eighteen_keys_each_with_a_shape(self) -> None:
        contract = load(None)
        assert set(contract.phases) == set(Key)
        assert all(contract.validator(key).fields["summary"] for key in Key)

    def test_is_built_once(self) -> None:
        assert load(None) is load(None)

    def test_can_be_written_into_a_project_as_it_stands(self, write: Any) -> None:
        assert load(write(default_text())) == load(None)

    def test_cannot_be_changed(self) -> None:
        contract: Any = load(None)
        with pytest.raises(TypeError):
            contract.phases[Key.Q1] = None
        with pytest.raises(AttributeError):
            contract.digest = "other"


class TestOverlay:
    """What a project's file leaves out comes from the default."""

    def test_one_sentence_changes_one_sentence(self, write: Any) -> None:
        contract = load(write("phases:\n  EXPLORATION:\n    instruction: Look twice.\n"))
        default = load(None)
        changed = {key for key in Key if contract.phases[key] != default.phases[key]}
        assert changed == {Key.EXPLORATION}
        expected = default.phases[Key.EXPLORATION].model_copy(update={"instruction": "Look twice."})
        assert contract.phases[Key.EXPLORATION] == expected
        assert contract.messages == default.messages
        assert contract != default

    def test_one_text_of_a_message_leaves_its_other_fields(self, write: Any) -> None:
        contract = load(write("failures:\n  READY:\n    unknown_task:\n      message: What is {task_id}?\n"))
        assert contract.messages[UNKNOWN_TASK].error == load(None).messages[UNKNOWN_TASK].error
        assert contract.message(UNKNOWN_TASK, {"task_id": "t9"}).message == "What is t9?"

    def test_lists_and_the_field_list_replace_whole(self, write: Any) -> None:
        path = write(
            "phases:\n  SEMANTIC:\n    required_tools: []\n    expected_payload:\n      summary: str\n      note: int\n"
        )
        contract = load(path)
        assert contract.phases[Key.SEMANTIC].required_tools == ()
        assert contract.validator(Key.SEMANTIC).check({"summary": "s", "note": "n"}) == [
            "note: expected an integer, got a string"
        ]
        assert contract.phases[Key.SEMANTIC].recommended_tools == load(None).phases[Key.SEMANTIC].recommended_tools

    @pytest.mark.parametrize(
        "text", ["", "# nothing\n", "---\n", "~", "phases:\n", "phases:\n  Q1:\nhints:\n", "\ufeff{}"]
    )
    def test_a_file_that_says_nothing_is_the_default(self, write: Any, text: str, parser: None) -> None:
        contract = load(write(text))
        assert contract == load(None)
        assert hash(contract) == hash(load(None))

    def test_a_message_of_its_own_may_have_any_placeholder(self, write: Any) -> None:
        contract = load(write('warnings:\n  mine:\n    message: "{who} is here"\n'))
        assert contract.message("warnings.mine", {"who": "Ann"}) == Message(message="Ann is here")

    def test_the_digest_follows_what_is_said_and_not_how_it_is_written(self, write: Any) -> None:
        one = load(write("hints:\n  phase_blocked_hint:\n    message: Wait.\n")).digest
        other = load(write('# same\nhints: {phase_blocked_hint: {"message": "Wait."}}')).digest
        assert one == other != load(None).digest
        assert len(one) == 16


class TestMessages:
    """A key, its values, and the words between."""

    @pytest.fixture
    def contract(self, write: Any) -> Contract:
        return load(
            write(
                'warnings:\n  w:\n    error: e\n    message: "{a} {b.c} {} {a!r} {{a}}"\n'
                '    instruction: "do {b}"\n    requires_user_intervention: true\n'
            )
        )

    def test_fills_words_in_braces_and_nothing_else(self, contract: Contract) -> None:
        message = contract.message("warnings.w", {"a": "{b}", "b": 2, "more": 3})
        assert message == Message(
            error="e", message="{b} {b.c} {} {a!r} {{b}}", instruction="do 2", requires_user_intervention=True
        )

    def test_a_placeholder_without_a_value_is_a_typed_error(self, contract: Contract) -> None:
        with pytest.raises(UnknownMessage) as caught:
            contract.message("warnings.w", {})
        assert str(caught.value) == "warnings.w: no value for a, b"

    def test_an_unknown_key_is_a_typed_error_that_names_the_nearest(self) -> None:
        with pytest.raises(UnknownMessage, match=r"did you mean 'failures\.READY\.unknown_task'") as caught:
            load(None).message("failures.READY.unknwon_task", {})
        assert isinstance(caught.value, KeyError)


@pytest.mark.usefixtures("parser")
class TestRefusals:
    """One sentence with the line at which the file goes wrong."""

    @pytest.mark.parametrize(
        ("text", "line", "problem"),
        [
            ("phases:\n  Q1: x\n b: c", 3, "is not valid YAML"),
            ("hints:\n  h:\n    message: a: b", 3, "is not valid YAML"),
            ("hints:\n  a: '\x07'\n", 2, "control character"),
            (b"hints:\n  a: '\xff'\n", 2, "is not UTF-8"),
            ("hints: {}\n---\nhints: {}\n", 2, "is not valid YAML"),
            ("- a\n- b\n", 1, "the file must be a mapping of sections"),
            ("# why\njust words\n", 2, "the file must be a mapping of sections"),
            ("hints:\n  a: &x {message: m}\n", 2, "anchors and aliases"),
            ("hints:\n  a: *x\n", 2, "anchors and aliases"),
            ("hints:\n  a: !!python/name:os.system\n", 2, "tags (!)"),
            ("hints:\n  a: ! b\n", 2, "tags (!)"),
            ("hints:\n  <<: {message: m}\n", 2, "a key must be printable text"),
            ("hints:\n  1: {message: m}\n", 2, "a key must be printable text"),
            ("hints:\n  ? [a]\n  : {message: m}\n", 2, "a key must be printable text"),
            ("hints:\n  a:\n    b: " + "[" * 20, 3, "is nested deeper than 12"),
        ],
    )
    def test_of_yaml(self, write: Any, text: str | bytes, line: int, problem: str) -> None:
        found = refusal(write(text))
        assert found[0] == line
        assert problem in found[1]

    @pytest.mark.parametrize(
        ("text", "line", "problem"),
        [
            ("hints: {}\nphase: {}\n", 2, "phase: unknown section 'phase', did you mean 'phases'?"),
            (
                "phases:\n  EXPLORTION: {instruction: [a]}\n",
                2,
                "phases.EXPLORTION: unknown phase 'EXPLORTION', did you mean 'EXPLORATION'?",
            ),
            (
                "failures:\n  READY_PLAN: {}\n",
                2,
                "failures.READY_PLAN: unknown phase 'READY_PLAN', did you mean 'READY'?",
            ),
            (
                "phases:\n  Q1:\n    instructions: x\n",
                3,
                "phases.Q1.instructions: unknown field 'instructions', did you mean 'instruction'?",
            ),
            (
                "hints:\n  h:\n    text: x\n",
                3,
                "hints.h.text: unknown field 'text', known are: "
                "error, message, instruction, requires_user_intervention",
            ),
            ("phases: [a]\n", 1, "phases: expected a mapping, got a list"),
            ("phases:\n  Q1: text\n", 2, "phases.Q1: expected a mapping, got text"),
            ("hints:\n  h:\n", 2, "hints.h: expected a mapping, got nothing"),
            ("hints:\n  h:\n    message: yes\n", 3, "hints.h.message: expected text, got true" + QUOTE),
            ("hints:\n  h:\n    message: 12\n", 3, "hints.h.message: expected text, got 12" + QUOTE),
            (
                "hints:\n  h:\n    message: 2026-11-21\n",
                3,
                "hints.h.message: expected text, got what YAML reads as timestamp" + QUOTE,
            ),
            (
                "hints:\n  h:\n    message: 12:30\n",
                3,
                "hints.h.message: expected text, got what YAML reads as int" + QUOTE,
            ),
            ("hints:\n  h:\n    message: {a: b}\n", 3, "hints.h.message: expected text, got a mapping"),
            (
                "hints:\n  h:\n    requires_user_intervention: 1\n",
                3,
                "hints.h.requires_user_intervention: expected true or false, got 1" + QUOTE,
            ),
            ("hints:\n  a-b: {message: x}\n", 2, "hints.a-b: 'a-b' is no name: letters, digits and _ only"),
            (
                "phases:\n  Q1:\n    min_distinct_tools: '2'\n",
                3,
                "phases.Q1.min_distinct_tools: expected a whole number, got text",
            ),
            ("phases:\n  Q1:\n    min_distinct_tools: -1\n", 3, "phases.Q1.min_distinct_tools: must not be negative"),
            ("phases:\n  Q1:\n    required_tools: query\n", 3, "phases.Q1.required_tools: expected a list, got text"),
            (
                "phases:\n  Q1:\n    resources:\n    - a\n    - [b]\n",
                5,
                "phases.Q1.resources[1]: expected text, got a list",
            ),
            (
                "phases:\n  Q1:\n    expected_payload: {a: 1}\n",
                3,
                "phases.Q1.expected_payload.a: expected text, got 1" + QUOTE,
            ),
            ("hints:\n  h: {}\n  h: {}\n", 3, "hints.h: stands twice in this mapping"),
            (
                "phases:\n  Q1:\n    expected_payload:\n      a: strr\n",
                4,
                "phases.Q1.expected_payload.a: unknown type 'strr', did you mean 'str'? (column 1)",
            ),
            (
                "phases:\n  Q1:\n    expected_payload: {'a?': str}\n",
                3,
                "phases.Q1.expected_payload.a?: 'a?' is no field name: "
                "the ? of an optional field goes after its type (column 1)",
            ),
        ],
    )
    def test_of_the_shape(self, write: Any, text: str, line: int, problem: str) -> None:
        assert refusal(write(text)) == (line, problem)

    def test_of_a_placeholder_that_no_caller_of_the_message_fills(self, write: Any) -> None:
        line, problem = refusal(write('failures:\n  READY:\n    unknown_task:\n      message: "{tsk}"\n'))
        assert line == 4
        assert problem.startswith("failures.READY.unknown_task.message: nothing fills {tsk}; known here: {")
        line, problem = refusal(write('hints:\n  phase_blocked_hint: {instruction: "{a}{b}"}\n'))
        assert problem == "hints.phase_blocked_hint.instruction: nothing fills {a}, {b}; known here: none"

    def test_text_that_only_the_python_parser_lets_through(self, write: Any) -> None:
        for text in (
            'hints: {h: {message: "\\ud800"}}',
            'hints: {h: {message: "\\U00110000"}}',
            'hints: {"\\ud800": {}}',
        ):
            refusal(write(text))

    def test_a_file_of_many_anchors_does_not_unfold(self, write: Any) -> None:
        levels = [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 30)]
        assert refusal(write("\n".join(["a0: &a0 [x]", *levels])))[0] == 1


class TestFiles:
    """What stands at the path."""

    def test_no_file_is_an_error_and_not_the_default(self, tmp_path: Path) -> None:
        assert refusal(tmp_path / "none.yml") == (0, "there is no such file")

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        assert refusal(tmp_path) == (0, "there is no such file")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        assert refusal(tmp_path / "pipe") == (0, "there is no such file")

    def test_a_file_that_cannot_be_read_says_why(self, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        path = write("")
        monkeypatch.setattr(Path, "open", refuse)
        assert refusal(path) == (0, "cannot be read: Permission denied")

    def test_a_file_over_one_megabyte_is_not_read(self, write: Any) -> None:
        assert refusal(write("#" * (positions.MAX_BYTES + 1))) == (0, "is larger than 1000000 bytes")
        assert load(write("#" * positions.MAX_BYTES)) == load(None)

    def test_the_error_reads_like_a_compiler_message(self, write: Any) -> None:
        path = write("hints: 1\n")
        with pytest.raises(ContractFileError) as caught:
            load(path)
        assert str(caught.value).startswith(f"{path}:1: hints: expected a mapping")
        assert str(ContractFileError(None, 0, "is broken")) == "phase_contract.yml: is broken"


YAMLISH = st.text("phasesQ1hint:{}[]-?!&*|>'\"#%@,~ \n\t0\\ux", max_size=80).map(str.encode)


@pytest.mark.usefixtures("parser")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(raw=st.binary(max_size=200) | YAMLISH)
def test_any_bytes_are_a_contract_or_a_contract_file_error(raw: bytes, write: Any) -> None:
    path = write(raw)
    match outcome(path):
        case ContractFileError() as error:
            assert error.problem
        case contract:
            assert set(contract.shapes) == set(Key)


TREE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["phases", "Q1", "READY", "hints", "failures", "instruction", "expected_payload", "message", "x"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(tree=st.dictionaries(st.sampled_from([*ContractFile.model_fields, "x"]), TREE, max_size=3))
def test_any_tree_is_a_contract_or_a_contract_file_error(tree: dict[str, Any], write: Any) -> None:
    path = write(yaml.safe_dump(tree, allow_unicode=True))
    found = outcome(path)
    assert isinstance(found, Contract) or found.line >= 0
