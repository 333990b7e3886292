"""What only the user may decide is asked of the user, and their word stands above the agent's."""

from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_session.submission.elicitation import UserAnswer
from codeintel_session.testing import MODULE, Driver, Repo
from codeintel_session.tools.session_tools import add_explored_files

pytestmark = pytest.mark.draws(18)

YES, NO = UserAnswer("accept", "yes"), UserAnswer("accept", "no")


def asked(driver: Driver, **changes: Any) -> tuple[tuple[str, tuple[str, ...]] | None, dict[str, Any]]:
    payload = {**driver.payload(), **changes}
    return driver.service.question(payload), payload


def test_most_submissions_ask_nothing(driver: Driver) -> None:
    assert driver.service.question({}) is None
    driver.start()
    for _ in range(11):
        question, payload = asked(driver)
        assert question is None
        driver.service.submit({name: value for name, value in payload.items() if value is not ...})
    assert driver.service.question("nonsense") is None


def test_the_choice_about_stale_branches_is_the_users(driver: Driver, repo: Repo) -> None:
    repo.git("branch", "llm_task_old_from_main")
    driver.start()
    question, payload = asked(driver, choice="delete")
    assert question is not None
    assert question[1] == ("delete", "merge", "continue")
    reply = driver.service.submit(payload, UserAnswer("accept", "continue"))
    assert reply["success"]
    assert driver.state.branch_policy == "in_place"
    assert driver.service.question(payload) is None, "what was answered is not asked again"


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_user_who_does_not_answer_stops_the_submission(driver: Driver, repo: Repo, action: Any) -> None:
    repo.git("branch", "llm_task_old_from_main")
    driver.start()
    reply = driver.service.submit(driver.payload(), UserAnswer(action))
    assert (reply["error"], reply["requires_user_intervention"]) == ("user_declined", True)
    assert driver.key() is Key.BRANCH_INTERVENTION


def test_discarding_is_asked_and_can_be_declined(driver: Driver, repo: Repo) -> None:
    driver.start(no_verify=True)
    driver.until(Key.READY_IMPL)
    add_explored_files(driver.service, ["debug.log"])
    repo.write("debug.log", "noise\n")
    driver.accept(summary="the change, and debug.log to look at it")
    driver.until(Key.PRE_COMMIT)
    gone = {"path": "debug.log", "decision": "discard", "reason": "left over"}
    question, payload = asked(driver, reviewed_files=[MODULE, gone])
    assert question is not None
    assert "debug.log" in question[0]
    assert driver.service.submit(payload, NO)["error"] == "review_failed"
    assert (repo.root / "debug.log").exists()
    assert driver.service.submit(payload, YES)["phase"] == "QUALITY_REVIEW"


def test_a_forced_completion_is_asked_and_no_means_one_more_round(driver: Driver) -> None:
    driver.start(no_verify=True)
    driver.issues = ["wrong name"]
    for _ in range(3):
        driver.until(Key.QUALITY_REVIEW).accept()
    driver.until(Key.QUALITY_REVIEW)
    question, payload = asked(driver)
    assert question is not None
    assert "wrong name" in question[0]
    assert driver.service.submit(payload, NO)["step"] == 12
    driver.until(Key.QUALITY_REVIEW)
    assert driver.service.submit(driver.payload(), YES)["forced_completion"] is True


@pytest.mark.sample
@pytest.mark.parametrize(
    ("flags", "failures", "key"), [({}, 9, Key.VERIFY_INTERVENTION), ({"quick": True}, 6, Key.READY_PLAN)]
)
def test_an_escalation_is_asked_and_the_answer_stored(
    driver: Driver, flags: dict[str, Any], failures: int, key: Key
) -> None:
    driver.start(**flags)
    for number in range(failures):
        driver.until(Key.POST_IMPL_VERIFY).accept(passed=False, details=f"failure {number}")
    assert driver.key() is key
    question, payload = asked(driver)
    assert question is not None
    assert f"failed {failures} times" in question[0]
    assert f"failure {failures - 1}" in question[0]
    assert question[1] == ()
    step, kept = driver.state.phase_state.step, set(driver.state.summaries)
    assert driver.service.submit(payload, UserAnswer("accept", "try another way"))["success"]
    ((name, text),) = [item for item in driver.service.status()["phase_summaries"].items() if item[0] not in kept]
    assert name.startswith(f"step_{step}_")
    assert text.startswith("User: try another way\n")


def test_an_answer_does_not_stand_in_for_the_summary(driver: Driver, repo: Repo) -> None:
    repo.git("branch", "llm_task_old_from_main")
    driver.start()
    refused = driver.service.submit({**driver.payload(), "summary": " "}, UserAnswer("accept", "continue"))
    assert (refused["success"], "summary" in refused["message"]) == (False, True)
