"""A row hands in payloads for consecutive phases; each is judged alone, and what was accepted stands."""

import json
from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_session.machine.steps import number_of
from codeintel_session.service import SessionService
from codeintel_session.storage.checkpoints import CheckpointStore
from codeintel_session.testing import Driver, Repo, World, crashed

pytestmark = pytest.mark.draws(18)

MORE = {"phase": "Q1", "needs_more_information": False, "reason": "the files read settle it"}
DOUBT = {"phase": "Q2", "has_unverified_hypotheses": False, "reason": "everything was read in the code"}
IMPACT = {"phase": "Q3", "needs_impact_analysis": False, "reason": "nothing else uses the function"}
GATES = [MORE, DOUBT, IMPACT]


@pytest.fixture
def exploring(driver: Driver) -> Driver:
    driver.start()
    return driver.until(Key.EXPLORATION)


def explored(driver: Driver) -> dict[str, Any]:
    """A valid payload of EXPLORATION; the look-ups it rests on have been made."""
    return dict(driver.payload())


def verdicts(driver: Driver) -> list[tuple[str, str]]:
    return [(entry["phase"], entry["verdict"]) for entry in driver.service.records.decisions.read()]


def test_a_row_goes_through_its_phases_in_one_call(exploring: Driver) -> None:
    reply = exploring.service.submit([explored(exploring), *GATES])
    assert (reply["success"], reply["phase"], reply["substep"]) == (True, "READY", "plan")
    assert reply["accepted"] == ["EXPLORATION", "Q1", "Q2", "Q3"]
    assert reply["assessment"]["risk"], "what an earlier payload of the row earned is in the reply"
    assert verdicts(exploring)[-4:] == [(key, "accepted") for key in ("EXPLORATION", "Q1", "Q2", "Q3")]


def test_a_row_that_goes_on_has_answered_no(exploring: Driver) -> None:
    plan = {"tasks": [{"id": "t", "description": "change it", "checklist": [{"item": "the change"}]}]}
    row = [explored(exploring), plan]
    reply = exploring.service.submit(row)
    assert (reply["success"], reply["phase"], reply["substep"]) == (True, "READY", "implement")
    assert reply["accepted"] == ["EXPLORATION", "Q1", "Q2", "Q3", "READY_PLAN"]
    assert exploring.state.answers == {"q1": False, "q2": False, "q3": False}
    assert exploring.service.submit(row)["substep"] == "implement", (
        "the row that was lost is known by what the agent submitted"
    )


def test_a_fact_overrules_a_no_that_nobody_wrote(exploring: Driver, world: World) -> None:
    world.code.users = {"count_all": ("src/other.py",)}
    plan = {"phase": "READY_PLAN", "tasks": []}
    reply = exploring.service.submit([explored(exploring), plan])
    assert (reply["success"], reply["phase"]) == (True, "IMPACT_ANALYSIS")
    assert "src/other.py" in reply["warning"]
    assert "payload 2" in reply["notices"][0]


def test_a_row_may_come_as_json_text(exploring: Driver) -> None:
    assert exploring.service.submit(json.dumps([explored(exploring), MORE]))["phase"] == "Q2"


def test_the_first_refusal_ends_the_row_and_what_was_accepted_stands(exploring: Driver) -> None:
    row = [explored(exploring), MORE, {**DOUBT, "reason": "no"}, IMPACT]
    refused = exploring.service.submit(row)
    assert (refused["error"], refused["current_phase"]) == ("validation_error", "Q2")
    assert refused["accepted"] == ["EXPLORATION", "Q1"]
    assert [verdict for _, verdict in verdicts(exploring)[-3:]] == ["accepted", "accepted", "validation_error"]
    repaired = exploring.service.submit([*row[:2], DOUBT, IMPACT])
    assert (repaired["phase"], repaired["accepted"]) == ("READY", ["Q2", "Q3"]), "the first two are not judged again"


def test_a_payload_for_a_phase_that_was_left_out_ends_the_row_without_a_refusal(exploring: Driver) -> None:
    open_question = {**MORE, "needs_more_information": True}
    reply = exploring.service.submit([explored(exploring), open_question, DOUBT, IMPACT])
    assert (reply["success"], reply["phase"], reply["accepted"]) == (True, "SEMANTIC", ["EXPLORATION", "Q1"])
    assert "payload 3" in reply["notices"][0]
    assert "Q2" in reply["notices"][0]
    assert exploring.state.counters.refusals == ()


def test_the_fields_show_the_phase_of_a_payload_that_does_not_name_it(exploring: Driver) -> None:
    unnamed = [{name: value for name, value in gate.items() if name != "phase"} for gate in GATES]
    opened = [explored(exploring), {**unnamed[0], "needs_more_information": True}, *unnamed[1:]]
    assert exploring.service.submit(opened)["phase"] == "SEMANTIC"


def test_a_single_payload_that_names_another_phase_changes_nothing(exploring: Driver) -> None:
    before = exploring.state
    reply = exploring.service.submit(MORE)
    assert (reply["success"], reply["phase"], reply["accepted"]) == (True, "EXPLORATION", [])
    assert exploring.state.phase_state == before.phase_state


def test_tool_calls_count_for_every_phase_of_the_row_they_were_made_before(exploring: Driver) -> None:
    payload = explored(exploring)
    exploring.see("semantic_search", "src/stats.py", count=1)
    searched = {"search_query": "sum of numbers", "search_results": ["src/stats.py:1"], "summary": "nothing like it"}
    reply = exploring.service.submit([payload, {**MORE, "needs_more_information": True}, searched, DOUBT])
    assert (reply["success"], reply["phase"]) == (True, "Q3")
    assert exploring.state.observed == (), "the log is cleared when the call ends"


@pytest.mark.parametrize("accepted", [1, 2, 3, 4])
def test_a_row_that_was_cut_off_is_handed_in_again_and_nothing_is_done_twice(
    world: World, repo: Repo, accepted: int
) -> None:
    driver = Driver(world.service(), repo)
    driver.start()
    row = [explored(driver.until(Key.EXPLORATION)), *GATES]
    driver.service.submit(row[:accepted])  # the process dies after that payload's checkpoint, the reply is lost
    crashed(driver.service)
    again = Driver(world.service(), repo)
    again.service.status()
    reply = again.service.submit(row)
    assert (reply["success"], reply["phase"], reply["substep"]) == (True, "READY", "plan")
    explorations = again.state.completed_steps.count(number_of(Key.EXPLORATION))
    assert (explorations, again.state.completed_steps.count(number_of(Key.Q3))) == (1, 1)


def test_the_lost_reply_of_a_whole_row_is_given_again(exploring: Driver) -> None:
    row = [explored(exploring), *GATES]
    first = exploring.service.submit(row)
    again = exploring.service.submit(row)
    assert {**again, "notices": []} == {**first, "notices": []}


def test_a_row_can_end_the_session_and_its_lost_reply_is_given_again(world: World, repo: Repo) -> None:
    driver = Driver(world.service(), repo)
    driver.start()
    driver.until(Key.PRE_COMMIT)
    quality = {"quality_prompt_used": "quality_review.md", "quality_score": "9", "issues": []}
    row = [driver.payload(), quality, {}]
    reply = driver.service.submit(row)
    assert (reply["phase"], reply["accepted"]) == ("SESSION_COMPLETE", ["PRE_COMMIT", "QUALITY_REVIEW", "MERGE"])
    assert world.service().submit(row)["outcome"] == "unverified"
    assert repo.git("rev-list", "--count", "--merges", "main") == "1"


def test_a_row_that_goes_on_behind_the_end_says_so(world: World, repo: Repo) -> None:
    driver = Driver(world.service(), repo)
    driver.start(quick=True, no_verify=True)
    driver.until(Key.READY_COMPLETE)
    reply = driver.service.submit([{}, {"phase": "POST_IMPL_VERIFY"}])
    assert (reply["phase"], "payload 2" in reply["notices"][0]) == ("SESSION_COMPLETE", True)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ([], "a list of 0 payloads"),
        ([MORE] * 200, "a list of 200 payloads"),
        ([MORE, "no JSON", 7, DOUBT], "data[1]: "),
        ([MORE, {**DOUBT, "phase": "SHIPPED"}], "data[1].phase: 'SHIPPED' is none of "),
    ],
)
def test_a_row_of_the_wrong_shape_is_refused_before_any_of_it_is_used(
    exploring: Driver, row: list[object], problem: str
) -> None:
    exploring.accept()
    before = exploring.state.phase_state
    refused = exploring.service.submit(row)
    assert (refused["error"], exploring.state.phase_state) == ("payload_mismatch", before)
    assert any(problem in line for line in refused["problems"])


def test_all_problems_of_the_shape_are_named_at_once(exploring: Driver) -> None:
    assert [line[:7] for line in exploring.service.submit([3, MORE, "{"])["problems"]] == ["data[0]", "data[2]"]


def test_a_reply_names_the_shapes_that_can_be_handed_in_with_it(driver: Driver) -> None:
    driver.start()
    met = {}
    while driver.key() is not Key.MERGE:
        reply = driver.service.status()
        met[driver.key()] = list(reply.get("may_follow", {}))
        driver.accept()
    plan = ["Q1", "Q2", "Q3", "READY_PLAN"]
    assert (met[Key.QUERY_FRAME], met[Key.EXPLORATION]) == (["EXPLORATION", *plan], plan)
    assert met[Key.Q1] == []
    assert met[Key.READY_IMPL] == ["READY_COMPLETE", "POST_IMPL_VERIFY"]
    assert met[Key.PRE_COMMIT] == ["QUALITY_REVIEW", "MERGE"]
    assert met[Key.READY_PLAN] == []


def test_a_shape_names_every_field_that_is_required(driver: Driver, world: World) -> None:
    world.library.found = ("README.md",)
    shapes = driver.start()["may_follow"]
    assert "target_symbols: list[str]" in shapes["QUERY_FRAME"]
    assert "summary" not in shapes["QUERY_FRAME"]
    assert shapes["READY_PLAN"].endswith("}]; resources: .code-intel/task_planning.md")  # read before it is written


def test_ready_stands_for_each_of_its_steps(driver: Driver) -> None:
    driver.start()
    plan = driver.until(Key.READY_PLAN).payload()
    assert driver.service.submit([{"phase": "READY", **plan}])["substep"] == "implement"
    report = driver.payload()
    row = [{"phase": "READY", **report}, {"phase": "READY"}]
    assert driver.service.submit(row)["accepted"] == ["READY_IMPL", "READY_COMPLETE"]


def test_one_echo_of_the_count_holds_for_the_whole_row(exploring: Driver) -> None:
    reply = exploring.service.submit([{**explored(exploring), "compaction_count": 0}, *GATES])
    assert "phase_summaries" not in reply


def test_a_payload_that_needs_the_user_ends_the_row(world: World, repo: Repo) -> None:
    driver = Driver(world.service(), repo)
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    verified = driver.payload()
    discard = {"reviewed_files": [{"path": "src/stats.py", "decision": "discard", "reason": "not wanted"}]}
    reviewed = {"review_prompt_used": "garbage_detection.md", "commit_message": "x", **discard}
    reply = driver.service.submit([verified, reviewed], can_ask=True)
    assert (reply["success"], reply["phase"], reply["accepted"]) == (True, "PRE_COMMIT", ["POST_IMPL_VERIFY"])
    assert "the user has to be asked" in reply["notices"][0]


def test_a_checkpoint_from_before_rows_is_still_answered_again(driver: Driver, world: World) -> None:
    driver.start()
    driver.until(Key.Q1)
    payload = driver.payload()
    driver.service.submit(payload)
    state = driver.state
    assert state.last_reply is not None
    old = state.model_copy(update={"last_reply": state.last_reply.model_copy(update={"row": ()})})
    CheckpointStore(driver.service.records.store.folder).save(old)
    driver.service.lock.release()
    service: SessionService = world.service()
    service.status()
    assert service.submit(payload)["phase"] == "Q2"
