"""The ways back: failed verification, intervention, quality review, and the valves that end them."""

from pathlib import Path

import pytest

from codeintel_contract.names import Key
from codeintel_session import keep_receipt
from codeintel_session.machine.state import Receipt
from codeintel_session.ports import Verifier
from codeintel_session.submission.elicitation import UserAnswer
from codeintel_session.submission.user_decisions import escalation_question, keep_answer
from codeintel_session.testing import MODULE, Driver, Repo, World

pytestmark = pytest.mark.draws(5)


def fail(driver: Driver) -> dict[str, object]:
    """Go to the verification and fail it."""
    return driver.until(Key.POST_IMPL_VERIFY).accept(passed=False, details="two tests fail")


def test_a_failed_verification_goes_back_to_planning_and_says_why(driver: Driver, repo: Repo) -> None:
    driver.start(no_quality=True)
    reply = fail(driver)
    assert (reply["step"], reply["substep"]) == (12, "plan")
    assert "two tests fail" in str(reply["notices"])
    assert reply["progress"] == {"done": 1, "total": 1}
    assert driver.finish()["outcome"] == "unverified"
    assert "more_2" in repo.git("show", f"HEAD:{MODULE}")


def test_three_failures_intervene_and_two_interventions_ask_the_user(driver: Driver) -> None:
    driver.start(no_quality=True)
    for round_number in range(3):
        replies = [fail(driver) for _ in range(3)]
        assert [reply["step"] for reply in replies] == [12, 12, 16]
        asks = round_number == 2
        assert ("requires_user_intervention" in replies[-1]) is asks
        assert ("2 interventions" in str(replies[-1]["instruction"])) is asks
        if asks:
            refused = driver.submit(prompt_used="step_back")
            assert (refused["error"], refused["requires_user_intervention"]) == ("user_escalation", True)
        driver.accept()
    assert driver.state.counters.intervention_count == 3
    assert driver.finish()["outcome"] == "unverified"


def test_a_failure_of_the_same_tree_asks_the_user(driver: Driver) -> None:
    driver.start(no_quality=True)
    assert "report the failure again" in str(fail(driver)["notices"])
    driver.accept(tasks=[])
    reply = fail(driver)
    assert (reply["step"], reply["requires_user_intervention"]) == (16, True)
    assert "failed again on the same tree" in str(reply["instruction"])
    assert driver.submit(prompt_used="step_back")["error"] == "user_escalation"
    driver.accept(prompt_used="user_escalation")
    assert driver.finish()["outcome"] == "unverified"


@pytest.fixture
def wrong_run(world: World, repo: Repo, tmp_path: Path) -> Driver:
    """An agent whose verifier fails on every tree, on a machine with a seal."""
    world.state_folder = tmp_path / "state"
    world.library.known["unit.md"] = Verifier("unit.md", "", matches=lambda path: True, command="pytest")
    return Driver(world.service(), repo)


def run_fails(driver: Driver) -> None:
    git = driver.service.ports.git
    assert git is not None
    keep_receipt(driver.service, Receipt(verifier="unit.md", command="pytest", exit=1, tree=git.trees.take(), at="now"))


def fail_twice(driver: Driver) -> None:
    """Report the same failure twice: the session then waits for the user."""
    fail(driver)
    driver.accept(tasks=[])
    driver.until(Key.POST_IMPL_VERIFY)
    run_fails(driver)
    fail(driver)


def decide(driver: Driver, text: str) -> None:
    """Answer the open question as `codeintel decide` does."""
    question, seal = escalation_question(driver.state), driver.service.ports.seal
    assert question is not None
    assert seal is not None
    keep_answer(driver.service.ports.root, seal, question, text)


@pytest.mark.parametrize("quick", [False, True])
def test_a_user_who_accepts_what_failed_lets_it_pass_as_not_verified(wrong_run: Driver, quick: bool) -> None:
    wrong_run.start(quick=quick, no_quality=not quick)
    fail_twice(wrong_run)
    decide(wrong_run, "Accept.")
    field = {"user_decision": "the user accepts it"} if quick else {"prompt_used": "user_escalation"}
    reply = wrong_run.accept(**field, **({"tasks": []} if quick else {}))
    if not quick:
        assert "The user accepted the tree that failed" in str(reply["notices"])
        wrong_run.accept(tasks=[])
    wrong_run.until(Key.POST_IMPL_VERIFY)
    reply = wrong_run.accept(passed=True)
    end = reply if quick else wrong_run.finish()
    assert (end["outcome"], "and the user accepted the change as it is" in end["message"]) == ("unverified", True)


@pytest.mark.parametrize("answer", ["accept it once the tests pass", "try another way"])
def test_any_other_answer_of_the_user_leaves_the_failed_run_in_the_way(wrong_run: Driver, answer: str) -> None:
    wrong_run.start(no_quality=True)
    fail_twice(wrong_run)
    decide(wrong_run, answer)
    assert "The user accepted" not in str(wrong_run.accept(prompt_used="user_escalation")["notices"])
    wrong_run.accept(tasks=[])
    assert wrong_run.until(Key.POST_IMPL_VERIFY).submit(passed=True)["error"] == "verification_receipt_failed"


def test_an_agent_cannot_accept_what_failed(wrong_run: Driver) -> None:
    wrong_run.start(no_quality=True)
    fail_twice(wrong_run)
    wrong_run.accept(prompt_used="user_escalation", action_taken="accept", summary="accept")
    wrong_run.accept(tasks=[])
    assert wrong_run.until(Key.POST_IMPL_VERIFY).submit(passed=True)["error"] == "verification_receipt_failed"


def test_what_the_user_accepted_is_that_tree_and_no_other(wrong_run: Driver) -> None:
    wrong_run.start(no_quality=True)
    fail_twice(wrong_run)
    payload = wrong_run.payload() | {"prompt_used": "user_escalation"}
    reply = wrong_run.service.submit(payload, answer=UserAnswer("accept", "accept"))
    assert "The user accepted the tree that failed" in str(reply["notices"])
    wrong_run.until(Key.POST_IMPL_VERIFY)  # the plan gets one more task, which changes the module
    run_fails(wrong_run)
    assert wrong_run.submit(passed=True)["error"] == "verification_receipt_failed"


@pytest.mark.slow
def test_without_interventions_six_failures_ask_the_user_in_the_plan(driver: Driver) -> None:
    driver.start(quick=True)
    replies = [fail(driver) for _ in range(6)]
    assert ["requires_user_intervention" in reply for reply in replies] == [False] * 5 + [True]
    assert "Verification failed 6 times" in str(replies[-1]["notices"])
    refused = driver.submit(user_decision=...)
    assert (refused["success"], refused["requires_user_intervention"]) == (False, True)
    driver.accept(user_decision="once more")
    assert driver.finish()["outcome"] == "unverified"


@pytest.mark.slow
def test_three_quality_reverts_and_then_the_merge_is_forced(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.issues = ["a name is wrong"]
    for _ in range(3):
        driver.until(Key.QUALITY_REVIEW)
        assert driver.accept()["step"] == 12
    forced = driver.until(Key.QUALITY_REVIEW).accept()
    assert (forced["step"], forced["success"], forced["forced_completion"]) == (19, True, True)
    assert "a name is wrong" in forced["warning"]
    end = driver.accept()
    assert (end["outcome"], end["forced_completion"]) == ("forced", True)
    assert "more_4" in repo.git("show", f"HEAD:{MODULE}")


def test_a_second_round_commits_only_what_it_changed(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.QUALITY_REVIEW)
    driver.accept(issues=["add another"])
    driver.until(Key.PRE_COMMIT)
    driver.accept()
    first, second = driver.state.commits
    assert "more_2" not in repo.git("show", f"{first}:{MODULE}")
    assert "more_2" in repo.git("show", f"{second}:{MODULE}")


@pytest.mark.slow
def test_what_a_second_round_takes_back_leaves_the_branch_too(driver: Driver, repo: Repo) -> None:
    """Against the base nothing differs then, but the commit of the first round still holds it."""
    repo.write("src/other.py", "x = 1\n")
    repo.commit()
    driver.explored = [MODULE, "src/other.py"]
    driver.targets = []
    driver.start("IMPLEMENT")
    driver.until(Key.READY_IMPL)
    repo.write("src/other.py", "x = 2\n")
    driver.until(Key.QUALITY_REVIEW).accept(issues=["other.py has nothing to do with it"])
    driver.until(Key.READY_IMPL)
    repo.write("src/other.py", "x = 1\n")
    driver.until(Key.PRE_COMMIT)
    missing = driver.submit(reviewed_files=[MODULE])
    assert "src/other.py" in missing["problems"][0]
    driver.finish()
    assert repo.git("show", "HEAD:src/other.py") == "x = 1"
    assert repo.status() == []


@pytest.mark.slow
def test_a_file_discarded_in_a_second_round_leaves_the_branch_too(driver: Driver, repo: Repo) -> None:
    driver.explored = [MODULE]
    driver.start(no_verify=True)
    driver.until(Key.READY_IMPL)
    driver.service.change({"planned_files": ("src/extra.py",)})
    repo.write("src/extra.py", "x = 1\n")
    driver.until(Key.QUALITY_REVIEW).accept(issues=["extra.py is not needed"])
    driver.until(Key.READY_IMPL)
    repo.write("src/extra.py", "x = 2\n")
    driver.until(Key.PRE_COMMIT)
    gone = {"path": "src/extra.py", "decision": "discard", "reason": "not needed"}
    driver.accept(reviewed_files=[MODULE, gone])
    driver.finish()
    assert repo.git("ls-tree", "--name-only", "HEAD", "src/").split() == [MODULE]
    assert repo.status() == []


def test_an_edit_after_the_commit_is_committed_before_the_merge(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.QUALITY_REVIEW)
    driver.edit()
    driver.finish()
    assert "more_2" in repo.git("show", f"HEAD:{MODULE}")
    assert repo.status() == []


def test_eight_refusals_in_a_row_ask_the_user_with_all_that_was_wrong(driver: Driver) -> None:
    driver.start()
    for number in range(1, 9):
        reply = driver.service.submit({"summary": "s", "nonsense": number})
        assert ("requires_user_intervention" in reply) is (number == 8)
    assert len(reply["last_refusals"]) == 8
    assert "8 submissions in a row" in reply["warning"]
    driver.accept()
    assert driver.state.counters.refusals == ()
