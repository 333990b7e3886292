"""The contract file: the project's over the default, key by key; a message and its values."""

from typing import Any

import pytest

from codeintel_contract.loader import Contract, UnknownMessage, default_text, load_contract
from codeintel_contract.names import Key
from codeintel_contract.schema import Message

UNKNOWN_TASK = "failures.READY.unknown_task"


class TestDefault:
    """The packaged contract alone."""

    def test_has_all_eighteen_keys_each_with_a_shape(self) -> None:
        contract = load_contract(None)
        assert set(contract.phases) == set(Key)
        assert all("summary" in contract.validator(key).fields for key in Key)

    def test_is_built_once(self) -> None:
        assert load_contract(None) is load_contract(None)

    def test_can_be_written_into_a_project_as_it_stands(self, write: Any) -> None:
        assert load_contract(write(default_text())) == load_contract(None)

    def test_cannot_be_changed(self) -> None:
        contract: Any = load_contract(None)
        with pytest.raises(TypeError):
            contract.phases[Key.Q1] = None
        with pytest.raises(AttributeError):
            contract.digest = "other"


class TestOverlay:
    """What a project's file leaves out comes from the default."""

    def test_one_sentence_changes_one_sentence(self, write: Any) -> None:
        contract = load_contract(write("phases:\n  EXPLORATION:\n    instruction: Look twice.\n"))
        default = load_contract(None)
        changed = {key for key in Key if contract.phases[key] != default.phases[key]}
        assert changed == {Key.EXPLORATION}
        expected = default.phases[Key.EXPLORATION].model_copy(update={"instruction": "Look twice."})
        assert contract.phases[Key.EXPLORATION] == expected
        assert contract.messages == default.messages
        assert contract != default

    def test_one_text_of_a_message_leaves_its_other_fields(self, write: Any) -> None:
        contract = load_contract(write("failures:\n  READY:\n    unknown_task:\n      message: What is {task_id}?\n"))
        assert contract.messages[UNKNOWN_TASK].error == load_contract(None).messages[UNKNOWN_TASK].error
        assert contract.message(UNKNOWN_TASK, {"task_id": "t9"}).message == "What is t9?"

    def test_lists_and_the_field_list_replace_whole(self, write: Any) -> None:
        path = write(
            "phases:\n  SEMANTIC:\n    required_tools: []\n    expected_payload:\n      summary: str\n      note: int\n"
        )
        contract = load_contract(path)
        assert contract.phases[Key.SEMANTIC].required_tools == ()
        assert contract.validator(Key.SEMANTIC).check({"summary": "s", "note": "n"}) == [
            "note: expected an integer, got a string"
        ]
        assert (
            contract.phases[Key.SEMANTIC].recommended_tools
            == load_contract(None).phases[Key.SEMANTIC].recommended_tools
        )

    @pytest.mark.parametrize(
        "text", ["", "# nothing\n", "---\n", "~", "phases:\n", "phases:\n  Q1:\nhints:\n", "\ufeff{}"]
    )
    def test_a_file_that_says_nothing_is_the_default(self, write: Any, text: str, parser: None) -> None:
        contract = load_contract(write(text))
        assert contract == load_contract(None)
        assert hash(contract) == hash(load_contract(None))

    def test_an_empty_heading_does_not_hide_what_follows(self, write: Any) -> None:
        contract = load_contract(write("phases:\nhints:\n  phase_blocked_hint:\n    message: Wait.\n"))
        assert contract.message("hints.phase_blocked_hint", {}).message == "Wait."

    def test_a_message_of_its_own_may_have_any_placeholder(self, write: Any) -> None:
        contract = load_contract(write('warnings:\n  mine:\n    message: "{who} is here"\n'))
        assert contract.message("warnings.mine", {"who": "Ann"}) == Message(message="Ann is here")

    def test_the_digest_follows_what_is_said_and_not_how_it_is_written(self, write: Any) -> None:
        one = load_contract(write("hints:\n  phase_blocked_hint:\n    message: Wait.\n")).digest
        other = load_contract(write('# same\nhints: {phase_blocked_hint: {"message": "Wait."}}')).digest
        assert one == other != load_contract(None).digest
        assert len(one) == 16
        swapped = [
            load_contract(write(f"hints: {{{a}: {{message: m}}, {b}: {{message: m}}}}")) for a, b in ("xy", "yx")
        ]
        assert swapped[0] == swapped[1] != load_contract(None)
        assert hash(swapped[0]) == hash(swapped[1]) != hash(load_contract(None))


class TestMessages:
    """A key, its values, and the words between."""

    @pytest.fixture
    def contract(self, write: Any) -> Contract:
        return load_contract(
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
            load_contract(None).message("failures.READY.unknwon_task", {})
        assert isinstance(caught.value, KeyError)
        assert caught.value.args == (caught.value.key,) == ("failures.READY.unknwon_task",)
