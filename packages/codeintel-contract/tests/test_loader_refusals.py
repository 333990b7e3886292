"""What the loader refuses: one sentence, with the line at which the file goes wrong."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from codeintel_contract import positions
from codeintel_contract.loader import Contract, ContractFileError, load_contract
from codeintel_contract.names import Key
from codeintel_contract.schema import ContractFile

QUOTE = " (quote it if it is meant as text)"


def refusal(path: Path) -> tuple[int, str]:
    with pytest.raises(ContractFileError) as caught:
        load_contract(path)
    assert caught.value.path == path
    return caught.value.line, caught.value.problem


def outcome(path: Path) -> Contract | ContractFileError:
    try:
        return load_contract(path)
    except ContractFileError as error:
        return error


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
            (
                "phases:\n  READY_PLN: {}\n",
                2,
                "phases.READY_PLN: unknown phase 'READY_PLN', did you mean 'READY_PLAN'?",
            ),
            (
                "phases:\n  Q1:\n    resource: []\n",
                3,
                "phases.Q1.resource: unknown field 'resource', did you mean 'resources'?",
            ),
            ("Xints: {}\n", 1, "Xints: unknown section 'Xints', did you mean 'hints'?"),
            (
                f"hints:\n  h: {{{'é' * 61}: a}}\n",
                2,
                f"hints.h.{'é' * 61}: unknown field '{'é' * 60}', "
                "known are: error, message, instruction, requires_user_intervention",
            ),
            (
                "tool_errors:\n  query:\n    a-b: {message: x}\n",
                3,
                "tool_errors.query.a-b: 'a-b' is not a name: use only letters, digits and _",
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
            ("hints:\n  a-b: {message: x}\n", 2, "hints.a-b: 'a-b' is not a name: use only letters, digits and _"),
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
            ("hints:\n  h: {}\n  h: {}\n", 3, "hints.h: appears twice in this mapping"),
            (
                "phases:\n  Q1:\n    expected_payload:\n      a: strr\n",
                4,
                "phases.Q1.expected_payload.a: unknown type 'strr', did you mean 'str'? (column 1)",
            ),
            (
                "phases:\n  Q1:\n    expected_payload: {'a?': str}\n",
                3,
                "phases.Q1.expected_payload.a?: 'a?' is not a field name: "
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
        assert refusal(tmp_path) == (0, "is not a regular file")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        assert refusal(tmp_path / "pipe") == (0, "is not a regular file")

    def test_a_file_that_cannot_be_read_says_why(self, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        path = write("")
        monkeypatch.setattr(os, "open", refuse)
        assert refusal(path) == (0, "cannot be read: Permission denied")

    @pytest.mark.skipif(os.name == "nt", reason="links need a right there")
    def test_a_link_out_of_the_project_is_not_followed(self, write: Any, tmp_path: Path) -> None:
        project = tmp_path / "project"
        project.mkdir()
        link = project / "phase_contract.yml"
        link.symlink_to(write("{}"))
        assert load_contract(link) == load_contract(link, tmp_path)
        with pytest.raises(ContractFileError) as caught:
            load_contract(link, project)
        assert (caught.value.line, caught.value.path) == (0, link)

    def test_a_file_over_its_limit_is_not_read(self, write: Any) -> None:
        assert refusal(write("#" * (positions.MAX_BYTES + 1))) == (0, "is larger than 300000 bytes")
        assert load_contract(write("#" * positions.MAX_BYTES)) == load_contract(None)

    def test_the_error_reads_like_a_compiler_message(self, write: Any) -> None:
        path = write("hints: 1\n")
        with pytest.raises(ContractFileError) as caught:
            load_contract(path)
        assert str(caught.value).startswith(f"{path}:1: hints: expected a mapping")
        assert str(ContractFileError(None, 0, "is broken")) == "phase_contract.yml: is broken"


YAMLISH = st.text("phasesQ1hint:{}[]-?!&*|>'\"#%@,~ \n\t0\\ux", max_size=80).map(str.encode)


@pytest.mark.usefixtures("parser")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(tree=st.dictionaries(st.sampled_from([*ContractFile.model_fields, "x"]), TREE, max_size=3))
def test_any_tree_is_a_contract_or_a_contract_file_error(tree: dict[str, Any], write: Any) -> None:
    path = write(yaml.safe_dump(tree, allow_unicode=True))
    found = outcome(path)
    assert isinstance(found, Contract) or found.line >= 0
