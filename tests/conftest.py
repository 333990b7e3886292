"""Fixtures across packages: a real git repository, and git to look at it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.testing import own_world
from codeintel_session.testing import Repo, make_repo

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
FILES = {
    "src/stats.py": SOURCE,
    "tests/test_stats.py": TEST,
    "docs/numbers.md": "# Numbers\n\n- Empty lists are not an error.\n",
}


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    own_world(monkeypatch, tmp_path_factory.mktemp("state"))


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder; returns what it printed, whole lines kept."""
    return lambda root, *arguments: Repo(root).git(*arguments)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a module, its test and a document, one commit on main."""
    return make_repo(tmp_path / "my project", FILES).root  # a space, because users have them
