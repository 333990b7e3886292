"""The linter: everything wrong with a file at once, each thing with its line and level."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from codeintel_contract import loader
from codeintel_contract.lint import Finding, lint_contract
from codeintel_contract.loader import ContractFileError, default_text, load_contract
from codeintel_contract.names import Key

SEED = Path(__file__).with_name("seed_contract.yml")
Lint = Callable[[str], list[Finding]]
Q1 = Callable[[str], list[tuple[str, str, str]]]


@pytest.fixture
def check(tmp_path: Path) -> Lint:
    def _check(text: str) -> list[Finding]:
        path = tmp_path / "phase_contract.yml"
        path.write_text(text, encoding="utf-8")
        return lint_contract(path)

    return _check


@pytest.fixture
def broken_default(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    def _forget() -> None:
        loader.default_file.cache_clear()
        loader._default.cache_clear()

    def _replace(text: str) -> None:
        monkeypatch.setattr(loader, "default_text", lambda: text)
        _forget()

    yield _replace
    _forget()


def test_the_packaged_contract_has_no_fault() -> None:
    assert lint_contract(None) == []


def test_a_copy_of_the_packaged_contract_has_no_fault(check: Lint) -> None:
    assert check(default_text()) == []


class TestSeed:
    """The contract file of the system before: its holes are found."""

    def test_the_implementation_phase_names_a_tool_that_no_longer_exists(self) -> None:
        line = SEED.read_text(encoding="utf-8").splitlines().index("  READY_IMPL:") + 1
        found = [finding for finding in lint_contract(SEED) if finding.key == "phases.READY_IMPL.instruction"]
        assert [(finding.level, finding.problem) for finding in found] == [
            ("error", "calls complete_task(), but there is no such tool")
        ]
        assert found[0].line > line

    def test_no_phase_requires_a_tool(self) -> None:
        found = {finding.key: finding.problem for finding in lint_contract(SEED) if "required_tools" in finding.problem}
        assert found == {
            f"phases.{key}": f"has no required_tools; those of the default apply: {', '.join(entry.required_tools)}"
            for key, entry in load_contract(None).phases.items()
            if entry.required_tools
        }
        assert "phases.SEMANTIC" in found

    def test_a_plan_cannot_give_up_a_task(self) -> None:
        found = [
            finding.problem
            for finding in lint_contract(SEED)
            if finding.key == "phases.READY_PLAN.expected_payload.tasks"
        ]
        assert found[-1] == "leaves out tasks[].drop_reason, which the agent can then not send"

    def test_messages_of_a_tool_that_is_gone_are_raised_by_nobody(self) -> None:
        keys = [
            finding.key for finding in lint_contract(SEED) if finding.problem.startswith("no code raises this message")
        ]
        assert len([key for key in keys if key.startswith("tool_errors.check_phase_necessity.")]) == 12

    def test_a_session_can_begin_on_it(self) -> None:
        contract = load_contract(SEED)
        assert contract.message("session_messages.invalid_data", {"error": "it is a list"}).message.count("a list") == 1
        passed = {"verifier_used": "v", "passed": True, "details": "d", "summary": "s", "compaction_count": 0}
        assert contract.validator(Key.POST_IMPL_VERIFY).check({**passed, "tools_used": []}) == []


class TestUnreadable:
    """A file that yields nothing is one finding."""

    def test_yaml_that_does_not_parse(self, check: Lint) -> None:
        (found,) = check("phases:\n  Q1: a: b\n")
        assert (found.line, found.level, found.key) == (2, "error", "")
        assert found.problem.startswith("is not valid YAML")

    def test_no_file(self, tmp_path: Path) -> None:
        assert lint_contract(tmp_path / "none.yml") == [Finding(0, "error", "", "there is no such file")]


def test_reports_all_faults_in_the_order_of_their_lines(check: Lint) -> None:
    found = check(
        "hint: {}\n"
        "phases:\n"
        "  Q1:\n"
        "    instruction: 3\n"
        "    required_tools: [serch_text, [a]]\n"
        "    min_distinct_tools: 10\n"
        "  Q4: {}\n"
        "hints:\n"
        "  h: {}\n"
        "  h: {}\n"
    )
    assert [(finding.line, finding.key) for finding in found] == [
        (1, "hint"),
        (4, "phases.Q1.instruction"),
        (5, "phases.Q1.required_tools[1]"),
        (6, "phases.Q1.min_distinct_tools"),
        (7, "phases.Q4"),
        (10, "hints.h"),
        (10, "hints.h"),
        (10, "hints.h"),
    ]


class TestPhases:
    """Faults of a phase's entry."""

    @pytest.fixture
    def q1(self, check: Lint) -> Q1:
        def _check(entry: str) -> list[tuple[str, str, str]]:
            found = check(f"phases:\n  Q1:\n    {entry}\n")
            assert all(finding.line == 3 for finding in found)
            return [(one.level, one.key.removeprefix("phases.Q1."), one.problem) for one in found]

        return _check

    @pytest.mark.parametrize(
        ("entry", "level", "key", "problem"),
        [
            ("required_tools: [serch_text]", "error", "required_tools[0]", "did you mean 'search_text'?"),
            ("required_tools: [mcp__code-intel__query]", "error", "required_tools[0]", "did you mean 'query'?"),
            ("recommended_tools: [query, grep]", "warning", "recommended_tools[1]", "there is no tool 'grep'"),
            (
                "min_distinct_tools: 10",
                "error",
                "min_distinct_tools",
                "10 cannot be reached: 9 exploration tools exist",
            ),
            ("resources: [.code-intel/a/b.md, docs/a.md]", "error", "resources[1]", "'docs/a.md' is not under"),
            ("resources: [.code-intel/../a]", "error", "resources[0]", "is not under .code-intel/"),
            ("resources: [/etc/passwd]", "error", "resources[0]", "is not under .code-intel/"),
            ("resources: ['.code-intel/..\\a']", "error", "resources[0]", "is not under .code-intel/"),
            ("resources: ['']", "error", "resources[0]", "'' is not under .code-intel/"),
            ("instruction: Call fooo_bar(x) now.", "error", "instruction", "calls fooo_bar(), but"),
            ("instruction: Call `serch_text`.", "warning", "instruction", "nor a field, did you mean 'search_text'?"),
            ("instruction: 'Report {task_id}.'", "warning", "instruction", "{task_id} stays unchanged: nothing fills"),
        ],
    )
    def test_are_found(self, q1: Q1, entry: str, level: str, key: str, problem: str) -> None:
        ((found_level, found_key, found_problem),) = q1(entry)
        assert (found_level, found_key) == (level, key)
        assert problem in found_problem

    @pytest.mark.parametrize(
        "entry",
        [
            "required_tools: [search_text]",
            "min_distinct_tools: 8",
            "resources: [.code-intel/verifiers/]",
            "instruction: Call search_text(x) or `query`, give `explored_files`, mind obj.my_method() and main().",
            "instruction: A checklist `item` with `failure_count`, `drop_reason` and `git status`.",
        ],
    )
    def test_are_not_seen_where_there_are_none(self, q1: Q1, entry: str) -> None:
        assert q1(entry) == []

    def test_a_pseudo_schema_that_does_not_parse_is_one_error_with_its_column(self, check: Lint) -> None:
        fields = "\n".join(f"      {name}: {text}" for name, text in (("summary", "str"), ("compaction_count", "int?")))
        assert check(f"phases:\n  MERGE:\n    expected_payload:\n{fields}?\n") == [
            Finding(
                5,
                "error",
                "phases.MERGE.expected_payload.compaction_count",
                "expected '|', '?', a (comment) or the end, found '?' (column 5)",
            )
        ]

    def test_a_field_of_the_wrong_type_is_not_also_a_field_left_out(self, check: Lint) -> None:
        found = check("phases:\n  MERGE:\n    expected_payload:\n      summary: 1\n      compaction_count: int?\n")
        assert [finding.key for finding in found] == ["phases.MERGE.expected_payload.summary"]

    def test_a_field_left_out_is_an_error_where_the_server_needs_it(self, check: Lint) -> None:
        found = check(
            "phases:\n  Q1:\n    expected_payload: {needs_more_information: bool, tools_used: 'list[str]?'}\n"
        )
        assert [(finding.level, finding.problem) for finding in found] == [
            ("error", "leaves out 'reason', without which the server refuses every payload"),
            ("warning", "leaves out 'compaction_count', which the agent can then not send"),
            ("warning", "leaves out 'summary', which the agent can then not send"),
        ]

    def test_a_required_tool_that_the_phase_does_not_allow_is_an_error(self, tmp_path: Path) -> None:
        path = tmp_path / "phase_contract.yml"
        path.write_text("phases:\n  Q1:\n    required_tools:\n      - search_text\n      - review_changes\n")
        found = lint_contract(path, callable_in={"review_changes": {Key.PRE_COMMIT}})
        assert [(each.line, each.level, each.key) for each in found] == [(5, "error", "phases.Q1.required_tools[1]")]
        assert "review_changes cannot be called in this phase" in found[0].problem
        path.write_text("phases:\n  PRE_COMMIT:\n    required_tools: [review_changes]\n")
        assert lint_contract(path, callable_in={"review_changes": {Key.PRE_COMMIT}}) == []

    def test_a_required_tool_taken_away_is_a_warning(self, check: Lint) -> None:
        assert check("phases:\n  SEMANTIC:\n    required_tools: []\n") == [
            Finding(3, "warning", "phases.SEMANTIC.required_tools", "no longer requires semantic_search")
        ]

    def test_one_sentence_of_a_phase_needs_no_required_tools_beside_it(self, check: Lint) -> None:
        assert check("phases:\n  SEMANTIC:\n    instruction: Search.\n") == []


class TestMessages:
    """Faults of the messages."""

    def test_a_message_that_nobody_raises_is_a_warning_with_the_nearest_known(self, check: Lint) -> None:
        assert check("failures:\n  READY:\n    unknwon_task:\n      message: What?\n") == [
            Finding(
                3,
                "warning",
                "failures.READY.unknwon_task",
                "no code raises this message, did you mean 'failures.READY.unknown_task'?",
            )
        ]

    def test_a_message_without_words_is_an_error(self, check: Lint) -> None:
        found = check("hints:\n  mine: {error: x}\n  phase_blocked_hint: {error: y}\n")
        assert {finding.key for finding in found} == {"hints.mine"}
        assert [finding.level for finding in found] == ["error", "warning"]

    def test_a_placeholder_that_no_call_site_fills_is_an_error(self, check: Lint) -> None:
        assert check('hints:\n  phase_blocked_hint:\n    message: "{phase}"\n') == [
            Finding(3, "error", "hints.phase_blocked_hint.message", "nothing fills {phase}; known here: none")
        ]

    def test_a_tool_named_in_a_message_must_exist(self, check: Lint) -> None:
        (found,) = check("hints:\n  phase_blocked_hint:\n    message: Use complete_task(x).\n")
        assert found.problem == "calls complete_task(), but there is no such tool"


class TestRaised:
    """What the code raises, against what the file says."""

    def test_a_message_of_the_file_that_is_not_raised_is_a_warning(self, tmp_path: Path) -> None:
        path = tmp_path / "contract.yml"
        path.write_text("hints:\n  phase_blocked_hint:\n    message: Wait.\n", encoding="utf-8")
        everything = load_contract(None).messages.keys()
        assert lint_contract(path, raised=everything) == []
        assert lint_contract(path, raised=everything - {"hints.phase_blocked_hint"}) == [
            Finding(2, "warning", "hints.phase_blocked_hint", "no code raises this message")
        ]

    def test_a_key_that_is_raised_and_has_no_message_is_an_error(self) -> None:
        (found,) = lint_contract(None, raised=[*load_contract(None).messages, "hints.more"])
        assert (found.level, found.key, found.problem) == ("error", "hints.more", "is raised but has no message")
        assert default_text().splitlines()[found.line - 1] == "hints:"


class TestBrokenDefault:
    """A packaged contract with faults: the linter lists them, the loader refuses."""

    def test_a_missing_phase_is_an_error(self, broken_default: Callable[[str], None]) -> None:
        broken_default("phases:\n  MERGE:\n    instruction: Merge.\n    expected_payload: {summary: str}\n")
        missing = [finding.key for finding in lint_contract(None) if finding.problem == "is missing"]
        assert missing == sorted(f"phases.{key}" for key in Key if key is not Key.MERGE)

    def test_a_phase_without_its_parts_is_an_error(self, broken_default: Callable[[str], None]) -> None:
        broken_default("phases:\n  MERGE:\n    instruction: Merge.\n")
        assert Finding(2, "error", "phases.MERGE", "has no expected_payload") in lint_contract(None)
        with pytest.raises(ContractFileError, match=r"phase_contract\.yml:2: phases\.MERGE: has no expected_payload"):
            load_contract(None)

    def test_a_pseudo_schema_that_does_not_parse_is_an_error(self, broken_default: Callable[[str], None]) -> None:
        broken_default("phases:\n  MERGE:\n    instruction: Merge.\n    expected_payload: {summary: strr}\n")
        assert "phases.MERGE.expected_payload.summary" in [finding.key for finding in lint_contract(None)]


YAMLISH = st.text("phasesQ1hint:{}[]-?'\" \n\t`(){}0", max_size=80)
LINES = st.lists(st.sampled_from(default_text().splitlines()), max_size=30).map("\n".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(text=YAMLISH | LINES)
def test_has_an_error_for_whatever_the_loader_refuses(text: str, tmp_path: Path, check: Lint) -> None:
    found = check(text)
    try:
        load_contract(tmp_path / "phase_contract.yml")
        refused = False
    except ContractFileError:
        refused = True
    assert not refused or "error" in {finding.level for finding in found}
