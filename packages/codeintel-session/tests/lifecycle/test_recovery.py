"""What survives: a process that dies anywhere is picked up where it stood, and nothing is done twice."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.limits import STATUS_BYTES
from codeintel_session.replies.reply import json_size
from codeintel_session.storage.checkpoints import read_checkpoint
from codeintel_session.testing import MODULE, QUERY, Driver, Repo, World, crashed

pytestmark = pytest.mark.draws(18)

HOLDER = """
import sys, time
from pathlib import Path
from codeintel_session.testing import Driver, World
driver = Driver(World(Path(sys.argv[1])).service())
driver.start()
driver.accept()
print("standing", flush=True)
time.sleep(600)
"""


def reborn(driver: Driver, world: World) -> Driver:
    """The same agent after the server died and came back."""
    crashed(driver.service)
    driver.service = world.service()
    return driver


def test_a_killed_process_frees_the_lock_and_is_resumed_where_it_stood(world: World, repo: Repo) -> None:
    command = [sys.executable, "-c", HOLDER, str(repo.root)]
    service = world.service()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "standing\n"
            with pytest.raises(ContractViolation) as caught:
                service.start("MODIFY", QUERY)
            assert caught.value.key == "tool_errors.start_session.session_active"
            assert caught.value.values["pid"] == holder.pid
            with pytest.raises(ContractViolation, match="session_active"):
                service.status()
        finally:  # whatever failed: nobody waits for the holder's sleep
            holder.send_signal(signal.SIGKILL)
    reply = service.status()
    assert (reply["phase"], reply["completed_steps"], reply["query"]) == ("EXPLORATION", [4], QUERY)
    assert list(reply["phase_summaries"]) == ["step_04_QUERY_FRAME"]


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.QUERY_FRAME, Key.Q2, Key.READY_PLAN, Key.READY_IMPL, Key.PRE_COMMIT, Key.MERGE])
def test_a_session_resumed_at_any_phase_comes_to_its_end(driver: Driver, world: World, repo: Repo, key: Key) -> None:
    driver.start()
    before = driver.until(key).state
    reborn(driver, world).service.status()
    assert driver.state == before
    assert driver.finish()["outcome"] == "unverified"
    assert (repo.branch, repo.branches(), repo.status()) == ("main", ["main"], [])


class DiskFull(OSError):
    """What a save raises in these tests."""


def dying(driver: Driver, monkeypatch: pytest.MonkeyPatch, payload: dict[str, Any]) -> None:
    """Submit, and die after the effects but before the checkpoint."""

    def fail(*_: object) -> None:
        raise DiskFull

    with monkeypatch.context() as patch:
        patch.setattr(driver.service.records.store, "save", fail)
        patch.setattr(driver.service.records.store, "archive", fail)
        with pytest.raises(DiskFull):
            driver.service.submit(payload)


def commits(repo: Repo) -> int:
    return len(repo.git("rev-list", "--all", "--", MODULE).splitlines())


@pytest.mark.sample
@pytest.mark.parametrize("key", [Key.Q3, Key.PRE_COMMIT, Key.MERGE])
@pytest.mark.parametrize("restart", [True, False])
def test_an_effect_without_its_checkpoint_is_recognized_and_not_done_twice(
    driver: Driver, world: World, repo: Repo, monkeypatch: pytest.MonkeyPatch, key: Key, restart: bool
) -> None:
    driver.start()
    payload = driver.until(key).payload()
    driver.service.change({})
    before = driver.state
    dying(driver, monkeypatch, payload)
    branch, count, head = repo.branch, commits(repo), repo.git("rev-parse", "HEAD")
    if restart:
        reborn(driver, world).service.status()
    assert driver.state == before, "what could not be saved has not happened"
    reply = driver.service.submit(payload)
    assert reply["success"], reply
    assert (repo.branch, commits(repo), repo.git("rev-parse", "HEAD")) == (branch, count, head)
    if key is not Key.MERGE:
        driver.finish()
    assert (repo.branch, repo.branches(), repo.status()) == ("main", ["main"], [])


@pytest.mark.sample
@pytest.mark.parametrize("mode", ["no-ff", "squash", "ff"])
def test_a_merge_cut_off_before_its_branch_was_deleted_is_finished(
    world: World, repo: Repo, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    world.merge_mode = mode
    driver = Driver(world.service(), repo)
    driver.start()
    payload = driver.until(Key.MERGE).payload()
    task, tip = repo.branch, repo.git("rev-parse", "HEAD")
    dying(driver, monkeypatch, payload)
    repo.git("branch", task, tip)
    assert driver.service.submit(payload)["phase"] == "SESSION_COMPLETE"
    assert repo.branches() == ["main"]


def test_a_torn_checkpoint_falls_back_to_the_one_before(driver: Driver, world: World) -> None:
    driver.start()
    driver.accept()
    path = driver.service.records.store.folder / f"{driver.state.session_id}.json"
    path.write_bytes(path.read_bytes()[:100])
    reply = reborn(driver, world).service.status()
    assert reply["phase"] == "QUERY_FRAME"
    assert path.with_name(path.name + ".corrupt").exists()
    assert driver.finish()["outcome"] == "unverified"


def edit(path: Path, **fields: object) -> None:
    body = json.loads(path.read_text(encoding="utf-8"))
    body["orchestrator_state"].update(fields)
    path.write_text(json.dumps(body), encoding="utf-8")


def test_an_edited_checkpoint_is_refused_and_kept_aside(driver: Driver, world: World) -> None:
    driver.start()
    driver.accept()
    path = driver.service.records.store.folder / f"{driver.state.session_id}.json"
    edit(path, explored=["secret.py"])
    reborn(driver, world)
    with pytest.raises(ContractViolation) as caught:
        driver.service.status()
    assert caught.value.key == "session_messages.checkpoint_restore_failed"
    assert "digest differs" in caught.value.values["why"]
    assert path.with_name(path.name + ".corrupt").exists()
    assert driver.service.state is None
    assert not driver.service.lock.held


def test_a_checkpoint_of_a_newer_version_is_refused_not_guessed_at(driver: Driver, world: World) -> None:
    driver.start()
    path = driver.service.records.store.folder / f"{driver.state.session_id}.json"
    body = json.loads(path.read_text(encoding="utf-8")) | {"schema_version": 99}
    path.write_text(json.dumps(body), encoding="utf-8")
    with pytest.raises(ContractViolation) as caught:
        reborn(driver, world).service.status()
    assert "newer version (schema 99)" in caught.value.values["why"]


def test_nothing_to_resume_is_said_and_makes_nothing(world: World) -> None:
    service = world.service()
    for call in (service.status, service.require):
        with pytest.raises(ContractViolation) as caught:
            call()
        assert caught.value.key == "session_messages.no_active_session"
    assert not (world.root / ".code-intel").exists()
    service.close()


def test_a_submission_without_a_session_names_what_can_be_resumed(driver: Driver, world: World) -> None:
    session_id = driver.start()["session_id"]
    reborn(driver, world)
    with pytest.raises(ContractViolation) as caught:
        driver.service.submit({"summary": "s"})
    assert caught.value.key == "session_messages.no_active_session_resumable"
    assert caught.value.values == {"session_id": session_id}


def test_a_live_session_is_not_replaced_unless_asked(driver: Driver) -> None:
    first = driver.start()["session_id"]
    with pytest.raises(ContractViolation) as caught:
        driver.start()
    assert caught.value.key == "tool_errors.start_session.session_unfinished"
    reply = driver.service.start("MODIFY", "another", discard_active=True)
    assert reply["session_id"] != first
    assert "recovery_available" not in reply, "what was just discarded is not offered again"
    assert driver.service.lock.held, "the lock goes over to the new session"
    assert [path.stem for path in driver.service.records.store.archived()] == [first]
    entry = next(iter(driver.service.records.outcomes.read()))
    assert (entry["session_id"], entry["outcome"]) == (first, "discarded")


def test_a_start_that_is_refused_leaves_the_live_session_alone(driver: Driver, repo: Repo) -> None:
    first = driver.start()["session_id"]
    for intent, query, flags in [("guess", "q", None), ("MODIFY", " ", None), ("MODIFY", "q", {"nope": True})]:
        with pytest.raises(ContractViolation):
            driver.service.start(intent, query, flags, discard_active=True)
    assert driver.state.session_id == first


def test_a_start_beside_an_old_checkpoint_offers_it_and_either_can_go_on(driver: Driver, world: World) -> None:
    first = driver.start()["session_id"]
    driver.accept()
    reborn(driver, world)
    reply = driver.service.start("QUESTION", "how does it count")
    offered = reply["recovery_available"]
    assert (offered["session_id"], offered["phase"], offered["step"], offered["query"]) == (
        first,
        "EXPLORATION",
        5,
        QUERY,
    )
    assert offered["age_s"] >= 0
    assert "discard_active" in reply["message"]
    assert driver.service.status()["session_id"] == reply["session_id"]
    back = driver.service.status(discard_active=True)
    assert (back["session_id"], back["step"]) == (first, 5)
    assert driver.service.lock.held
    assert driver.finish()["outcome"] == "unverified"


def test_a_killed_session_is_logged_as_given_up_once_a_newer_one_has_ended(driver: Driver, world: World) -> None:
    first = driver.start()["session_id"]
    driver.until(Key.Q1)
    reborn(driver, world).start("QUESTION", QUERY)
    second = driver.state.session_id
    driver.finish()
    logged = [
        (entry["session_id"], entry["outcome"], entry["phase"]) for entry in driver.service.records.outcomes.read()
    ]
    assert logged == [(second, "answered", "SESSION_COMPLETE"), (first, "abandoned", "Q1")]
    with pytest.raises(ContractViolation, match=r"no_active_session$"):
        driver.service.status()
    assert driver.service.records.store.ended_last().session_id == second  # type: ignore[union-attr]


def test_a_named_session_is_resumed_and_an_unknown_one_refused(driver: Driver, world: World) -> None:
    first = driver.start()["session_id"]
    reborn(driver, world).service.start("QUESTION", "second")
    second = driver.state.session_id
    for wrong in ("20200101_000000_abcd", "../../etc/passwd"):
        with pytest.raises(ContractViolation, match="unknown_session"):
            driver.service.status(wrong, discard_active=True)
    assert driver.state.session_id == second
    with pytest.raises(ContractViolation, match="session_unfinished"):
        driver.service.status(first)
    assert driver.service.status(second)["session_id"] == second
    assert driver.service.status(second, discard_active=True)["session_id"] == second
    assert driver.service.status(first, discard_active=True)["session_id"] == first


def test_replacing_without_anything_to_resume_keeps_the_live_session(driver: Driver) -> None:
    first = driver.start()["session_id"]
    assert driver.service.status(discard_active=True)["session_id"] == first


def test_the_status_tells_the_whole_position(driver: Driver) -> None:
    driver.start(no_quality=True)
    driver.until(Key.READY_IMPL)
    reply = driver.service.status()
    assert reply["flags"] == {"no_quality": True}
    assert reply["intent"] == "MODIFY"
    assert (reply["task_progress"]["done"], reply["task_progress"]["total"]) == (0, 1)
    assert reply["task_progress"]["next_task"]["id"] == "task_1"
    assert reply["explored_files"] == {"count": 1, "first": [MODULE]}
    assert reply["completed_steps"] == [4, 5, 6, 8, 10, 12]
    assert json_size(reply) < STATUS_BYTES


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["switch", "--quiet", "main"], "the working tree is on main"),
        (["branch", "--quiet", "-m", "renamed"], "no longer exists"),
        (["branch", "--quiet", "-f", "main", "HEAD~0"], ""),
    ],
)
def test_what_differs_after_a_resume_is_said(
    driver: Driver, world: World, repo: Repo, change: list[str], said: str
) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    repo.git(*change)
    notices = str(reborn(driver, world).service.status().get("notices", ""))
    assert said in notices
    assert bool(notices) is bool(said)


def test_a_base_that_moved_is_said(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)
    tree = repo.git("rev-parse", "HEAD^{tree}")
    repo.git("update-ref", "refs/heads/main", repo.git("commit-tree", tree, "-p", "HEAD", "-m", "theirs"))
    assert "main has moved" in str(reborn(driver, world).service.status()["notices"])


def test_an_adopted_branch_is_not_said_to_have_moved(driver: Driver, world: World, repo: Repo) -> None:
    stale = "llm_task_20261120_090000_beef_from_main"
    repo.git("switch", "--quiet", "-c", stale)
    repo.write("src/earlier.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.Q1)
    assert "notices" not in reborn(driver, world).service.status()


def test_closing_saves_and_lets_go_of_the_lock(driver: Driver, world: World) -> None:
    driver.start()
    world.clock.tick_s = 0.0
    driver.see("search_text", MODULE)
    before = driver.state
    driver.service.close()
    driver.service = world.service()
    driver.service.status()
    assert driver.state == before


def test_the_checkpoint_holds_what_the_protocol_says(driver: Driver) -> None:
    driver.start()
    driver.accept()
    path = driver.service.records.store.folder / f"{driver.state.session_id}.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    assert set(body) == {"schema_version", "sha256", "seal", "orchestrator_state", "phase_payloads", "logs"}
    assert body["phase_payloads"] == {"step_04_QUERY_FRAME": {"summary": "QUERY_FRAME done"}}
    assert read_checkpoint(path) == driver.state
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.with_suffix(".json.bak").exists()


def test_calls_from_many_threads_lose_nothing(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_PLAN)

    def work(number: int) -> None:
        driver.see("search_text", f"file_{number}.py")
        driver.service.change(lambda now: {"explored": (*now.explored, f"file_{number}.py")})
        driver.service.status()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {f"file_{number}.py" for number in range(16)}
    assert names <= set(driver.state.explored)
    assert names <= set(driver.state.seen)
    assert len([call for call in driver.state.observed if call.tool == "search_text"]) == 16


def test_the_same_payload_from_two_threads_is_done_once(driver: Driver, repo: Repo) -> None:
    driver.start()
    payload = driver.until(Key.PRE_COMMIT).payload()
    replies: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: replies.append(driver.service.submit(payload))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {reply["phase"] for reply in replies} == {"QUALITY_REVIEW"}
    assert len(driver.state.commits) == 1
