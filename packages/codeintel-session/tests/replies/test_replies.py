"""Every reply has the same frame, in every phase there is; what a phase adds comes beside it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from codeintel_contract.loader import load_contract
from codeintel_contract.names import Key
from codeintel_session.machine.limits import STATUS_BYTES
from codeintel_session.replies.truncation import json_size
from codeintel_session.testing import MODULE, Driver, Repo, World, crashed

pytestmark = pytest.mark.draws(18)

COMMON = {
    "success",
    "session_id",
    "phase",
    "step",
    "instruction",
    "expected_payload",
    "required_tools",
    "call",
    "compaction_count",
}


@pytest.fixture
def whole(driver: Driver, world: World, repo: Repo) -> Driver:
    """A session that will stand at all eighteen keys: a stale branch, a document, gate full."""
    repo.write("docs/rules.md", "# Rules\n")
    repo.commit()
    repo.git("branch", "llm_task_old_from_main")
    world.library.found = ("docs/rules.md",)
    driver.choice = "delete"
    return driver


def stand(driver: Driver, key: Key, seen: list[Key]) -> None:
    """Note the key; three verifications fail before one passes, so that the intervention is met too."""
    seen.append(key)
    driver.passed = seen.count(Key.POST_IMPL_VERIFY) > 3


def walk(driver: Driver) -> Iterator[dict[str, Any]]:
    """Every reply from the first to the last; what is done in between is the caller's business."""
    seen: list[Key] = []
    reply = driver.start(gate_level="full")
    while driver.service.state is not None:
        stand(driver, driver.key(), seen)
        yield reply
        reply = driver.accept()
    assert set(seen) == set(Key)
    yield reply


def test_every_reply_and_every_status_has_the_common_fields(whole: Driver) -> None:
    *on_the_way, end = walk_with_status(whole)
    for reply in on_the_way:
        assert reply.keys() >= COMMON
        assert (reply["success"], reply["call"]) == (True, "submit_phase")
        assert ("substep" in reply) is (reply["phase"] == "READY")
        assert reply["instruction"]
        assert "compaction_count" in reply["expected_payload"]
    assert (end["phase"], end["outcome"], "call" in end) == ("SESSION_COMPLETE", "unverified", False)
    assert end["message"]
    assert end["compaction_count"] == 0


def walk_with_status(driver: Driver) -> Iterator[dict[str, Any]]:
    for reply in walk(driver):
        if driver.service.state is not None:
            yield driver.service.status()
        yield reply


def test_a_refusal_names_the_phase_again_and_repeats_nothing_that_the_reply_before_said(whole: Driver) -> None:
    for reply in walk(whole):
        if whole.service.state is None:
            break
        refused = whole.service.submit({"summary": "s", "nonsense": 1})
        same = ("phase", "step", "required_tools", "call")
        assert {name: refused[name] for name in same} == {name: reply[name] for name in same}
        assert (refused["success"], refused["error"]) == (False, "payload_mismatch")
        assert refused["current_phase"] == reply["phase"]
        assert not refused.keys() & {"instruction", "expected_payload", "may_follow", "resources"}
        assert any(line.startswith("nonsense: ") for line in refused["problems"])
        assert all("\n" not in line for line in refused["problems"])


def test_a_refusal_says_what_to_do_if_the_reply_before_did_not(driver: Driver, world: World) -> None:
    driver.start()
    frame = {"phase": "QUERY_FRAME", **driver.payload()}
    refused = driver.service.submit([frame, {"phase": "EXPLORATION", "summary": "s"}])
    assert (refused["phase"], refused["success"]) == ("EXPLORATION", False)
    assert refused["instruction"]
    assert refused["expected_payload"]
    assert "instruction" not in driver.service.submit({"summary": "s"})
    driver.service.close()
    again = world.service()
    again.status()
    assert "instruction" not in again.submit({"summary": "s"}), "the status said it"


def test_a_refused_payload_with_another_count_brings_the_summaries_once(driver: Driver) -> None:
    driver.start()
    driver.until(Key.EXPLORATION)
    driver.accept()
    refused = driver.service.submit({"summary": "s", "compaction_count": 1})
    assert (refused["success"], refused["compaction_count"]) == (False, 1)
    assert list(refused["phase_summaries"]) == ["step_04_QUERY_FRAME", "step_05_EXPLORATION"]
    assert refused["instruction"]
    assert "phase_summaries" not in driver.service.submit({"summary": "s", "compaction_count": 1})
    assert "phase_summaries" not in driver.service.submit("no object")


def test_every_payload_may_be_sent_again_when_its_reply_was_lost(whole: Driver) -> None:
    seen: list[Key] = []
    whole.start(gate_level="full")
    while whole.service.state is not None:
        stand(whole, whole.key(), seen)
        payload = {name: value for name, value in whole.payload().items() if value is not ...}
        first = whole.service.submit(payload)
        state = whole.service.state
        again = whole.service.submit(payload)
        assert (again["phase"], again.get("step")) == (first["phase"], first.get("step"))
        assert whole.service.state == state
    assert set(seen) == set(Key)


def test_the_reply_says_how_many_tasks_are_done_and_which_is_next(driver: Driver) -> None:
    driver.start()
    tasks = [{"id": name, "description": f"do {name}", "checklist": [{"item": f"i {name}"}]} for name in ("a", "b")]
    first = driver.until(Key.READY_PLAN).accept(tasks=tasks)
    assert first["progress"] == {"done": 0, "total": 2}
    assert first["next_task"] == {"id": "a", "description": "do a", "checklist": ["i a"]}
    second = driver.accept()
    assert (second["step"], second["substep"], second["progress"]) == (13, "implement", {"done": 1, "total": 2})
    assert second["next_task"]["id"] == "b"
    third = driver.accept()
    assert (third["step"], third["progress"], "next_task" in third) == (14, {"done": 2, "total": 2}, False)


def test_slots_that_are_missing_come_back_as_hints_for_the_investigation(driver: Driver) -> None:
    driver.start()
    slots = {"observed_issue": {"value": "crashes", "quote": "crashes with an error"}}
    reply = driver.accept(slots=slots)
    names = ("target_feature", "trigger_condition", "desired_action")
    assert reply["investigation_hints"] == [
        load_contract(None).message(f"query_frame_hints.{name}_missing", {}).message for name in names
    ]


def test_how_near_values_and_symbols_are_is_told_and_stops_nobody(driver: Driver, world: World) -> None:
    world.code.scores = {"count_all": 0.031}
    driver.start()
    assert driver.accept()["assessment"]["relevance"] == {"count_all": 0.03}


def test_a_document_or_a_source_outside_the_repository_is_refused(driver: Driver, world: World, repo: Repo) -> None:
    repo.write("docs/rules.md", "# Rules\n\n- Never return None.\n")
    repo.write("../outside.md", "# Not ours\n")
    (repo.root / "docs/link.md").symlink_to("../../outside.md")
    world.library.found = ("docs/rules.md",)
    driver.start()
    for path in ("../outside.md", "docs/link.md", "docs"):
        refused = driver.submit(documents_reviewed=[path])
        assert (refused["phase"], path in refused["message"]) == ("DOCUMENT_RESEARCH", True)
    for source in ("docs/rules.md", "docs/rules.md:9", "docs/link.md:1"):
        refused = driver.submit(mandatory_rules=[{"rule": "r", "source": source}])
        assert (refused["phase"], source in refused["message"]) == ("DOCUMENT_RESEARCH", True)
    assert driver.submit(mandatory_rules=[{"rule": "r", "source": "docs/rules.md:3"}])["phase"] == "QUERY_FRAME"


def test_the_status_shows_the_first_twenty_explored_files_and_counts_all(driver: Driver) -> None:
    driver.start()
    names = tuple(f"src/{number:02}.py" for number in range(25))
    driver.service.change({"explored": names})
    assert driver.service.status()["explored_files"] == {"count": 25, "first": list(names[:20])}


def test_the_status_always_has_the_summaries(driver: Driver) -> None:
    driver.start()
    assert driver.service.status()["phase_summaries"] == {}
    driver.accept()
    for _ in range(2):
        assert driver.service.status()["phase_summaries"] == {"step_04_QUERY_FRAME": "QUERY_FRAME done"}


def test_the_status_is_enough_to_continue_with_nothing_else_in_hand(driver: Driver, world: World, repo: Repo) -> None:
    """An agent that wrote two files and reported one of them sees which one it has to look at."""
    repo.write("docs/rules.md", "# Rules\n\n- Never return None.\n")
    repo.write("mine.txt", "mine\n")
    repo.commit()
    repo.write("mine.txt", "changed before the session\n")
    world.library.found = ("docs/rules.md",)
    driver.answers["q3"] = True
    driver.start()
    driver.accept(mandatory_rules=[{"rule": "Never return None", "source": "docs/rules.md:3"}])
    tasks = [
        {"id": name, "description": f"do {name} in lib/new.py", "checklist": [{"item": f"i {name}"}]}
        for name in ("a", "b", "c")
    ]
    driver.until(Key.READY_PLAN).accept(tasks=tasks)
    driver.accept()
    repo.write("lib/new.py", "x = 1\n")
    crashed(driver.service)
    status = world.service().status()
    assert status["changed"] == [
        {"path": "lib/new.py", "status": "added", "added": 1, "removed": 0, "lines": ["1"], "reported": False},
        {"path": MODULE, "status": "modified", "added": 4, "removed": 0, "lines": ["3-6"], "reported": True},
    ]
    assert "not reported as they are now: lib/new.py. Look at that diff first" in status["notices"][0]
    assert (status["branch"], status["base"]) == (f"llm_task_{status['session_id']}_from_main", "main")
    assert status["rules"] == ["Never return None (docs/rules.md:3)"]
    assert status["impact"] == {MODULE: "will_modify: the function"}
    assert status["verifiers"] == ["generic.md"]
    assert status["task_progress"]["next_task"]["id"] == "b"
    assert [(task["id"], task["status"]) for task in status["tasks"]] == [("a", "completed"), ("c", "pending")]
    assert (status["tasks"][0]["evidence"], status["tasks"][1]["checklist"]) == ([f"{MODULE}:5-6"], ["i c"])
    assert json.dumps(status).count("do b in lib/new.py") == 1
    assert status["phase_summaries"]


def test_a_file_that_was_changed_after_its_report_is_not_reported_any_more(driver: Driver) -> None:
    driver.start()
    driver.until(Key.READY_COMPLETE)
    assert [row["reported"] for row in driver.service.status()["changed"]] == [True]
    driver.edit()
    status = driver.service.status()
    assert [row["reported"] for row in status["changed"]] == [False]
    assert "notices" not in status, "whoever is at work knows what it has just done"


def test_the_largest_status_stays_within_its_size(driver: Driver, repo: Repo) -> None:
    driver.start()
    tasks = [
        {"id": f"t{number}", "description": "d" * 900, "checklist": [{"item": f"{number} " + "i" * 300}]}
        for number in range(40)
    ]
    driver.until(Key.READY_PLAN).accept(tasks=tasks)
    for number in range(200):
        repo.write(f"many/{'n' * 60}{number}.py", "x = 1\n")
    summaries = {f"step_{number:02}_X": "word " * 240 for number in range(30)}
    impact = {f"src/{number}.py": "not_affected: " + "w" * 140 for number in range(100)}
    driver.service.change({"summaries": summaries, "impact": impact})
    status = driver.service.status()
    assert json_size(status) <= STATUS_BYTES
    assert status["task_progress"]["next_task"]["id"] == "t0"
    assert status["instruction"] == load_contract(None).phases[Key.READY_IMPL].instruction
