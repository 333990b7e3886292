"""One submission: a refusal changes nothing but its count, an accepted one is never done twice."""

import json
import time
from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.git.process import GitProcess
from codeintel_session.machine import limits
from codeintel_session.machine.limits import REPLY_BYTES, STATUS_BYTES
from codeintel_session.replies.brief import leave_mark
from codeintel_session.replies.reply import json_size
from codeintel_session.testing import MODULE, Driver, Repo, World

pytestmark = pytest.mark.draws(18)

NONSENSE: list[Any] = [
    {},
    {"summary": " "},
    {"summary": "s", "choice": "delete"},
    {"summary": "s", "tools_used": "search_text"},
    {"summary": "s", "tasks": []},
    {"summary": "s", "task_id": "x", "checklist": []},
    "not json",
    "[1]",
    17,
    None,
    {"summary": "s", "compaction_count": 10**30},
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("key", [Key.QUERY_FRAME, Key.EXPLORATION, Key.READY_PLAN, Key.READY_IMPL, Key.PRE_COMMIT])
def test_a_refusal_changes_nothing_but_the_refusals(driver: Driver, repo: Repo, key: Key) -> None:
    driver.start()
    before = driver.until(key).state
    tree = (repo.git("rev-parse", "HEAD"), repo.branches(), repo.status())
    for number, data in enumerate(NONSENSE, start=1):
        reply = driver.service.submit(data)
        assert (reply["success"], reply["step"], reply["current_phase"]) == (
            False,
            before.phase_state.step,
            before.phase_state.current_phase,
        )
        assert reply["error"]
        assert reply["message"]
        assert reply["message"] not in reply["problems"], "it is said once"
        assert "expected_payload" not in reply, "the reply before has it"
        assert json_size(reply) <= REPLY_BYTES
        counters = before.counters.model_copy(update={"refusals": driver.state.counters.refusals})
        assert driver.state == before.model_copy(update={"counters": counters})
        assert len(counters.refusals) == number
    assert (repo.git("rev-parse", "HEAD"), repo.branches(), repo.status()) == tree


def test_a_whole_session_starts_few_git_processes(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    run = GitProcess._run
    monkeypatch.setattr(GitProcess, "_run", lambda git, args, *more: started.append(args[-1]) or run(git, args, *more))
    driver.start()
    driver.finish()
    assert len(started) <= 124, "most of a submission's time: is a fact asked for twice?"


def test_tasks_and_reports_at_the_wrong_time_are_named_as_such(driver: Driver) -> None:
    driver.start()
    assert driver.service.submit({"summary": "s", "tasks": []})["error"] == "phase_mismatch"
    assert driver.service.submit({"summary": "s", "task_id": "t"})["error"] == "phase_mismatch"


@pytest.mark.sample(2)
@pytest.mark.parametrize("key", [Key.EXPLORATION, Key.READY_PLAN, Key.READY_IMPL, Key.PRE_COMMIT, Key.QUALITY_REVIEW])
def test_the_same_payload_again_gets_the_same_answer_and_is_not_done_twice(
    driver: Driver, repo: Repo, key: Key
) -> None:
    driver.start()
    payload = driver.until(key).payload()
    first = driver.service.submit(payload)
    state, head = driver.state, repo.git("rev-parse", "HEAD")
    again = driver.service.submit(json.dumps({**payload, "compaction_count": 7}))
    notices = again.pop("notices")
    assert "already accepted" in notices[0]
    assert notices[1:] == first.get("notices", [])
    assert again == {name: value for name, value in first.items() if name != "notices"}
    assert (driver.state, repo.git("rev-parse", "HEAD")) == (state, head)


def test_the_last_payload_again_gets_the_end_again_even_from_a_new_process(driver: Driver, world: World) -> None:
    driver.start()
    payload = driver.until(Key.MERGE).payload()
    end = driver.service.submit(payload)
    for service in (driver.service, world.service()):
        again = service.submit(payload)
        assert (again["phase"], again["outcome"], again["commit"]) == ("SESSION_COMPLETE", "unverified", end["commit"])
    with pytest.raises(ContractViolation, match="no_active_session"):
        driver.service.submit({"summary": "something else"})
    assert [entry["outcome"] for entry in driver.service.records.outcomes.read()] == ["unverified"]


def test_a_discarded_sessions_last_answer_is_no_end(driver: Driver, world: World) -> None:
    driver.start()
    payload = driver.payload()
    driver.service.submit(payload)
    driver.service.start("MODIFY", "another", discard_active=True)
    driver.service.start("MODIFY", "a third", discard_active=True)
    driver.service.give_up("partial", "")
    with pytest.raises(ContractViolation, match="no_active_session"):
        driver.service.submit(payload)


def test_summaries_come_when_the_echo_differs_and_then_not_again(driver: Driver) -> None:
    driver.start()
    assert "phase_summaries" not in driver.accept(compaction_count=...)  # there is nothing before this one
    told = driver.accept(compaction_count=...)
    assert list(told["phase_summaries"]) == ["step_04_QUERY_FRAME", "step_05_EXPLORATION"]
    assert "phase_summaries" not in driver.accept(compaction_count=...)
    assert "phase_summaries" not in driver.accept(compaction_count=0)
    lost = driver.accept(compaction_count=1)
    assert lost["compaction_count"] == 1
    assert "step_10_Q3" in lost["phase_summaries"]
    assert "phase_summaries" not in driver.accept()


def test_summaries_come_when_a_hook_saw_the_loss(driver: Driver) -> None:
    driver.start()
    driver.accept()
    leave_mark(driver.service.records.store.folder)
    assert "phase_summaries" in driver.accept()
    assert "phase_summaries" not in driver.accept()


def test_tasks_have_summaries_of_their_own(driver: Driver) -> None:
    driver.start()
    driver.until(Key.READY_COMPLETE)
    assert "step_13_READY_IMPLEMENTATION:task_1" in driver.state.summaries
    assert "step_12_READY_PLANNING" in driver.state.summaries


def test_a_long_summary_is_cut_and_says_so(driver: Driver) -> None:
    driver.start()
    reply = driver.accept(summary="x" * 3000)
    assert reply["notices"] == ["The summary was shortened to 1200 characters."]


@pytest.mark.parametrize("key", [Key.QUERY_FRAME, Key.EXPLORATION])
def test_the_assessment_comes_with_the_frame_and_the_exploration(driver: Driver, key: Key) -> None:
    driver.start()
    reply = driver.until(key).accept()
    assert set(reply["assessment"]) >= {"risk", "confidence"}
    assert "assessment" not in driver.until(Key.Q1).accept()


def test_a_false_answer_against_a_fact_is_overruled_and_says_what_settles_it(driver: Driver, world: World) -> None:
    world.code.words.clear()
    world.code.users = {"count_all": ("src/unseen.py",)}
    driver.start()
    assert driver.until(Key.EXPLORATION).accept()["assessment"]["confidence"] == "low"
    reply = driver.until(Key.Q1).accept()
    assert reply["phase"] == "SEMANTIC"
    assert "the text of the project does not contain count_all. Find out what the code calls it." in reply["warning"]
    reply = driver.until(Key.Q3).accept()
    assert reply["phase"] == "IMPACT_ANALYSIS"
    assert "call or import count_all: src/unseen.py. Judge whether" in reply["warning"]


def test_users_that_an_analysis_of_the_agent_named_overrule_nothing(driver: Driver, world: World) -> None:
    world.code.users = {"count_all": ("src/unseen.py",)}
    driver.start()
    driver.until(Key.EXPLORATION)
    driver.see("analyze_impact", must_verify=("src/unseen.py",))
    assert driver.until(Key.Q3).accept()["phase"] == "READY"


def test_a_report_may_carry_the_revised_plan(driver: Driver) -> None:
    driver.start()
    payload = driver.until(Key.READY_IMPL).payload()
    refused = driver.service.submit({"tasks": [], "summary": "s"})
    assert refused["error"] == "phase_mismatch"
    more = {"id": "more", "description": "what the work taught", "checklist": [{"item": "src/more.py"}]}
    reply = driver.service.submit({**payload, "tasks": [more]})
    assert (reply["next_task"]["id"], reply["progress"]) == ("more", {"done": 1, "total": 2})


def test_back_at_planning_the_reply_lists_all_tasks_with_their_status(driver: Driver) -> None:
    driver.start()
    assert "tasks" not in driver.until(Key.READY_IMPL).service.status()
    failed = {"passed": False, "failed_tasks": ["task_1"]}
    assert driver.until(Key.POST_IMPL_VERIFY).accept(**failed)["tasks"] == {"task_1": "completed"}


def test_replies_stay_within_their_size_whatever_is_submitted(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    items = [{"item": f"{number} " + "long " * 60} for number in range(60)]
    task = {"id": "big", "description": "d " * 5000, "checklist": items}
    reply = driver.accept(tasks=[task], summary="s " * 900)
    assert json_size(reply) <= REPLY_BYTES
    assert (reply["step"], reply["call"], reply["next_task"]["id"]) == (13, "submit_phase", "big")
    assert json_size(driver.service.status()) <= STATUS_BYTES
    driver.see("check_write_target")
    for number in range(400):
        repo.write(f"src/deep/{number:04}.py", "x = 1\n")
    skipped = [{**item, "status": "skipped", "reason": "not needed here"} for item in items]
    refused = driver.service.submit({"summary": "s", "task_id": "big", "checklist": skipped, "tools_used": []})
    assert refused["error"] == "unexplored_changes"
    assert json_size(refused) <= REPLY_BYTES
    assert refused["problems"][-1].startswith("… and ")


def test_observations_without_a_session_are_dropped(world: World) -> None:
    driver = Driver(world.service())
    driver.see("search_text", MODULE)
    assert driver.service.state is None


def test_observations_are_saved_at_most_once_a_second(
    driver: Driver, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SAVE_EVERY_S", 600.0)  # a second of the clock is ten minutes of the machine's
    driver.start()
    world.clock.tick_s = 180.0
    for _ in range(3):
        driver.see("search_text", MODULE)
    assert len(driver.service.records.store.load(driver.state.session_id).state.observed) == 0
    world.clock.tick_s = 1200.0
    driver.see("search_text", MODULE)
    assert len(driver.service.records.store.load(driver.state.session_id).state.observed) == 4


def test_what_was_seen_is_written_when_the_second_is_over_though_nothing_follows(
    driver: Driver, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.start()
    world.clock.tick_s = 0.0
    monkeypatch.setattr(limits, "SAVE_EVERY_S", 0.05)
    for _ in range(3):
        driver.see("search_text", MODULE)
    for _ in range(1000):
        if seen := driver.service.records.store.load(driver.state.session_id).state.observed:
            break
        time.sleep(0.01)
    assert len(seen) == 3


def test_nothing_is_written_late_once_the_session_is_closed(
    driver: Driver, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SAVE_EVERY_S", 600.0)
    driver.start()
    world.clock.tick_s = 0.0
    driver.see("search_text", MODULE)
    assert driver.service.records.pending_save.is_pending
    driver.service.close()
    assert not driver.service.records.pending_save.is_pending
    assert len(driver.service.records.store.load(driver.state.session_id).state.observed) == 1
