"""What is on the disk while a session runs, and when it gets there."""

import json
from typing import Any

from codeintel_contract.names import Key
from codeintel_session.testing import MODULE, Driver, Repo, World, crashed

FIELDS = """session_id intent query flags phase_state branch branch_policy base dirty_at_start counters compaction_count
tasks query_frame explored observed contract_digest last_reply"""


def on_disk(repo: Repo, driver: Driver) -> dict[str, Any]:
    path = repo.root / ".code-intel/sessions" / f"{driver.state.session_id}.json"
    body: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["orchestrator_state"]
    return body


def test_the_checkpoint_has_every_field_of_the_protocol(driver: Driver, repo: Repo) -> None:
    repo.git("switch", "--quiet", "-c", "feature/x")
    driver.start(fast=True)
    driver.until(Key.READY_IMPL)
    body = on_disk(repo, driver)
    assert set(FIELDS.split()) <= body.keys()
    assert body["phase_state"] == {"current_phase": "READY", "step": 13, "ready_substep": "implement"}
    assert body["counters"].keys() >= {
        "verification_failure_count",
        "quality_revert_count",
        "intervention_count",
        "refusals",
    }
    assert (body["branch"], body["base"]) == (f"llm_task_{body['session_id']}_from_feature__x", "feature/x")


def test_it_is_written_at_the_start_and_after_every_submission(driver: Driver, repo: Repo) -> None:
    driver.start()
    assert on_disk(repo, driver)["phase_state"]["step"] == 4
    while driver.key() is not Key.MERGE:
        driver.accept()
        assert on_disk(repo, driver)["phase_state"]["step"] == driver.state.phase_state.step


def test_it_is_written_when_the_explored_set_grows(driver: Driver, repo: Repo, world: World) -> None:
    driver.start()
    world.clock.tick_s = 0.0
    driver.service.change({"explored": (MODULE,)})
    assert on_disk(repo, driver)["explored"] == [MODULE]


def test_the_newest_of_several_checkpoints_is_resumed(driver: Driver, world: World) -> None:
    ids = []
    for query in ("one", "two", "three"):
        driver.service = world.service()
        ids.append(driver.start("QUESTION", query)["session_id"])
        crashed(driver.service)
    service = world.service()
    assert (service.status()["session_id"], service.status()["query"]) == (ids[-1], "three")


def test_a_commit_that_fails_after_the_quality_review_has_a_code_of_its_own(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.QUALITY_REVIEW)
    driver.edit()
    driver.accept()
    driver.until(Key.PRE_COMMIT)
    hook = repo.hook("pre-commit", "echo lint says no >&2; exit 1\n")
    refused = driver.submit()
    assert (refused["error"], refused["phase"]) == ("commit_execution_failed", "PRE_COMMIT")
    assert "lint says no" in refused["message"]
    hook.unlink()
    assert driver.finish()["outcome"] == "unverified"
