"""Old task branches: what was done about them before a crash is not done again, and is not lost."""

import pytest

from codeintel_contract import Key
from codeintel_session.testing import QUERY, Driver, Repo, World, crashed
from codeintel_session.tools.session_tools import record_outcome

pytestmark = pytest.mark.draws(18)

STALE = "llm_task_20261120_090000_beef_from_main"


@pytest.fixture
def stale(world: World, repo: Repo) -> Repo:
    """The repository with a task branch of an earlier session, HEAD on it; the user decides about it."""
    world.words.type("Delete or merge the branch, as you said.")
    repo.git("switch", "--quiet", "-c", STALE)
    repo.git("config", f"branch.{STALE}.codeintel-base", "main")
    repo.write("src/earlier.py", "earlier = True\n")
    repo.commit("Earlier")
    return repo


@pytest.mark.parametrize("way", ["abandoned", "discarded"])
@pytest.mark.parametrize("choice", ["delete", "merge"])
def test_a_session_that_never_reached_its_end_leaves_a_branch_that_stays_until_the_user_decides(
    driver: Driver, world: World, repo: Repo, way: str, choice: str
) -> None:
    driver.start(fast=True)
    driver.until(Key.MERGE)
    branch = driver.state.branch
    if way == "abandoned":
        record_outcome(driver.service, "abandoned", "", "Begun again.")
    repo.git("switch", "--quiet", "main")
    driver.service.start("MODIFY", QUERY, {"fast": True}, discard_active=True)
    assert "codeintel decide" in driver.accept(choice=choice)["warning"]
    assert repo.branches() == [branch, "main"]
    record_outcome(driver.service, "abandoned", "", "")
    world.words.type(f"{choice} the branch")
    driver.start(fast=True)
    driver.accept(choice=choice)
    assert repo.branches() == ["main"]
    said = str(driver.finish())
    assert ("an earlier session that was not finished were merged, as the user decided" in said) is (choice == "merge")
    assert (f"not finished were deleted, as the user decided: {branch}." in said) is (choice == "delete")


def test_of_branches_without_commits_nothing_is_said(driver: Driver, repo: Repo) -> None:
    repo.git("branch", STALE)
    driver.choice = "delete"
    driver.start(fast=True)
    assert "of an earlier session" not in (said := str(driver.finish()))
    assert "of earlier sessions" not in said


class Killed(BaseException):
    """Stands for SIGKILL."""


@pytest.mark.sample
@pytest.mark.parametrize("choice", ["delete", "merge"])
def test_a_choice_cut_off_before_its_checkpoint_is_finished_by_the_same_payload(
    driver: Driver, world: World, stale: Repo, monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    driver.choice = choice
    driver.start()
    payload = driver.payload()

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(driver.service.records.store, "save", die)
        with pytest.raises(Killed):
            driver.service.submit(payload)
    crashed(driver.service)
    assert stale.branches() == ["main"], "the kill must fall between the effect and the checkpoint"
    merges = stale.git("rev-list", "--count", "main")
    driver.service = world.service()
    assert driver.service.status()["phase"] == "BRANCH_INTERVENTION"
    assert driver.service.submit(payload)["phase"] == "QUERY_FRAME"
    assert stale.git("rev-list", "--count", "main") == merges
    assert driver.state.base_commit == stale.git("rev-parse", "main")
    assert driver.finish()["outcome"] == "unverified"
    kept = "src/earlier.py" in stale.git("ls-tree", "-r", "--name-only", "main")
    trash = stale.git("for-each-ref", "--format=%(refname)", "refs/codeintel/trash")
    assert (kept, STALE in trash) == (choice == "merge", choice == "delete")
