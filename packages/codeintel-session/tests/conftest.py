"""One project a test: a real repository, fakes around it, services that come and go."""

import os
from pathlib import Path

import pytest

from codeintel_session.testing import Driver, Repo, World, make_repo, without_git_environment


@pytest.fixture(autouse=True)
def _own_git_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in without_git_environment():
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one module on main."""
    return make_repo(tmp_path / "my project")  # a space, because users have them


@pytest.fixture
def world(repo: Repo) -> World:
    """The project with its fakes."""
    return World(repo.root)


@pytest.fixture
def driver(world: World, repo: Repo) -> Driver:
    """An agent on a fresh service."""
    return Driver(world.service(), repo)
