"""What is changed behind the server's back during a session is named, and never believed."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.ports import Verifier
from codeintel_session.storage.lock import SessionLock
from codeintel_session.testing import MODULE, QUERY, Driver, Repo, World, crashed

pytestmark = pytest.mark.draws(18)

Edit = Callable[[dict[str, Any]], None]
COMMANDS = {
    "unit.md": Verifier("unit.md", "Run it.", command="pytest -q"),
    "generic.md": Verifier("generic.md", "Look."),
}


@pytest.fixture
def world(repo: Repo, tmp_path: Path) -> World:
    """A project on a machine whose user has a state folder."""
    return World(repo.root, state_folder=tmp_path / "state")


def home(repo: Repo) -> Path:
    return repo.root / ".code-intel"


def checkpoint(driver: Driver) -> Path:
    return driver.service.records.store.folder / f"{driver.state.session_id}.json"


def rewrite(path: Path, edit: Edit) -> None:
    """Edit a checkpoint as somebody would who knows how its digest is made."""
    body = json.loads(path.read_text(encoding="utf-8"))
    seal = body.pop("seal")
    del body["sha256"]
    edit(body["orchestrator_state"])
    plain = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    path.write_text(json.dumps({"sha256": hashlib.sha256(plain).hexdigest(), "seal": seal, **body}), encoding="utf-8")


def reborn(driver: Driver, world: World) -> Driver:
    crashed(driver.service)
    driver.service = world.service()
    return driver


def receipt(state: dict[str, Any]) -> None:
    state["receipts"] = {"unit.md": {"verifier": "unit.md", "command": "x", "exit": 0, "tree": "t", "at": "now"}}


EDITS: dict[str, Edit] = {
    "explored": lambda state: state.update(explored=["secret.py"]),
    "phase": lambda state: state["phase_state"].update(current_phase="MERGE", step=19),
    "counters": lambda state: state["counters"].update(verification_failure_count=0, intervention_count=0),
    "receipts": receipt,
    "verifiers": lambda state: state.update(verifiers={"weak.md": ""}),
}


@pytest.mark.sample
@pytest.mark.parametrize("what", EDITS)
def test_a_checkpoint_edited_while_the_server_is_stopped_is_refused_though_its_digest_is_right(
    driver: Driver, world: World, what: str
) -> None:
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    driver.accept(passed=False)
    path = checkpoint(driver)
    rewrite(path, EDITS[what])
    reborn(driver, world)
    with pytest.raises(ContractViolation, match="checkpoint_restore_failed") as caught:
        driver.service.status()
    assert "seal differs" in caught.value.values["why"]
    assert path.with_name(path.name + ".corrupt").exists()
    assert (driver.service.state, driver.service.lock.held) == (None, False)


@pytest.mark.parametrize("seal", [{}, None, "x", {"key": "f" * 16, "mac": "0" * 64}])
def test_a_seal_that_was_taken_off_or_swapped_is_no_way_around(driver: Driver, world: World, seal: object) -> None:
    driver.start()
    path = checkpoint(driver)
    rewrite(path, EDITS["explored"])
    body = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(body | {"seal": seal}), encoding="utf-8")
    with pytest.raises(ContractViolation, match="checkpoint_restore_failed"):
        reborn(driver, world).service.status()


def test_the_checkpoint_of_another_session_is_not_taken_for_this_one(driver: Driver, world: World) -> None:
    driver.start()
    path = checkpoint(driver)
    path.rename(path.with_name("20261121_235959_ffff.json"))
    with pytest.raises(ContractViolation) as caught:
        reborn(driver, world).service.status("20261121_235959_ffff")
    assert "belongs to another session" in caught.value.values["why"]


@pytest.mark.sample
@pytest.mark.parametrize("change", ["another machine", "a new key", "no place for a key"])
def test_a_checkpoint_that_cannot_be_told_is_used_and_said(driver: Driver, world: World, change: str) -> None:
    driver.start()
    driver.accept()
    assert world.state_folder is not None
    if change == "another machine":
        world.state_folder = world.state_folder.with_name("other")
    elif change == "a new key":
        (world.state_folder / "checkpoint.key").write_bytes(b"damaged")
        world.clock.token()
        Driver(World(world.root, state_folder=world.state_folder, clock=world.clock).service())
        shutil.rmtree(world.state_folder / "sealed")
    else:
        shutil.rmtree(world.state_folder)
        world.state_folder.write_text("a file", encoding="utf-8")
    reply = reborn(driver, world).service.status()
    assert "was not sealed on this machine" in reply["notices"][0]
    driver.accept()
    assert driver.finish()["outcome"] == "unverified"


def test_the_key_is_the_users_alone_and_outside_the_project(driver: Driver, world: World) -> None:
    driver.start()
    assert world.state_folder is not None
    key = world.state_folder / "checkpoint.key"
    assert (key.stat().st_mode & 0o777, len(key.read_bytes())) == (0o600, 32)
    driver.finish()
    assert list((world.state_folder / "sealed").iterdir()) == [], "a session that ended is not remembered"


RECORDS = {
    "sessions/{id}.json": lambda path: rewrite(path, EDITS["explored"]),
    "sessions/gate.json": lambda path: path.write_text("{}", encoding="utf-8"),
    "logs/decisions.jsonl": lambda path: path.write_bytes(path.read_bytes().split(b"\n", 1)[1]),
    "logs/outcomes.jsonl": lambda path: path.unlink(),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("refused", [False, True])
def test_a_record_changed_while_the_server_lives_is_named_once_and_not_believed(
    driver: Driver, world: World, repo: Repo, name: str, refused: bool
) -> None:
    driver.start("QUESTION")
    driver.finish()
    driver.start()
    driver.until(Key.EXPLORATION)
    explored, path = driver.state.explored, home(repo) / name.format(id=driver.state.session_id)
    RECORDS[name](path)
    reply = driver.submit(**({"explored_files": []} if refused else {}))
    assert reply["success"] is not refused
    assert path.relative_to(repo.root).as_posix() in reply["notices"][0]
    assert "changed or removed files of this session" not in str(driver.accept().get("notices"))
    assert explored == ()
    assert "secret.py" not in driver.state.explored
    reply = reborn(driver, world).service.status()
    assert "somebody" not in str(reply.get("notices")), "what was written anew is whole"


def test_an_answer_that_was_written_into_the_archive_is_not_given(driver: Driver, world: World, repo: Repo) -> None:
    driver.start("QUESTION")
    driver.until(Key.Q3)
    last = driver.payload()
    assert driver.service.submit(last)["phase"] == "SESSION_COMPLETE"
    assert world.service().submit(last)["outcome"] == "answered", "a lost reply is given again"
    (path,) = (home(repo) / "sessions/archive").glob("*.json")
    rewrite(path, lambda state: state["last_reply"]["reply"].update(outcome="as I like it"))
    with pytest.raises(ContractViolation, match="no_active_session"):
        world.service().submit(last)


def test_lines_cut_from_a_log_while_the_server_was_stopped_are_missed(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    driver.until(Key.Q3)
    log = home(repo) / "logs/decisions.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
    reborn(driver, world).service.status()
    assert ".code-intel/logs/decisions.jsonl" in driver.accept()["notices"][0]


def test_what_another_process_adds_to_the_outcomes_is_no_tampering(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    driver.accept()
    other = world.service().records
    other.log_outcome(driver.state, "failure", "it did not hold")
    assert "somebody" not in str(driver.accept().get("notices"))
    assert [entry["note"] for entry in driver.service.records.outcomes.read()] == ["it did not hold"]


@pytest.mark.sample
@pytest.mark.parametrize("part", ["", "sessions", "logs"])
def test_a_session_goes_on_when_its_folder_is_deleted(driver: Driver, world: World, repo: Repo, part: str) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    shutil.rmtree(home(repo) / part)
    reply = driver.accept()
    assert (".code-intel/sessions/" if part != "logs" else ".code-intel/logs/") in str(reply["notices"])
    assert repo.status() == [f" M {MODULE}"], "the folder hides itself again"
    reborn(driver, world).service.status()
    assert driver.finish()["outcome"] == "unverified"
    assert (repo.branch, repo.branches(), repo.status()) == ("main", ["main"], [])


def test_after_a_deletion_and_a_restart_the_work_is_still_on_its_branch(
    driver: Driver, world: World, repo: Repo
) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    task, text = repo.branch, repo.read(MODULE)
    shutil.rmtree(home(repo))
    crashed(driver.service)
    driver.service = world.service()
    with pytest.raises(ContractViolation, match="no_active_session"):
        driver.service.status()
    assert driver.start()["phase"] == "BRANCH_INTERVENTION"
    assert (task in driver.state.stale_branches, repo.read(MODULE)) == (True, text)


def test_a_lock_that_was_removed_is_taken_anew(driver: Driver, world: World, repo: Repo) -> None:
    driver.start()
    (home(repo) / "sessions/session.lock").unlink()
    assert "session.lock" in driver.accept()["notices"][0]
    with pytest.raises(ContractViolation, match="session_active"):
        world.service().start("MODIFY", QUERY)


def test_a_lock_that_another_process_took_meanwhile_ends_the_writing(driver: Driver, repo: Repo) -> None:
    driver.start()
    before = checkpoint(driver).read_bytes()
    (home(repo) / "sessions/session.lock").unlink()
    other = SessionLock(home(repo) / "sessions")
    other.acquire("now")
    for _ in range(2):
        with pytest.raises(ContractViolation, match="session_active"):
            driver.service.submit(driver.payload())
    assert checkpoint(driver).read_bytes() == before
    other.release()
    assert driver.accept()["success"]


def test_a_verifier_that_lost_its_command_still_needs_its_receipt(driver: Driver, world: World) -> None:
    world.library.known = dict(COMMANDS)
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    world.library.known["unit.md"] = replace(COMMANDS["unit.md"], command="")
    world.library.known["weak.md"] = Verifier("weak.md", "Just say yes.")
    refused = driver.submit(verifier_used="unit.md")
    assert refused["error"] == "verification_receipt_missing"
    assert "unit.md, weak.md" in refused["notices"][0]
    assert "weak.md" in driver.submit(verifier_used="weak.md")["message"]
    assert driver.state.phase_state.current_phase == "POST_IMPL_VERIFY"
    assert driver.accept(verifier_used="generic.md")["success"]


def test_forged_notes_of_reading_buy_no_tool_and_are_bounded(driver: Driver, repo: Repo) -> None:
    for number in range(600):
        repo.write(f"many/{number:03}.py", "")
    repo.commit()
    driver.start()
    driver.until(Key.EXPLORATION)
    note = [json.dumps({"session_id": driver.state.session_id, "path": f"many/{n:03}.py"}) for n in range(600)]
    (home(repo) / "sessions/seen.jsonl").write_text("\n".join(note), encoding="utf-8")
    data = {"summary": "s", "explored_files": ["many/001.py"], "findings": ["f"], "tools_used": []}
    refused = driver.service.submit(data)
    assert refused["success"] is False
    assert "tool" in refused["message"], refused
    assert len(driver.state.seen) == 500


@pytest.mark.sample
@pytest.mark.parametrize("flags", [{}, {"fast": True}, {"quick": True}])
def test_honest_work_and_a_users_everyday_is_never_called_tampering(
    driver: Driver, world: World, repo: Repo, flags: dict[str, bool]
) -> None:
    words = ("somebody", "tell the user", "tell them", "sealed")
    said = [driver.start(**flags)]
    while driver.service.state is not None:
        path = checkpoint(driver)
        os.utime(path)  # backups, indexers and editors look at files and link them
        os.link(path, path.with_name("copy"))
        path.with_name("copy").unlink()
        if driver.key() in (Key.READY_PLAN, Key.PRE_COMMIT):
            said.append(reborn(driver, world).service.status())
        if driver.key() is Key.READY_COMPLETE and "# by hand" not in repo.read(MODULE):
            repo.write(MODULE, repo.read(MODULE) + "# by hand\n")
        said.append(driver.accept())
    assert [line for reply in said for line in reply.get("notices", ()) if any(word in line for word in words)] == []
    assert said[-1]["outcome"] == "unverified"


def test_a_project_that_was_moved_or_put_back_from_a_backup_is_resumed_without_a_word(
    driver: Driver, world: World, repo: Repo
) -> None:
    driver.start()
    driver.until(Key.Q2)
    backup = world.root.with_name("backup")
    shutil.copytree(world.root, backup, symlinks=True)
    driver.until(Key.READY_IMPL)
    crashed(driver.service)
    shutil.rmtree(world.root)
    moved = World(backup.rename(world.root.with_name("moved")), state_folder=world.state_folder)
    again = Driver(moved.service(), Repo(moved.root))
    assert "notices" not in again.service.status()
    assert again.finish()["outcome"] == "unverified"
