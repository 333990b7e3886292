"""A process that dies inside an effect: the same submission finishes what was left, in git's index too."""

from typing import Any

import pytest

from codeintel_contract.names import Key
from codeintel_session.git import commit, merge
from codeintel_session.testing import Driver, Repo, World, crashed


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours gets to run after it."""


def killed(*_: Any, **__: Any) -> None:
    raise Killed


def die_in(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, driver: Driver) -> None:
    """Submit, and die where `module.name` would be called."""
    with monkeypatch.context() as patch:
        patch.setattr(module, name, killed)
        with pytest.raises(Killed):
            driver.submit()
    crashed(driver.service)


def test_a_commit_cut_off_before_the_index_was_set_leaves_a_clean_tree_in_the_end(
    world: World, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Driver(world.service(), repo)
    driver.start()
    driver.until(Key.PRE_COMMIT)  # the only step that commits (ADR 26)
    die_in(monkeypatch, commit, "set_entries", driver)
    assert repo.status() != [], "the kill must fall between the commit and the index"
    again = Driver(world.service(), repo)
    again.service.status()
    end = again.finish()
    assert end["outcome"] == "unverified"
    assert repo.status() == []


@pytest.mark.sample
@pytest.mark.parametrize("name", ["_move_base", "switch", "delete"])
def test_a_merge_cut_off_anywhere_is_finished_by_the_same_submission(
    world: World, repo: Repo, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    driver = Driver(world.service(), repo)
    driver.start()
    driver.until(Key.MERGE)
    die_in(monkeypatch, merge, name, driver)
    again = Driver(world.service(), repo)
    again.service.status()
    assert again.finish()["outcome"] == "unverified"
    assert (repo.status(), repo.branches()) == ([], ["main"])
    assert repo.git("log", "--format=%s", "--merges").count("Merge llm_task_") == 1
