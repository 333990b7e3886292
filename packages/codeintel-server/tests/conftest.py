"""A real repository and a server on it, in one process."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from codeintel_server.demo.change import Change
from codeintel_server.demo.stage import find_change
from codeintel_server.testing import Caller, in_memory, own_world
from codeintel_session.testing import Repo, make_repo

SOURCE = '''"""Numbers."""


def count_all(values):
    """How many there are."""
    return len(values)


def report(values):
    return f"{count_all(values)} numbers"
'''


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    own_world(monkeypatch, tmp_path_factory.mktemp("state"))


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder; returns what it printed."""
    return lambda root, *arguments: Repo(root).git(*arguments)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one module, one commit on main."""
    return make_repo(tmp_path / "project", {"src/stats.py": SOURCE}).root


@pytest.fixture
async def call(repo: Path, anyio_backend: str) -> AsyncIterator[Caller]:
    """Call tools of a server on the repository."""
    async with in_memory(repo) as caller:
        yield caller


@pytest.fixture
def change(repo: Path) -> Change:
    """A change that the scripted agent can make to the repository."""
    return find_change(repo)
