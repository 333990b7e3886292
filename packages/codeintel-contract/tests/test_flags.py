"""The options of a session: every spelling, both forms, and the combinations that make no sense."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from codeintel_contract.flags import FLAG_NAMES, OPTIONS, Flags, Option, check_combination, parse_flags
from codeintel_contract.loader import load_contract
from codeintel_contract.names import Intent
from codeintel_contract.violations import ContractViolation

pytestmark = pytest.mark.draws(18)

SWITCHES = [row for row in OPTIONS if row.flag and not row.value]
ELSEWHERE = [row for row in OPTIONS if not row.flag]
INVESTIGATIONS = (Intent.INVESTIGATE, Intent.QUESTION)


def spellings(rows: list[Option]) -> list[tuple[str, Option]]:
    return [(name, row) for row in rows for name in (row.long, row.short) if name]


def why_not(raw: object) -> str:
    with pytest.raises(ContractViolation) as caught:
        parse_flags(raw)
    return reason(caught.value)


def reason(violation: ContractViolation) -> str:
    assert violation.key == "tool_errors.start_session.invalid_flags"
    assert violation.problems == (f"flags: {violation.values['why']}",)
    assert violation.values["known"] == ", ".join(FLAG_NAMES)
    return str(violation.values["why"])


def test_the_table_spells_the_options_that_clients_know() -> None:
    assert {name: row.flag or row.instead for name, row in spellings(list(OPTIONS))} == {
        "--gate": "gate_level",
        "-g": "gate_level",
        "--no-verify": "no_verify",
        "--no-quality": "no_quality",
        "--only-verify": "only_verify",
        "-v": "only_verify",
        "--only-explore": "only_explore",
        "-e": "only_explore",
        "--fast": "fast",
        "-f": "fast",
        "--quick": "quick",
        "-q": "quick",
        "--no-doc-research": "no_doc",
        "--no-doc": "no_doc",
        "--no-intervention": "no_intervention",
        "-ni": "no_intervention",
        "--doc-research": "doc_research",
        "--resume": "get_session_status",
        "-r": "get_session_status",
        "--clean": "cleanup_stale_branches",
        "-c": "cleanup_stale_branches",
        "--rebuild": "sync_index(force=true)",
    }


def test_every_flag_has_an_option_and_every_option_a_help() -> None:
    assert {row.flag for row in OPTIONS if row.flag} == set(FLAG_NAMES)
    assert all(row.help for row in OPTIONS)


@pytest.mark.parametrize("raw", [None, {}, [], ()])
def test_nothing_given_is_every_default(raw: object) -> None:
    assert parse_flags(raw) == Flags()
    assert Flags().active() == {}


class TestOptions:
    """Flags as the raw list of command options."""

    @pytest.mark.parametrize(("spelling", "row"), spellings(SWITCHES))
    def test_a_switch_turns_its_flag_on_and_no_other(self, spelling: str, row: Option) -> None:
        assert parse_flags([spelling]).active() == {row.flag: True}

    @pytest.mark.parametrize(("spelling", "row"), spellings(SWITCHES))
    def test_a_switch_takes_no_value(self, spelling: str, row: Option) -> None:
        assert why_not([f"{spelling}=true"]) == f"{spelling} takes no value"
        assert why_not([f"{spelling}="]) == f"{spelling} takes no value"

    @pytest.mark.parametrize(("spelling", "row"), spellings(ELSEWHERE))
    def test_an_option_of_another_tool_names_that_tool(self, spelling: str, row: Option) -> None:
        assert why_not([spelling]) == f"{spelling} is not a flag: call {row.instead} instead"

    @pytest.mark.parametrize("option", ["--gate", "-g"])
    @pytest.mark.parametrize(("level", "gate"), [("full", "full"), ("f", "full"), ("auto", "auto"), ("a", "auto")])
    def test_the_gate_takes_its_level_long_or_short(self, option: str, level: str, gate: str) -> None:
        assert parse_flags([f"{option}={level}"]).gate_level == gate

    @pytest.mark.parametrize(
        ("option", "why"),
        [
            ("--gate", "--gate needs =LEVEL"),
            ("-g", "-g needs =LEVEL"),
            ("--doc-research", "--doc-research needs =NAMES"),
            ("--gate=", "gate_level must be one of full, f, auto, a, got ''"),
            ("--gate=FULL", "gate_level must be one of full, f, auto, a, got 'FULL'"),
        ],
    )
    def test_a_value_that_is_missing_or_wrong_is_said(self, option: str, why: str) -> None:
        assert why_not([option]) == why

    def test_research_prompts_are_separated_by_commas(self) -> None:
        assert parse_flags(["--doc-research=a, b,,c=d"]).doc_research == ("a", "b", "c=d")

    def test_several_options_add_up_and_of_one_the_last_counts(self) -> None:
        assert parse_flags(("--fast", "-g=full", "--gate=a", "-ni")).active() == {"fast": True, "no_intervention": True}

    @pytest.mark.parametrize(
        ("option", "why"),
        [
            ("--fst", "unknown option '--fst', did you mean '--fast'?"),
            ("fast", "unknown option 'fast', did you mean '--fast'?"),
            ("--gat=full", "unknown option '--gat', did you mean '--gate'?"),
            ("-x", "unknown option '-x'"),
            ("", "unknown option ''"),
            ("=full", "unknown option ''"),
            (None, "unknown option 'None'"),
        ],
    )
    def test_an_unknown_one_is_named_with_the_nearest(self, option: object, why: str) -> None:
        assert why_not([option]) == why


class TestObject:
    """Flags as an object."""

    @pytest.mark.parametrize("row", SWITCHES, ids=lambda row: row.long)
    def test_a_switch_is_true_or_false(self, row: Option) -> None:
        assert parse_flags({row.flag: True}).active() == {row.flag: True}
        assert parse_flags({row.flag: False}) == Flags()

    @pytest.mark.parametrize("name", FLAG_NAMES)
    def test_null_stands_for_a_flag_left_out(self, name: str) -> None:
        assert parse_flags({name: None}) == Flags()

    def test_values_are_read_as_in_the_options(self) -> None:
        assert parse_flags({"gate_level": "f", "doc_research": "a,b"}) == parse_flags(["-g=full", "--doc-research=a,b"])
        assert parse_flags({"doc_research": [" a ", ""]}).active() == {"doc_research": ["a"]}

    @pytest.mark.parametrize(
        ("raw", "why"),
        [
            ({"fast": "yes"}, "fast must be true or false, got 'yes'"),
            ({"fast": 1}, "fast must be true or false, got 1"),
            ({"gate_level": "max"}, "gate_level must be one of full, f, auto, a, got 'max'"),
            ({"gate_level": ["full"]}, "gate_level must be one of full, f, auto, a, got ['full']"),
            ({"doc_research": 3}, "doc_research must be a list of prompt names, got 3"),
            ({"doc_research": ["a", 3]}, "doc_research must be a list of prompt names, got ['a', 3]"),
            ({"fsat": True}, "unknown flag 'fsat', did you mean 'fast'?"),
            ({"no-verify": None}, "unknown flag 'no-verify', did you mean 'no_verify'?"),
            ({"xyz": True}, "unknown flag 'xyz'"),
            ({1: True}, "unknown flag '1'"),
        ],
    )
    def test_what_does_not_fit_is_said(self, raw: object, why: str) -> None:
        assert why_not(raw) == why

    @pytest.mark.parametrize("raw", ["--fast", 1, True])
    def test_anything_but_an_object_or_a_list_is_refused(self, raw: object) -> None:
        assert why_not(raw) == "flags must be an object or a list of options"

    def test_a_long_or_deep_value_is_shown_short(self) -> None:
        deep: list[Any] = []
        for _ in range(10_000):
            deep = [deep]
        for raw in ({"fast": "x" * 10_000}, {"x" * 10_000: 1}, {"fast": deep}, ["-" * 10_000]):
            assert len(why_not(raw)) < 120


class TestCombinations:
    """Flags that contradict each other or the intent."""

    @pytest.mark.parametrize(
        ("given_", "why"),
        [
            ({"only_verify", "no_verify"}, "only_verify and no_verify exclude each other"),
            ({"only_verify", "only_explore"}, "only_verify and only_explore exclude each other"),
            ({"fast", "only_verify"}, "fast and only_verify exclude each other"),
            ({"quick", "only_verify"}, "quick and only_verify exclude each other"),
            ({"fast", "only_explore"}, "fast skips exploration, but an investigation only explores"),
            ({"quick", "only_explore"}, "quick skips exploration, but an investigation only explores"),
            ({"fast", "quick", "only_explore"}, "fast skips exploration, but an investigation only explores"),
        ],
    )
    @pytest.mark.parametrize("intent", list(Intent))
    def test_that_exclude_each_other_say_why(self, given_: set[str], why: str, intent: Intent) -> None:
        with pytest.raises(ContractViolation) as caught:
            check_combination(parse_flags(dict.fromkeys(given_, True)), intent)
        assert reason(caught.value) == why

    @pytest.mark.parametrize("name", ["fast", "quick"])
    def test_the_full_gate_has_nothing_to_enforce_without_exploration(self, name: str) -> None:
        with pytest.raises(ContractViolation) as caught:
            check_combination(parse_flags({name: True, "gate_level": "full"}), Intent.MODIFY)
        assert reason(caught.value) == f"{name} skips the phases that gate_level full requires"

    @pytest.mark.parametrize("name", ["fast", "quick"])
    @pytest.mark.parametrize("intent", INVESTIGATIONS)
    def test_an_investigation_cannot_skip_exploration(self, name: str, intent: Intent) -> None:
        with pytest.raises(ContractViolation) as caught:
            check_combination(parse_flags({name: True}), intent)
        assert reason(caught.value) == f"{name} skips exploration, but an investigation only explores"

    @pytest.mark.parametrize(
        "flags",
        [
            [],
            ["--fast"],
            ["--quick", "--no-verify"],
            ["-v"],
            ["-v", "-g=full"],
            ["-e", "-g=full"],
            ["--no-verify", "--no-quality", "--no-doc", "-ni", "-g=full", "--doc-research=a"],
        ],
    )
    def test_that_make_sense_are_left_as_they_are(self, flags: list[str]) -> None:
        parsed = parse_flags(flags)
        assert check_combination(parsed, Intent.IMPLEMENT) == (parsed, ())

    @pytest.mark.parametrize("intent", INVESTIGATIONS)
    def test_an_investigation_may_have_every_other_flag(self, intent: Intent) -> None:
        for flags in (["-v"], ["-e"], ["-g=full", "--no-doc", "--no-verify"]):
            assert check_combination(parse_flags(flags), intent) == (parse_flags(flags), ())

    def test_fast_and_quick_is_quick_with_a_notice_that_has_words(self) -> None:
        flags, notices = check_combination(parse_flags(["-f", "-q", "--no-verify"]), Intent.IMPLEMENT)
        assert flags == parse_flags(["-q", "--no-verify"])
        assert notices == ("fast_and_quick",)
        assert load_contract(None).message("warnings.fast_and_quick", {}).message


def test_a_refusal_has_every_value_its_message_needs() -> None:
    with pytest.raises(ContractViolation) as caught:
        parse_flags(["--fst"])
    text = load_contract(None).message(caught.value.key, caught.value.values).message
    assert text.startswith("unknown option '--fst', did you mean '--fast'? (known flags: gate_level, no_verify")


NAMES = st.sampled_from([*FLAG_NAMES, "x", ""]) | st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(["full", "a,b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
TEXTS = st.sampled_from([name for name, _ in spellings(list(OPTIONS))]) | st.text("-gfqv=ful,", max_size=8)


def outcome(raw: object, intent: Intent) -> tuple[Flags, tuple[str, ...]] | ContractViolation:
    try:
        return check_combination(parse_flags(raw), intent)
    except ContractViolation as violation:
        return violation


@given(VALUES | st.dictionaries(NAMES, VALUES, max_size=4) | st.lists(TEXTS, max_size=4), st.sampled_from(Intent))
def test_anything_at_all_is_flags_or_one_violation(raw: object, intent: Intent) -> None:
    match outcome(raw, intent):
        case ContractViolation() as violation:
            assert reason(violation)
        case flags, notices:
            assert not (flags.fast and flags.quick)
            assert notices in ((), ("fast_and_quick",))
            assert parse_flags(flags.active()) == flags
