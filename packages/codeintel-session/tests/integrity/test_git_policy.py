"""Branches and the user's own work: whose a change is, where it is committed, and what is never touched."""

import os
import sys
from pathlib import Path

import pytest

from codeintel_contract.names import Key
from codeintel_contract.violations import ContractViolation
from codeintel_session.testing import MODULE, Driver, Repo, World, crashed, make_repo
from codeintel_session.tools import session_tools

pytestmark = pytest.mark.draws(18)

STALE = "llm_task_20261120_090000_beef_from_main"


@pytest.fixture
def stale(world: World, repo: Repo) -> Repo:
    """The repository with a task branch of an earlier session, not merged, HEAD on main; the user decides about it."""
    world.words.type("Delete or merge the branch, as you said.")
    repo.git("switch", "--quiet", "-c", STALE)
    repo.git("config", f"branch.{STALE}.codeintel-base", "main")
    repo.write("src/earlier.py", "earlier = True\n")
    repo.commit("Earlier\n\nCode-Intel-Session: 20261120_090000_beef")
    repo.git("switch", "--quiet", "main")
    return repo


def test_stale_branches_are_put_before_the_user(driver: Driver, stale: Repo) -> None:
    reply = driver.start()
    assert (reply["phase"], reply["requires_user_intervention"]) == ("BRANCH_INTERVENTION", True)
    assert STALE in reply["notices"][-1]


def test_an_investigation_is_asked_about_stale_branches_too(driver: Driver, stale: Repo) -> None:
    driver.choice = "continue"
    assert driver.start("QUESTION")["phase"] == "BRANCH_INTERVENTION"
    driver.finish()
    assert stale.branches() == [STALE, "main"]


def test_only_verify_is_not(driver: Driver, stale: Repo) -> None:
    assert driver.start(only_verify=True)["phase"] == "POST_IMPL_VERIFY"


def test_deleting_keeps_unmerged_commits_in_the_trash(driver: Driver, stale: Repo) -> None:
    driver.start()
    driver.accept(choice="delete")
    assert stale.branches() == ["main"]
    assert driver.state.trash[0].startswith("refs/codeintel/trash/")
    assert driver.finish()["outcome"] == "unverified"


def test_deleting_the_branch_one_stands_on_starts_from_its_base(driver: Driver, stale: Repo) -> None:
    main = stale.git("rev-parse", "main")
    stale.git("switch", "--quiet", STALE)
    stale.write("notes.txt", "mine\n")
    driver.start()
    driver.accept(choice="delete")
    assert (driver.state.base, driver.state.base_commit, stale.branch) == ("main", main, "main")
    end = driver.finish()
    assert end["outcome"] == "unverified"
    assert (stale.status(), stale.read("notes.txt")) == (["?? notes.txt"], "mine\n")


def test_what_the_agent_wrote_before_answering_does_not_pass_for_the_users(driver: Driver, stale: Repo) -> None:
    driver.start()
    stale.write("src/sneaked.py", "x = 1\n")
    told = driver.accept(choice="delete")
    assert any("src/sneaked.py" in notice for notice in told["notices"])
    driver.finish()
    # The plan does not name it, so it is not the session's either: it is not merged.
    assert "sneaked" not in stale.git("ls-tree", "-r", "--name-only", "main")


def test_merging_brings_the_one_stale_branch_into_its_base(driver: Driver, stale: Repo) -> None:
    driver.start()
    driver.accept(choice="merge")
    assert stale.branches() == ["main"]
    assert driver.state.base_commit == stale.git("rev-parse", "main")
    assert driver.finish()["outcome"] == "unverified"
    assert stale.read("src/earlier.py") == "earlier = True\n"


def test_merging_more_than_one_from_a_normal_branch_is_refused_and_changes_nothing(driver: Driver, stale: Repo) -> None:
    stale.git("branch", "llm_task_20261119_090000_cafe_from_main")
    driver.start()
    before = stale.branches()
    refused = driver.submit(choice="merge")
    assert (refused["error"], refused["phase"]) == ("branch_operation_failed", "BRANCH_INTERVENTION")
    assert stale.branches() == before


def test_continuing_on_a_stale_branch_adopts_it_and_merges_it_at_the_end(driver: Driver, stale: Repo) -> None:
    stale.git("switch", "--quiet", STALE)
    driver.start()
    driver.accept(choice="continue")
    assert (driver.state.branch, driver.state.branch_policy, driver.state.base) == (STALE, "adopted", "main")
    assert driver.until(Key.READY_IMPL).submit()["problems"] == ["src/earlier.py: added but not planned"]
    session_tools.add_explored_files(driver.service, ["src/earlier.py"])
    driver.finish()
    assert (stale.branch, stale.branches()) == ("main", ["main"])
    assert stale.read("src/earlier.py") == "earlier = True\n"
    assert "more_1" in stale.read(MODULE)


def test_continuing_on_a_normal_branch_commits_in_place(driver: Driver, stale: Repo) -> None:
    driver.start()
    driver.accept(choice="continue")
    end = driver.finish()
    assert end["message"].endswith(" The work is committed on main; there was no task branch to merge.")
    assert (stale.branch, stale.branches()) == ("main", [STALE, "main"])
    assert "Code-Intel-Session" in stale.git("log", "-1", "--format=%B")


def test_a_stale_branch_without_a_base_is_not_adopted(driver: Driver, stale: Repo) -> None:
    stale.git("switch", "--quiet", "-c", "llm_task_of_nobody")
    driver.start()
    assert driver.submit(choice="continue")["error"] == "branch_operation_failed"


def test_the_users_dirty_files_are_never_committed_nor_counted(driver: Driver, repo: Repo) -> None:
    repo.write("mine.txt", "one\n")
    repo.commit()
    repo.write("mine.txt", "two\n")
    repo.write("new of mine.txt", "three\n")
    repo.write("staged.txt", "four\n")
    repo.git("add", "staged.txt")
    driver.start()
    end = driver.finish()
    assert repo.git("show", "--name-only", "--format=", f"{end['commit']}^2").split() == [MODULE]
    assert sorted(repo.status()) == [" M mine.txt", '?? "new of mine.txt"', "A  staged.txt"]
    assert repo.read("mine.txt") == "two\n"


def test_a_dirty_file_that_the_session_changes_further_is_told_apart(driver: Driver, repo: Repo) -> None:
    repo.write(MODULE, repo.read(MODULE) + "\n# mine\n")
    driver.start()
    driver.until(Key.PRE_COMMIT)
    reply = driver.accept()
    assert MODULE in reply["warning"]
    driver.finish()
    assert repo.status() == []


def test_a_change_outside_what_was_explored_stops_the_session_until_it_is_undone(driver: Driver, repo: Repo) -> None:
    repo.write("src/other.py", "x = 1\n")
    repo.commit()
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write("src/other.py", "x = 2\n")
    refused = driver.submit()
    assert (refused["error"], refused["problems"]) == (
        "unexplored_changes",
        ["src/other.py: changed but not explored"],
    )
    repo.write("src/other.py", "x = 1\n")
    assert driver.finish()["outcome"] == "unverified"


def test_discarding_puts_the_base_back_and_keeps_the_file_recoverable(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write("src/debug.log", "noise\n")
    session_tools.add_explored_files(driver.service, ["src/debug.log"])
    driver.until(Key.PRE_COMMIT)
    rows = driver.payload()["reviewed_files"]
    gone = {"path": "src/debug.log", "decision": "discard", "reason": "left over"}
    driver.accept(reviewed_files=[*(row for row in rows if row != "src/debug.log"), gone])
    assert not (repo.root / "src/debug.log").exists()
    assert repo.git("show", f"{driver.state.trash[0]}:src/debug.log") == "noise"
    driver.finish()


def test_what_somebody_else_wrote_meanwhile_is_not_the_sessions_to_discard(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.write("notes.txt", "mine\n")
    gone = {"path": "notes.txt", "decision": "discard", "reason": "left over"}
    refused = driver.submit(reviewed_files=[MODULE, gone])
    assert (refused["error"], "notes.txt" in refused["message"]) == ("payload_mismatch", True)
    driver.finish()
    assert repo.status() == ["?? notes.txt"]
    assert "debug.log" not in repo.git("ls-tree", "-r", "--name-only", "HEAD")


def test_a_failing_hook_is_shown_and_the_same_payload_works_once_it_passes(driver: Driver, repo: Repo) -> None:
    driver.start()
    payload = driver.until(Key.PRE_COMMIT).payload()
    before = driver.state
    hook = repo.hook("pre-commit", "echo lint says no >&2; exit 1\n")
    refused = driver.service.submit(payload)
    assert (refused["error"], refused["phase"]) == ("finalize_failed", "PRE_COMMIT")
    assert "lint says no" in refused["message"]
    assert driver.state.model_copy(update={"counters": before.counters}) == before
    hook.unlink()
    assert driver.service.submit(payload)["phase"] == "QUALITY_REVIEW"


def test_a_failing_hook_after_a_discard_can_be_tried_again(driver: Driver, repo: Repo) -> None:
    driver.start(no_verify=True)
    driver.until(Key.READY_IMPL)
    repo.write("src/debug.log", "noise\n")
    session_tools.add_explored_files(driver.service, ["src/debug.log"])
    driver.until(Key.PRE_COMMIT)
    gone = {"path": "src/debug.log", "decision": "discard", "reason": "left over"}
    payload = {**driver.payload(), "reviewed_files": [MODULE, gone]}
    hook = repo.hook("pre-commit", "exit 1\n")
    assert driver.service.submit(payload)["error"] == "finalize_failed"
    hook.unlink()
    assert driver.service.submit(payload)["phase"] == "QUALITY_REVIEW"
    assert driver.finish()["outcome"] == "unverified"


def test_a_merge_conflict_is_named_and_leaves_everything_as_it_was(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.MERGE)
    branch = repo.branch
    repo.git("switch", "--quiet", "main")
    repo.write(MODULE, "def count_all():\n    return 0\n")
    theirs = repo.commit("Theirs")
    repo.git("switch", "--quiet", branch)
    before = driver.state
    refused = driver.submit()
    assert refused["error"] == "merge_failed"
    assert MODULE in refused["problems"][0]
    assert driver.state.model_copy(update={"counters": before.counters}) == before
    assert (repo.branch, repo.git("rev-parse", "main"), repo.status()) == (branch, theirs, [])


def test_work_on_another_branch_is_neither_committed_nor_merged(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    task = repo.branch
    repo.git("stash", "--quiet")
    repo.git("switch", "--quiet", "-c", "elsewhere")
    assert driver.submit(reviewed_files=[MODULE])["error"] == "branch_manager_not_found"
    repo.git("switch", "--quiet", task)
    repo.git("stash", "pop", "--quiet")
    driver.until(Key.QUALITY_REVIEW)
    repo.git("switch", "--quiet", "elsewhere")
    repo.write(MODULE, "changed = 1\n")
    assert driver.submit()["error"] == "branch_manager_not_found"
    assert repo.git("log", "--format=%s", "elsewhere") == "First"
    repo.git("checkout", "--quiet", "--", MODULE)
    repo.git("switch", "--quiet", task)
    driver.until(Key.MERGE)
    repo.git("switch", "--quiet", "elsewhere")
    assert driver.submit()["error"] == "branch_manager_not_found"
    repo.git("switch", "--quiet", task)
    assert driver.finish()["outcome"] == "unverified"


def test_a_task_branch_that_cannot_be_made_is_tried_again(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.Q3)
    lock = repo.write(".git/HEAD.lock", "")
    refused = driver.submit()
    assert (refused["error"], refused["phase"], repo.branch) == ("branch_creation_failed", "Q3", "main")
    lock.unlink()
    assert driver.submit()["step"] == 12
    assert repo.branch.startswith("llm_task_")


def test_outside_git_or_without_a_commit_or_a_branch_nothing_is_begun(tmp_path: Path) -> None:
    bare = World(tmp_path / "bare", with_git=False)
    bare.root.mkdir()
    empty = make_repo(tmp_path / "empty", commit=False)
    loose = make_repo(tmp_path / "loose")
    loose.git("switch", "--quiet", "--detach")
    for world, key, word in [
        (bare, "no_git_repository", ""),
        (World(empty.root), "branch_setup_failed", "commit"),
        (World(loose.root), "branch_setup_failed", "detached"),
    ]:
        service = world.service()
        with pytest.raises(ContractViolation) as caught:
            service.start("MODIFY", "x")
        assert caught.value.key.endswith(key)
        assert word in str(caught.value.values)
        assert not (world.root / ".code-intel").exists(), "a refused start leaves nothing behind"
        assert not service.lock.held


@pytest.mark.parametrize("flags", [{"only_explore": True}, {"only_verify": True}])
def test_without_a_commit_or_a_branch_one_can_still_look(tmp_path: Path, flags: dict[str, object]) -> None:
    for name, prepare in [("empty", False), ("loose", True)]:
        repo = make_repo(tmp_path / name, commit=prepare)
        if prepare:
            repo.git("switch", "--quiet", "--detach")
        driver = Driver(World(repo.root).service(), repo)
        driver.start(**flags)
        assert driver.finish()["outcome"] == ("unverified" if "only_verify" in flags else "answered")


def test_quick_works_on_a_detached_head(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "loose")
    repo.git("switch", "--quiet", "--detach")
    driver = Driver(World(repo.root).service(), repo)
    driver.start(quick=True)
    assert driver.finish()["outcome"] == "unverified"


def test_the_servers_own_folder_never_shows_in_git(driver: Driver, repo: Repo) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    assert repo.status() == []
    crashed(driver.service)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_users_file_whose_name_is_no_unicode_stays_the_users_after_a_crash(
    driver: Driver, repo: Repo, world: World
) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (repo.root / name).write_text("mine\n", encoding="utf-8")
    driver.start()
    dirty = driver.state.dirty_at_start
    assert name in dirty
    driver.until(Key.READY_PLAN)
    crashed(driver.service)
    driver.service = world.service()
    driver.service.status()
    assert driver.state.dirty_at_start == dirty
    end = driver.finish()
    assert repo.git("show", "--name-only", "--format=", f"{end['commit']}^2").split() == [MODULE]
    assert (repo.root / name).read_text(encoding="utf-8") == "mine\n"
    assert repo.status() == ['?? "caf\\351.txt"']
