"""A real repository and a server on it, in one process."""

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from codeintel_server.testing import Caller, in_memory

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
    """No configuration of the machine reaches a test, and none of a test reaches the machine."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "CODEINTEL_", "CLAUDE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder; returns what it printed."""

    def run(root: Path, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
        return done.stdout.rstrip("\n")

    return run


@pytest.fixture
def repo(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A repository with one module, one commit on main."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "stats.py").write_text(SOURCE, encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "config", "user.name", "A User")
    git(root, "config", "user.email", "user@example.invalid")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "First")
    return root


@pytest.fixture
async def call(repo: Path, anyio_backend: str) -> AsyncIterator[Caller]:
    """Call tools of a server on the repository."""
    async with in_memory(repo) as caller:
        yield caller
