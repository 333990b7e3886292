"""What a run of a verifier proves, and what of it the user has to know."""

from dataclasses import replace
from typing import Any

import pytest

from codeintel_contract.payloads import PostImplVerify
from codeintel_contract.tasks import ChecklistItem, Task
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.facts import Changed, Facts, VerifierFact
from codeintel_session.machine.judges.verify import missing_runs
from codeintel_session.machine.receipts import assess_receipt, find_advice, find_warnings, shown
from codeintel_session.machine.regressions import Weakened
from codeintel_session.machine.state import BaseRun, BaseTests, Move, Named, Receipt
from codeintel_session.testing import judge, state_at

GREEN = BaseRun(state="ran", exit=0, counts={"tests": 3})
RED = BaseRun(state="ran", exit=1)


def receipt(**fields: Any) -> Receipt:
    return Receipt(
        **{"verifier": "unit.md", "command": "make", "exit": 0, "tree": "t", "at": "", "base": GREEN, **fields}
    )


def names(*tests: str) -> Named:
    return Named(names=tests, count=len(tests))


def task(text: str) -> Task:
    return Task(id="t", description=text, checklist=(ChecklistItem(item="i"),))


@pytest.mark.parametrize(
    ("fields", "standing", "key"),
    [
        ({}, "passed", ""),
        ({"exit": 1}, "failed", "receipt_exit"),
        ({"broken": names("a::b")}, "failed", "receipt_broken"),  # though the exit code is 0
        ({"exit": 1, "broken": names("a::b"), "red": names("a::c"), "base": RED}, "failed", "receipt_broken"),
        ({"exit": 1, "red": names("a::c"), "base": RED}, "passed", ""),
        ({"exit": 2, "red": names("a::c"), "base": RED}, "failed", "receipt_exit"),
        ({"exit": 1, "base": RED}, "unproved", "receipt_red_before"),
        ({"exit": 1, "base": RED, "counts": {"tests": 3, "failures": 1}}, "unproved", "receipt_red_before"),
        ({"exit": 1, "base": RED, "counts": {"tests": 3, "failures": 0}}, "unproved", "receipt_red_beside"),
        ({"exit": 1, "base": BaseRun(why="no")}, "failed", "receipt_exit"),
        ({"gone": names("a::b")}, "failed", "receipt_gone"),
        ({"timed_out": True, "exit": -9}, "failed", "receipt_timed_out"),
        ({"timed_out": True, "exit": -9, "base": BaseRun(state="timed_out")}, "unproved", "receipt_hangs_before"),
        ({"broken": names("a::b"), "base": BaseRun(state="timed_out")}, "failed", "receipt_failing"),
        ({"reported": True, "counts": {"tests": 0}}, "unproved", "receipt_no_tests"),
        ({"reported": True, "counts": {"tests": 2}}, "passed", ""),
        ({"is_reading": True}, "passed", ""),
        ({"is_reading": True, "exit": 1, "unanswered": "it ended with exit code 1"}, "unproved", "receipt_unanswered"),
        ({"counts": {"tests": 2}, "lenient": ("test_codeintel_raises",)}, "unproved", "receipt_lenient"),
    ],
)
def test_a_run_passes_fails_or_proves_nothing(fields: dict[str, Any], standing: str, key: str) -> None:
    found, why = assess_receipt(receipt(**fields))
    assert (found, why.key.rpartition(".")[2] if why else "") == (standing, key)


class TestTestsThatAreGone:
    GONE = receipt(gone=names("tests.test_stats.TestOld::test_median"))

    @pytest.mark.parametrize(
        "text", ["Remove test_median with the function", "Drop test_stats", "TestOld covers what is removed"]
    )
    def test_are_accepted_where_a_task_names_them_and_told(self, text: str) -> None:
        assert assess_receipt(self.GONE, [task(text)]) == ("passed", None)
        assert [say.key for say in find_warnings(self.GONE)] == ["warnings.tests_gone"]

    @pytest.mark.parametrize("text", ["Remove the old tests", "Tidy tests", "test_medians"])
    def test_are_not_covered_by_words_that_name_none(self, text: str) -> None:
        assert assess_receipt(self.GONE, [task(text)])[0] == "failed"

    def test_need_a_task_about_removing_tests_where_only_their_number_is_known(self) -> None:
        counted = receipt(gone=Named(count=2))
        assert assess_receipt(counted, [task("Add a function")])[0] == "failed"
        assert assess_receipt(counted, [task("Remove the two tests of the old API")])[0] == "passed"

    def test_beyond_those_listed_are_never_covered(self) -> None:
        assert (
            assess_receipt(receipt(gone=Named(names=("a::test_median",), count=9)), [task("test_median")])[0]
            == "failed"
        )


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"findings": ("a.py:3: f(0) raises.",)}, "findings"),
        ({"suggestions": ("a.py:3: f(0) raises.",)}, "suggestions"),
        ({"in_place": "why"}, "ran_in_place"),
        ({"base_tests": BaseTests(failed=names("x"))}, "base_tests_fail"),
        ({"red_before": False, "red_before_why": "t.py"}, "green_before"),
        ({"red": names("x")}, "red_before"),
        ({"flaky": names("x")}, "flaky"),
        ({"skipped": names("x")}, "new_skips"),
        ({"steering": ("Makefile",)}, "steering_changed"),
        ({"data": ("a.snap",)}, "data_changed"),
        ({"borders": names("a.py:3 f: one <= 3")}, "borders"),
        ({"unrun": names("tests/a.sh")}, "unrun"),
        ({"equal": names("a.py: f")}, "equal"),
        ({"indifferent": names("tests/a.py:3 test_a")}, "indifferent"),
        ({"unread": ("a.py:3 strict",)}, "unread"),
        ({"unfailing": ("tests/a.py:3",)}, "unfailing"),
        ({"unheard": names("tests/a.py:3 test_a")}, "unheard"),
        ({"runner_dependent": ("a.py: test_a",)}, "runner_dependent"),
        ({"unnoticed": names("a.py: f")}, "unnoticed"),
        ({"any_value": names("a.py: f")}, "any_value"),
        ({"as_before": names("a.py: f")}, "as_before"),
        ({"unexamined": names("a.py: f")}, "unexamined"),
        ({"unparsed": ("a.cpp",)}, "unparsed"),
        ({"pinned": ("requirements.txt",)}, "pinned"),
        ({"rewritten": ("a.py",)}, "rewritten"),
        ({"touched": ("a.py",)}, "touched"),
        ({"disguised": ("a.py",)}, "disguised"),
        ({"commented": ("a.py",)}, "commented"),
        ({"asking": ("a.py",)}, "asks_what_runs"),
        ({"replaced": ("tests/a.py:3",)}, "replaced"),
        ({"created": ("golden/a",)}, "created"),
        ({"repeated": ("a.py:3",)}, "repeated"),
        ({"environment_changed": (".venv",)}, "environment_changed"),
    ],
)
def test_what_the_user_has_to_know_is_a_warning(fields: dict[str, Any], key: str) -> None:
    assert [say.key for say in find_warnings(receipt(**fields))] == [f"warnings.{key}"]
    for_the_user = ("unexamined", "unparsed")  # an agent can do nothing about them
    assert [say.key for say in find_advice(receipt(**fields))] == [f"warnings.{key}"] * (key not in for_the_user)


def test_a_run_with_nothing_to_tell_warns_of_nothing() -> None:
    assert find_warnings(receipt(red_before=True, base_tests=BaseTests(passed=3))) == []


def test_a_list_shows_its_first_names_and_how_many_more_there_are() -> None:
    assert shown(Named(names=tuple("abcdefg"), count=30)) == "a, b, c, d, e and 25 more"
    assert (shown(names("a", "b")), shown(Named(count=2))) == ("a, b", "2")


FAR = VerifierFact("unit.md", True)
EVIDENT = ChecklistItem(item="i", status="done", evidence=("a.py:1",))
REPORTED = (Task(id="t", description="d", status="completed", checklist=(EVIDENT,)),)
FIELDS = {"verifier_used": "unit.md", "passed": True, "details": "ran"}
FACTS = Facts(verifiers={"unit.md": VerifierFact("unit.md", True, fits=True)}, tree="t")


def passing(one: Receipt, facts: Facts = FACTS) -> list[str]:
    state = state_at(15, receipts={"unit.md": one})
    return [say.key for say in judge(state, facts, **FIELDS).warnings]


def test_a_pass_needs_a_run_that_passes_or_one_that_could_prove_nothing() -> None:
    with pytest.raises(ContractViolation, match="receipt_broken"):
        passing(receipt(broken=names("a::b")))
    assert passing(receipt(exit=1, base=RED)) == ["warnings.unproved"]
    assert passing(receipt()) == []


def test_a_pass_over_weaker_tests_is_accepted_with_a_warning() -> None:
    weaker = Facts(verifiers=FACTS.verifiers, tree="t", weakened=(Weakened("t.py", "test_a", "gone"),))
    assert passing(receipt(skipped=names("x")), weaker) == ["warnings.new_skips", "warnings.tests_weakened"]


def test_a_test_that_was_changed_is_named_apart_from_those_that_promise_less() -> None:
    changed = replace(FACTS, weakened=(Weakened("t.py", "test_a", "changed"),))
    (said,) = judge(state_at(15, receipts={"unit.md": receipt()}), changed, **FIELDS).warnings
    assert (said.key, said.values) == ("warnings.tests_changed", {"tests": "t.py: test_a"})


@pytest.mark.parametrize(
    ("fact", "runs", "missing"),
    [
        (FACTS.verifiers["unit.md"], {}, ["unit.md"]),
        (FACTS.verifiers["unit.md"], {"unit.md": receipt(tree="before")}, ["unit.md"]),
        (FACTS.verifiers["unit.md"], {"unit.md": receipt()}, []),
        (VerifierFact("unit.md", True, fits=True, is_lost=True), {}, []),
    ],
)
def test_a_verifier_runs_before_the_judgement_if_it_can_and_has_not_run_on_this_tree(
    fact: VerifierFact, runs: dict[str, Receipt], missing: list[str]
) -> None:
    payload = PostImplVerify.model_validate({"summary": "s", **FIELDS})
    assert missing_runs(state_at(15, receipts=runs), payload, replace(FACTS, verifiers={"unit.md": fact})) == missing


READS = VerifierFact("a_reader.md", True, fits=True, is_reading=True)


@pytest.mark.parametrize(
    ("fits", "needed"),
    [(True, ["unit.md", "a_reader.md"]), (False, ["unit.md", "a_reader.md"]), (None, ["a_reader.md"])],
)
def test_a_change_is_read_after_the_runs_and_in_the_place_of_none(fits: bool | None, needed: list[str]) -> None:
    runs = {} if fits is None else {"unit.md": VerifierFact("unit.md", True, fits=fits)}
    fields = {"summary": "s", **FIELDS, "verifier_used": "a_reader"}
    payload = PostImplVerify.model_validate(fields)
    facts = replace(FACTS, verifiers={"a_reader.md": READS, **runs})
    assert missing_runs(state_at(15), payload, facts) == needed


def test_a_pass_over_a_change_that_no_report_names_opens_its_task_again() -> None:
    moved = {"a.py": Move(before="1", now="2")}
    state = state_at(15, receipts={"unit.md": receipt()}, tasks=REPORTED, moved=moved, explored=("a.py",))
    decision = judge(state, replace(FACTS, changes=(Changed("a.py", "modified", whole=True),)), **FIELDS)
    assert [say.key for say in decision.warnings] == ["warnings.changed_after_report"]
    assert decision.state.phase_state.step == 13


class TestAChangeThatFitsNoVerifierWithACommand:
    FACTS = replace(FACTS, verifiers={"text.md": VerifierFact("text.md", False, fits=True), "unit.md": FAR})

    def test_needs_the_run_of_one_all_the_same(self) -> None:
        with pytest.raises(ContractViolation, match="receipt_missing"):
            judge(state_at(15), self.FACTS, **(FIELDS | {"verifier_used": "text"}))
        state = state_at(15, receipts={"unit.md": receipt()})
        assert judge(state, self.FACTS, **(FIELDS | {"verifier_used": "text"})).state.phase_state.step == 17
