"""Old task branches: what was done about them before a crash is not done again, and is not lost."""

import pytest

from codeintel_session.testing import Driver, Repo, World, crashed

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
