"""Every reply has the same frame, in every phase there is; what a phase adds comes beside it."""

from collections.abc import Iterator
from typing import Any

import pytest

from codeintel_contract.loader import load
from codeintel_contract.names import Key
from codeintel_session.testing import Driver, Repo, World

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
        assert "summary" in reply["expected_payload"]
    assert (end["phase"], end["outcome"], "call" in end) == ("SESSION_COMPLETE", "success", False)
    assert end["message"]
    assert end["compaction_count"] == 0


def walk_with_status(driver: Driver) -> Iterator[dict[str, Any]]:
    for reply in walk(driver):
        if driver.service.state is not None:
            yield driver.service.status()
        yield reply


def test_a_refusal_says_what_was_wrong_and_asks_for_the_same_phase_again(whole: Driver) -> None:
    for reply in walk(whole):
        if whole.service.state is None:
            break
        refused = whole.service.submit({"summary": "s", "nonsense": 1})
        same = ("phase", "step", "instruction", "expected_payload", "required_tools", "call")
        assert {name: refused[name] for name in same} == {name: reply[name] for name in same}
        assert (refused["success"], refused["error"]) == (False, "payload_mismatch")
        assert refused["current_phase"] == reply["phase"]
        assert any(line.startswith("nonsense: ") for line in refused["problems"])
        assert all("\n" not in line for line in refused["problems"])


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
        load(None).message(f"query_frame_hints.{name}_missing", {}).message for name in names
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
