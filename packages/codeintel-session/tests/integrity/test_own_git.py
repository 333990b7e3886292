"""What the agent (or anybody) does with git on its own during a session neither smuggles anything in nor loses any.

Each is played twice: with the server alive, and with one that was killed and came back.
"""

from collections.abc import Callable

import pytest

from codeintel_contract.names import Key
from codeintel_session.testing import MODULE, Driver, Repo, World, crashed
from codeintel_session.tools.session_tools import add_explored_files

pytestmark = pytest.mark.draws(18)

Reborn = Callable[[], None]


@pytest.fixture(params=["alive", "restarted"])
def reborn(request: pytest.FixtureRequest, driver: Driver, world: World) -> Reborn:
    """Call it where the server may die: in one of the two runs it does."""

    def restart() -> None:
        if request.param == "restarted":
            crashed(driver.service)
            driver.service = world.service()
            driver.service.status()

    return restart


def trailer(driver: Driver) -> str:
    return f"\n\nCode-Intel-Session: {driver.state.session_id}"


def merged(repo: Repo) -> list[str]:
    return repo.git("ls-tree", "-r", "--name-only", "main").split()


@pytest.mark.sample
@pytest.mark.parametrize("forged", [False, True])
def test_a_commit_of_the_agents_own_is_reviewed_and_counts(
    driver: Driver, repo: Repo, reborn: Reborn, forged: bool
) -> None:
    driver.start()
    driver.until(Key.POST_IMPL_VERIFY)
    repo.commit("My own" + (trailer(driver) if forged else ""))
    reborn()
    driver.until(Key.PRE_COMMIT)
    driver.see("review_changes")
    refused = driver.submit(reviewed_files=[])
    assert refused["problems"] == [f"reviewed_files: {MODULE} is missing"]
    assert driver.finish()["outcome"] == "unverified"
    assert "more_1" in repo.read(MODULE)
    assert (repo.branch, repo.status()) == ("main", [])


@pytest.mark.sample
@pytest.mark.parametrize(
    ("key", "forged"), [(Key.READY_COMPLETE, False), (Key.PRE_COMMIT, True), (Key.QUALITY_REVIEW, True)]
)
def test_a_file_nobody_explored_is_found_though_the_agent_committed_it(
    driver: Driver, repo: Repo, reborn: Reborn, key: Key, forged: bool
) -> None:
    driver.start()
    driver.until(key)
    repo.write("src/evil.py", "x = 1\n")
    repo.commit("Sneak" + (trailer(driver) if forged else ""))
    reborn()
    changes = {"reviewed_files": [MODULE, "src/evil.py"]} if key is Key.PRE_COMMIT else {}
    reply = driver.accept(**changes)
    assert any("src/evil.py" in line for line in reply["notices"])
    assert driver.finish()["outcome"] == "unverified"
    assert "src/evil.py" not in merged(repo), "written while the phase forbade it, so it is not the session's"


@pytest.mark.sample
@pytest.mark.parametrize("forged", [False, True])
def test_a_file_committed_and_then_removed_from_the_tree_is_not_merged(
    driver: Driver, repo: Repo, reborn: Reborn, forged: bool
) -> None:
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.write("src/evil.py", "x = 1\n")
    repo.commit("Sneak" + (trailer(driver) if forged else ""))
    (repo.root / "src/evil.py").unlink()
    reborn()
    driver.see("review_changes")
    assert "reviewed_files: src/evil.py is missing" in driver.submit(reviewed_files=[MODULE])["problems"]
    assert driver.finish()["outcome"] == "unverified"
    assert "src/evil.py" not in merged(repo)


@pytest.mark.sample
def test_the_users_uncommitted_work_that_an_agent_committed_is_taken_out_and_stays_in_the_tree(
    driver: Driver, repo: Repo, reborn: Reborn
) -> None:
    repo.write("notes.txt", "one\n")
    repo.commit()
    repo.write("notes.txt", "mine, not done\n")
    repo.write("draft.txt", "mine too\n")
    driver.start()
    driver.until(Key.PRE_COMMIT)
    repo.commit("All of it")
    reborn()
    reply = driver.accept()
    assert "draft.txt, notes.txt" in reply["warning"]
    assert driver.finish()["outcome"] == "unverified"
    assert (repo.read("notes.txt"), repo.read("draft.txt")) == ("mine, not done\n", "mine too\n")
    assert repo.git("show", "main:notes.txt") == "one"
    assert "draft.txt" not in merged(repo)
    assert repo.status() == [" M notes.txt", "?? draft.txt"]


@pytest.mark.sample
def test_what_is_committed_after_the_review_is_not_merged_unexplored(
    driver: Driver, repo: Repo, reborn: Reborn
) -> None:
    driver.start()
    driver.until(Key.MERGE)
    repo.write("src/evil.py", "x = 1\n")
    repo.commit("Late")
    reborn()
    refused = driver.submit()
    assert refused["error"] == "unexplored_changes"
    assert "Late" in refused["message"]
    assert "src/evil.py" not in merged(repo)
    add_explored_files(driver.service, ["src/evil.py"])
    reply = driver.accept()
    assert (reply["phase"], "src/evil.py" in reply["warning"]) == ("READY", True)
    assert "src/evil.py" not in merged(repo)
    first, *rest = driver.payload()["checklist"]
    driver.accept(checklist=[{**first, "evidence": [first["evidence"], "src/evil.py:1"]}, *rest])
    assert driver.finish()["outcome"] == "unverified"
    assert "src/evil.py" in merged(repo)


def test_what_a_hook_adds_to_the_sessions_commit_is_taken_out_or_not_merged(driver: Driver, repo: Repo) -> None:
    def commit_with_hook(**flags: bool) -> None:
        driver.start(**flags)
        driver.until(Key.PRE_COMMIT)
        hook = repo.hook("pre-commit", "echo 1 > src/evil.py; git add src/evil.py; rm src/evil.py\n")
        driver.accept()
        hook.unlink()

    commit_with_hook()
    assert driver.finish()["outcome"] == "unverified", "the review finds it, and commits without it"
    assert "src/evil.py" not in merged(repo)
    commit_with_hook(fast=True)
    refused = driver.submit()
    assert (refused["error"], "src/evil.py" in refused["message"]) == ("unexplored_changes", True)
    assert "src/evil.py" not in merged(repo)


@pytest.mark.parametrize("how", ["replace", "graft"])
def test_history_that_git_was_told_to_see_otherwise_is_seen_as_it_is(driver: Driver, repo: Repo, how: str) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    base = repo.git("rev-parse", "HEAD")
    repo.write("src/evil.py", "x = 1\n")
    repo.git("add", "src/evil.py")
    fake = repo.git("commit-tree", repo.git("write-tree"), "-m", "As if it had always been there")
    if how == "replace":
        repo.git("replace", base, fake)
    else:
        repo.write(".git/info/grafts", f"{base} {fake}\n")
    assert driver.submit()["problems"] == ["src/evil.py: added but not planned"]


@pytest.mark.sample
@pytest.mark.parametrize(
    "command",
    [
        ["reset", "--quiet", "--hard", "main"],
        ["reset", "--quiet", "--soft", "main"],
        ["revert", "--no-edit", "HEAD"],
        ["branch", "--quiet", "-f", "{task}", "main"],
    ],
)
def test_work_that_was_taken_off_the_branch_is_missed_and_can_be_brought_back(
    driver: Driver, repo: Repo, command: list[str]
) -> None:
    driver.start()
    driver.until(Key.MERGE)
    task, reviewed = repo.branch, repo.git("rev-parse", "HEAD")
    if command[0] == "branch":
        repo.git("switch", "--quiet", "--detach")
    repo.git(*(word.format(task=task) for word in command))
    if command[0] == "branch":
        repo.git("switch", "--quiet", task)
    refused = driver.submit()
    assert (refused["error"], refused["requires_user_intervention"]) == ("branch_rewritten", True)
    assert reviewed[:12] in refused["message"]
    repo.git("reset", "--quiet", "--hard", reviewed)
    assert driver.finish()["outcome"] == "unverified"
    assert "more_1" in repo.git("show", f"main:{MODULE}")


@pytest.mark.sample
def test_a_branch_that_was_deleted_is_noticed_and_its_work_is_in_the_trash(
    driver: Driver, repo: Repo, reborn: Reborn
) -> None:
    driver.start()
    driver.until(Key.MERGE)
    task, tip = repo.branch, repo.git("rev-parse", "HEAD")
    repo.git("switch", "--quiet", "main")
    repo.git("branch", "-D", task)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")
    reborn()
    refused = driver.submit()
    assert refused["error"] == "branch_manager_not_found"
    kept = f"refs/codeintel/trash/{task}"
    assert kept in str(refused["notices"])
    assert repo.git("rev-parse", kept) == tip
    repo.git("switch", "--quiet", "-c", task, tip)
    assert driver.finish()["outcome"] == "unverified"
    assert repo.git("for-each-ref", "refs/codeintel/tips") == ""


@pytest.mark.sample
def test_history_that_was_rewritten_is_said_and_the_old_one_kept(driver: Driver, repo: Repo, reborn: Reborn) -> None:
    driver.start()
    driver.until(Key.QUALITY_REVIEW)
    task, before = repo.branch, repo.git("rev-parse", "HEAD")
    repo.git("commit", "--quiet", "--amend", "-m", "My words")
    reborn()
    reply = driver.accept()
    assert f"refs/codeintel/trash/{task}" in str(reply["notices"])
    assert repo.git("rev-parse", f"refs/codeintel/trash/{task}") == before
    assert driver.finish()["outcome"] == "unverified", "words may be mended"
    assert "more_1" in repo.git("show", f"main:{MODULE}")


@pytest.mark.sample
def test_a_merge_that_the_agent_made_itself_is_not_taken_for_the_sessions(
    driver: Driver, repo: Repo, reborn: Reborn
) -> None:
    driver.start()
    driver.until(Key.MERGE)
    task = repo.branch
    repo.git("switch", "--quiet", "main")
    repo.write("src/evil.py", "x = 1\n")
    repo.commit("As if merged" + trailer(driver))
    reborn()
    assert driver.submit()["error"] == "branch_manager_not_found"
    repo.git("switch", "--quiet", task)
    end = driver.finish()
    assert end["outcome"] == "unverified"
    assert "more_1" in repo.git("show", f"main:{MODULE}")


def test_a_base_that_was_amended_brings_nothing_unexplored_in(driver: Driver, repo: Repo, reborn: Reborn) -> None:
    repo.write("other.py", "x = 1\n")
    repo.commit("Second")
    driver.start()
    driver.until(Key.READY_IMPL)
    repo.write("other.py", "x = 'evil'\n")
    repo.git("add", "other.py")
    repo.git("commit", "--quiet", "--amend", "--no-edit")
    reborn()
    assert driver.submit()["problems"] == ["other.py: changed but not explored"]


@pytest.mark.sample
def test_another_branch_is_named_where_the_agent_submits_from_it(driver: Driver, repo: Repo, reborn: Reborn) -> None:
    driver.start()
    driver.until(Key.READY_IMPL)
    task = repo.branch
    repo.git("switch", "--quiet", "-c", "elsewhere")
    reborn()
    reply = driver.accept()
    assert any(task in line and "elsewhere" in line for line in reply["notices"])
    again = driver.accept()
    assert not any("elsewhere" in line for line in again.get("notices", ())), "said once"
    repo.git("switch", "--quiet", task)
    assert driver.finish()["outcome"] == "unverified"


@pytest.mark.sample
@pytest.mark.parametrize(
    ("way", "key"),
    [("merge", Key.READY_IMPL), ("rebase", Key.PRE_COMMIT), ("merge", Key.MERGE), ("rebase", Key.MERGE)],
)
def test_what_came_into_the_base_is_followed_and_is_no_change_of_the_session(
    driver: Driver, repo: Repo, way: str, key: Key
) -> None:
    driver.start()
    driver.until(key)
    task = repo.branch
    repo.git("stash", "--quiet")
    repo.git("switch", "--quiet", "main")
    repo.write("theirs.py", "x = 1\n")
    repo.commit("Theirs")
    repo.git("switch", "--quiet", task)
    repo.git(way, "--quiet", "main")
    repo.git("stash", "pop", "--quiet", check=False)
    reply = driver.accept()
    assert any("Theirs" in line for line in reply["notices"])
    if key is Key.MERGE:
        assert (reply["phase"], "theirs.py" in reply["warning"]) == ("POST_IMPL_VERIFY", True)
    assert driver.finish()["outcome"] == "unverified"
    assert {"theirs.py", MODULE} <= set(merged(repo))
    assert "more_1" in repo.git("show", f"main:{MODULE}")


@pytest.mark.sample
@pytest.mark.parametrize("name", ["post-checkout", "reference-transaction"])
def test_a_hook_that_writes_during_the_merge_is_named_in_the_outcome(driver: Driver, repo: Repo, name: str) -> None:
    """The commit is what was verified; the files beside it are not."""
    repo.write("mine.txt", "not committed\n")
    driver.start()
    driver.until(Key.MERGE)
    repo.hook(name, f"echo 'wrong = 1' >> '{repo.root / MODULE}'\n")
    reply = driver.submit()
    assert f"not as they were merged: {MODULE}." in reply["message"]
    assert f".git/hooks/{name}" in str(reply["notices"])
    assert "wrong" not in repo.git("show", f"main:{MODULE}")


def test_what_the_user_left_uncommitted_is_no_change_during_the_merge(driver: Driver, repo: Repo) -> None:
    repo.write("mine.txt", "not committed\n")
    driver.start()
    driver.until(Key.MERGE)
    repo.git("branch", "aside", "main")
    repo.write("mine.txt", "not committed, and more\n")
    assert "not as they were merged" not in driver.submit()["message"]


@pytest.mark.parametrize("packed", [False, True])
def test_an_object_that_git_replace_shows_otherwise_is_named_and_the_merge_has_the_real_one(
    driver: Driver, repo: Repo, packed: bool
) -> None:
    driver.start()
    driver.until(Key.QUALITY_REVIEW)
    reviewed = repo.git("rev-parse", f"HEAD:{MODULE}")
    other = repo.git("hash-object", "-w", repo.write("other.txt", "wrong = 1\n").as_posix())
    (repo.root / "other.txt").unlink()
    repo.git("replace", reviewed, other)
    if packed:
        repo.git("pack-refs", "--all")
    reply = driver.submit()
    assert f".git/refs/replace/{reviewed}" in str(reply["notices"])
    assert driver.finish()["success"]
    assert "wrong" not in repo.read(MODULE)


def test_hooks_in_a_folder_that_git_ignores_are_watched(driver: Driver, repo: Repo) -> None:
    repo.write(".husky/_/pre-commit", "#!/bin/sh\nexit 0\n")
    repo.write(".husky/_/.gitignore", "*\n")
    repo.git("config", "core.hooksPath", ".husky/_")
    driver.start()
    driver.until(Key.READY_COMPLETE)
    repo.write(".husky/_/pre-commit", "#!/bin/sh\n:\n")
    assert ".husky/_/pre-commit" in str(driver.accept()["notices"])
