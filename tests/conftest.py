"""Fixtures across packages: a real git repository, and servers as real subprocesses on it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = '''"""Numbers."""


def count_all(values):
    """How many there are."""
    return len(values)


def report(values):
    return f"{count_all(values)} numbers"
'''
TEST = """from stats import count_all


def test_it_counts():
    assert count_all([1, 2]) == 2
"""


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
    """Run git in a folder; returns what it printed, whole lines kept."""

    def run(root: Path, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
        return done.stdout.rstrip("\n")

    return run


@pytest.fixture
def repo(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A repository with a module, its test and a document, one commit on main."""
    root = tmp_path / "my project"  # a space, because users have them
    (root / "src").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "docs").mkdir()
    (root / "src" / "stats.py").write_text(SOURCE, encoding="utf-8")
    (root / "tests" / "test_stats.py").write_text(TEST, encoding="utf-8")
    (root / "docs" / "numbers.md").write_text("# Numbers\n\n- Empty lists are not an error.\n", encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch", "main")
    for key, value in {"user.name": "A User", "user.email": "user@example.invalid"}.items():
        git(root, "config", key, value)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "First")
    return root
