"""Steps 15, 16 and 18: failures are counted by the server, and every valve opens when it must."""

from dataclasses import replace
from typing import Any

import pytest

from codeintel_contract.flags import Flags
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.decide import Decision
from codeintel_session.machine.facts import Facts, VerifierFact
from codeintel_session.machine.judges.ready import escalation_due
from codeintel_session.machine.limits import DETAIL_CHARS
from codeintel_session.machine.naming import find_prompt
from codeintel_session.machine.state import Counters, Receipt, SessionState
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.testing import judge, state_at

FACTS = Facts(
    verifiers={"text.md": VerifierFact("text.md", False), "run.md": VerifierFact("run.md", True)},
    prompts=("step_back.md", "quality_review.md", "user_escalation.md"),
    tree="now",
)
DONE = {"description": "d", "status": "completed", "checklist": ({"item": "i"},)}


def verify(state: Any, **fields: Any) -> Any:
    return judge(state, FACTS, **{"verifier_used": "text", "passed": False, "details": "it broke", **fields})


def at_verify(failures: int = 0, *counts: int, **fields: Any) -> Any:
    tasks = tuple({**DONE, "id": f"t{number}", "failure_count": count} for number, count in enumerate(counts))
    counters = Counters(verification_failure_count=failures)
    return state_at(15, **{"tasks": tasks, "plan_round": 1, "counters": counters, **fields})


def test_a_failure_without_names_blames_every_task_of_the_round() -> None:
    old = {**DONE, "id": "old", "round": 1}
    fresh = {**DONE, "id": "new", "round": 2}
    after = verify(at_verify(tasks=(old, fresh), plan_round=2)).state
    assert [task.failure_count for task in after.tasks] == [0, 1]
    assert (after.phase_state.step, after.counters.verification_failure_count) == (12, 1)
    assert after.revert_reason == "it broke"


def test_named_tasks_are_blamed_alone_and_unknown_ones_refused() -> None:
    after = verify(at_verify(0, 0, 0), failed_tasks=["t1"]).state
    assert [task.failure_count for task in after.tasks] == [0, 1]
    with pytest.raises(ContractViolation, match="unknown_failed_task"):
        verify(at_verify(0, 0), failed_tasks=["t0", "x"])


@pytest.mark.parametrize(
    ("failures", "counts", "step"), [(1, (1,), 12), (2, (0,), 16), (0, (2,), 16), (0, (2, 5), 16), (5, (), 16)]
)
def test_the_third_failure_of_a_task_or_in_a_row_intervenes(failures: int, counts: tuple[int, ...], step: int) -> None:
    assert verify(at_verify(failures, *counts)).state.phase_state.step == step


def test_a_count_of_a_task_that_did_not_fail_does_not_intervene() -> None:
    assert verify(at_verify(0, 5, 0), failed_tasks=["t1"]).state.phase_state.step == 12


@pytest.mark.parametrize("flags", [Flags(no_intervention=True), Flags(quick=True)])
def test_without_interventions_the_sixth_failure_asks_the_user(flags: Flags) -> None:
    after = verify(at_verify(4, 9, flags=flags)).state
    assert (after.phase_state.step, escalation_due(after)) == (12, False)
    after = verify(at_verify(5, 9, flags=flags)).state
    assert (after.phase_state.step, escalation_due(after)) == (12, True)


def test_with_interventions_a_plan_never_asks_for_a_decision() -> None:
    assert not escalation_due(state_at(12, counters=Counters(verification_failure_count=9)))


def test_a_pass_resets_both_counts() -> None:
    after = verify(at_verify(2, 2, 1, receipts={"run.md": ran("now", 0)}), passed=True).state
    assert [task.failure_count for task in after.tasks] == [0, 0]
    assert (after.phase_state.step, after.counters.verification_failure_count) == (17, 0)


def test_only_verify_ends_with_what_was_found() -> None:
    state = state_at(15, flags=Flags(only_verify=True))
    assert verify(state).ending.key == "success.POST_IMPL_VERIFY.only_verify_failed"
    with pytest.raises(ContractViolation, match="receipt_missing"):  # a verifier without a command does not suffice
        verify(state, passed=True)
    ran_it = state.model_copy(update={"receipts": {"run.md": ran("now", 0)}})
    assert verify(ran_it, passed=True).ending.key == "success.POST_IMPL_VERIFY.only_verify_passed"


@pytest.mark.parametrize(
    ("receipt", "key"),
    [
        (None, "verification_receipt_missing"),
        (("before", 0), "verification_receipt_stale"),
        (("now", 1), "receipt_exit"),
    ],
)
def test_a_pass_with_a_command_needs_the_servers_own_run(receipt: tuple[str, int] | None, key: str) -> None:
    kept = {} if receipt is None else {"run.md": ran(*receipt)}
    with pytest.raises(ContractViolation) as caught:
        verify(at_verify(receipts=kept), verifier_used="run.md", passed=True)
    assert caught.value.key == f"failures.POST_IMPL_VERIFY.{key}"


@pytest.mark.parametrize(
    ("reverts", "flags", "says"),
    [
        (0, Flags(), ("warnings.findings_rounds", {"left": 3})),
        (2, Flags(), ("warnings.findings_rounds", {"left": 1})),
        (3, Flags(), ("warnings.findings_last", {})),
        (4, Flags(), ("warnings.findings_last", {})),
        (0, Flags(no_quality=True), None),
    ],
)
def test_with_what_a_reader_found_goes_how_often_it_can_be_put_right(reverts: int, flags: Flags, says: Any) -> None:
    read = ran("now", 0).model_copy(update={"findings": ("a.py:1: it adds",)})
    state = at_verify(receipts={"run.md": read}, flags=flags)
    state = state.model_copy(update={"counters": Counters(quality_revert_count=reverts)})
    said = [(one.key, dict(one.values)) for one in verify(state, verifier_used="run.md", passed=True).warnings]
    assert [one for one in said if one[0].startswith("warnings.findings_")] == ([says] if says else [])


def test_what_a_reader_said_before_is_told_apart_and_can_be_put_right_as_well() -> None:
    read = ran("now", 0).model_copy(update={"findings": ("a", "b"), "again": ("b",)})
    warnings = verify(at_verify(receipts={"run.md": read}), verifier_used="run.md", passed=True).warnings
    said = {one.key: one.values.get("remarks") for one in warnings}
    assert said == {"warnings.findings": "a", "warnings.findings_again": "b", "warnings.findings_rounds": None}


def ran(tree: str, status: int) -> Receipt:
    return Receipt(verifier="run.md", command="true", exit=status, tree=tree, at="")


def test_a_good_receipt_of_this_tree_passes_and_a_failure_needs_none() -> None:
    good = at_verify(receipts={"run.md": ran("now", 0)})
    assert verify(good, verifier_used=".code-intel/verifiers/run.md", passed=True).state.phase_state.step == 17
    assert verify(at_verify(), verifier_used="run").state.phase_state.step == 12


class TestAVerifierThatFitsWhatWasChanged:
    FACTS = Facts(
        verifiers={
            "text.md": VerifierFact("text.md", False, fits=True),
            "run.md": VerifierFact("run.md", True, fits=True),
            "far.md": VerifierFact("far.md", True),
        },
        tree="now",
    )

    @staticmethod
    def passed(facts: Facts, state: SessionState) -> Decision:
        return judge(state, facts, verifier_used="text", passed=True, details="fine")

    def test_must_have_been_run_whichever_is_named(self) -> None:
        with pytest.raises(ContractViolation, match="receipt_missing") as caught:
            self.passed(self.FACTS, at_verify())
        assert caught.value.values["name"] == "run.md"
        receipt = Receipt(verifier="run.md", command="c", exit=0, tree="now", at="t")
        after = self.passed(self.FACTS, at_verify(receipts={"run.md": receipt}))
        assert (after.state.phase_state.step, after.warnings) == (17, ())

    def test_is_only_named_where_the_user_agreed_to_no_command(self) -> None:
        decision = self.passed(replace(self.FACTS, trusted=False), at_verify())
        assert decision.warnings == (MessageRef("warnings.verifiers_not_trusted", {"names": "run.md"}),)

    def test_is_no_wall_by_its_name_either_and_the_warning_names_both(self) -> None:
        untrusted = replace(self.FACTS, trusted=False)
        decision = judge(at_verify(), untrusted, verifier_used="far", passed=True, details="fine")
        assert decision.warnings == (MessageRef("warnings.verifiers_not_trusted", {"names": "far.md, run.md"}),)

    def test_that_did_not_end_in_time_lets_the_work_go_on_and_is_named(self) -> None:
        late = Receipt(verifier="run.md", command="c", exit=-1, tree="now", at="t", timed_out=True)
        after = self.passed(self.FACTS, at_verify(receipts={"run.md": late}))
        assert [warning.key for warning in after.warnings] == ["warnings.unproved"]


def test_an_unknown_verifier_lists_the_known() -> None:
    with pytest.raises(ContractViolation) as caught:
        verify(at_verify(), verifier_used="")
    assert caught.value.values["known"] == "text.md, run.md"
    with pytest.raises(ContractViolation) as caught:
        judge(at_verify(), verifier_used="x", passed=True, details="d")
    assert caught.value.values["known"] == "none"


def test_details_are_kept_to_a_length() -> None:
    assert len(verify(at_verify(), details="x" * 99999).state.revert_reason) == DETAIL_CHARS


def intervene(count: int, prompt: str) -> Any:
    counters = Counters(verification_failure_count=3, intervention_count=count)
    state = state_at(16, counters=counters, tasks=({**DONE, "id": "t", "failure_count": 3},))
    return judge(state, FACTS, prompt_used=prompt, action_taken="another way").state


def test_an_intervention_is_counted_and_gives_a_fresh_start() -> None:
    after = intervene(0, "step_back")
    assert after.counters == Counters(intervention_count=1)
    assert (after.tasks[0].failure_count, after.phase_state.step) == (0, 12)


def test_after_two_interventions_only_the_users_escalation_counts() -> None:
    assert intervene(1, "step_back").counters.intervention_count == 2
    with pytest.raises(ContractViolation, match="user_escalation"):
        intervene(2, "step_back")
    assert intervene(2, ".code-intel/user_escalation.md").counters.intervention_count == 3


def test_a_second_failure_on_one_tree_is_for_the_user() -> None:
    assert verify(at_verify(failed_tree="before")).state.phase_state.step == 12
    once = verify(at_verify()).state
    assert (once.phase_state.step, once.failed_tree, once.stuck) == (12, "now", False)
    twice = verify(at_verify(1, 1, failed_tree="now")).state
    assert (twice.phase_state.step, twice.stuck) == (16, True)
    with pytest.raises(ContractViolation, match="user_escalation"):
        judge(twice, FACTS, prompt_used="step_back", action_taken="again")
    decided = judge(twice, FACTS, prompt_used="user_escalation", action_taken="the user says: go on").state
    assert (decided.phase_state.step, decided.stuck, decided.counters.intervention_count) == (12, False, 1)
    quick = verify(at_verify(1, 1, failed_tree="now", flags=Flags(quick=True))).state
    assert (quick.phase_state.step, escalation_due(quick)) == (12, True)


def test_without_a_tree_none_is_the_same() -> None:
    fields = {"verifier_used": "text", "passed": False, "details": "it broke"}
    assert not judge(at_verify(), replace(FACTS, tree=""), **fields).state.stuck


def review(count: int, issues: list[str], **fields: Any) -> Any:
    state = state_at(18, counters=Counters(quality_revert_count=count), **fields)
    return judge(state, FACTS, quality_prompt_used="quality_review", quality_score="low", issues=issues)


def test_three_quality_reverts_then_the_fourth_report_forces_completion() -> None:
    for count in range(3):
        after = review(count, ["bad name", " "]).state
        assert (after.phase_state.step, after.counters.quality_revert_count) == (12, count + 1)
        assert after.revert_reason == "bad name"
    forced = review(3, ["bad name"])
    assert (forced.state.phase_state.step, forced.state.forced_completion) == (19, True)
    assert forced.warnings[0].key == "failures.QUALITY_REVIEW.quality_forced_completion"


def test_only_issues_decide_a_review() -> None:
    assert review(0, [" "]).state.phase_state.step == 19


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("run", "run.md"),
        (".code-intel/verifiers/run.md", "run.md"),
        ("run.md, text", "run.md"),
        ("text, .code-intel\\verifiers\\run.md", "text.md"),
        ("one, two", "one, two.md"),
        ("run.md, none.md", ""),
        ("run.md,", ""),
        ("", ""),
    ],
)
def test_a_prompt_is_known_by_its_name_and_of_several_the_first_counts(name: str, found: str) -> None:
    known = ("text.md", "run.md", "one, two.md")
    if found:
        assert find_prompt("verifier_used", name, known) == found
        return
    with pytest.raises(ContractViolation, match="prompt_not_found"):
        find_prompt("verifier_used", name, known)
