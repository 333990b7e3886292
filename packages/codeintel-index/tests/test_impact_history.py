"""What changed together before is told, with how often, and comes first."""

from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import git, make_repo, write_files

pytestmark = pytest.mark.draws(18)

FILES = {
    "core.py": "def load_lines(): ...\n",
    "a_user.py": "from core import load_lines\n",
    "z_user.py": "from core import load_lines\n",
    "wire.js": "var x = 1;\n",
    "alone.py": "y = 1\n",
}


def commit(root: Path, *paths: str) -> None:
    """A commit that changes these files."""
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("a", encoding="utf-8") as file:
            file.write("\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "more")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Five files that began together."""
    return make_repo(tmp_path / "project", FILES)


def told(root: Path, target: str) -> list[tuple[str, str]]:
    with Index.open(root) as index:
        return [(i.path, i.note) for i in index.impact([target]).likely_to_change if i.reason == "history"]


def test_files_that_changed_together_are_told_with_how_often(project: Path) -> None:
    for paths in (("core.py", "wire.js"), ("core.py", "wire.js"), ("core.py", "z_user.py"), ("alone.py", "wire.js")):
        commit(project, *paths)
    assert ("wire.js", "changed together 3 of 4 times") in told(project, "core.py")


def test_once_together_of_many_times_tells_nothing(project: Path) -> None:
    for _ in range(15):
        commit(project, "core.py", "wire.js")
    assert [path for path, _ in told(project, "core.py")] == ["wire.js"]


def test_a_commit_of_two_files_tells_more_than_one_of_many(project: Path) -> None:
    commit(project, "core.py", "alone.py")
    commit(project, "core.py", *(f"many_{number}.js" for number in range(8)))
    first, *others = told(project, "core.py")
    assert first == ("alone.py", "changed together 2 of 3 times")
    assert ("many_0.js", "changed together 1 of 3 times") in others


def test_what_was_moved_keeps_its_history(project: Path) -> None:
    for _ in range(2):
        commit(project, "core.py", "wire.js")
    for old, new in (("core.py", "lib/middle.py"), ("wire.js", "web/wire.js")):
        (project / new).parent.mkdir()
        git(project, "mv", old, new)
        git(project, "commit", "--quiet", "--message", "moved")
    assert ("web/wire.js", "changed together 3 of 3 times") in told(project, "lib/middle.py")


def test_commits_of_very_many_files_tell_nothing(project: Path) -> None:
    for _ in range(3):
        commit(project, "core.py", "wire.js", *(f"many/{number}.txt" for number in range(40)))
    assert ("wire.js", "changed together 1 of 1 times") in told(project, "core.py")


def test_a_file_that_is_gone_is_not_told(project: Path) -> None:
    for _ in range(3):
        commit(project, "core.py", "wire.js")
    git(project, "rm", "--quiet", "wire.js")
    git(project, "commit", "--quiet", "--message", "gone")
    assert "wire.js" not in [path for path, _ in told(project, "core.py")]


def test_of_the_files_to_verify_those_that_changed_together_come_first(project: Path) -> None:
    for _ in range(2):
        commit(project, "core.py", "z_user.py")
    with Index.open(project) as index:
        assert [item.path for item in index.impact(["core.py"]).must_verify] == ["z_user.py", "a_user.py"]


def test_a_new_commit_counts_at_once(project: Path) -> None:
    commit(project, "core.py", "alone.py")
    assert told(project, "core.py")[0] == ("alone.py", "changed together 2 of 2 times")
    commit(project, "core.py", "wire.js")
    assert ("wire.js", "changed together 2 of 3 times") in told(project, "core.py")


def test_a_project_in_a_folder_of_the_repository_has_its_own_paths(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "outer", {f"inner/{path}": text for path, text in FILES.items()})
    commit(root, "inner/core.py", "inner/wire.js")
    assert told(root / "inner", "core.py")[0] == ("wire.js", "changed together 2 of 2 times")


def test_without_git_there_is_no_history(tmp_path: Path) -> None:
    write_files(tmp_path / "plain", FILES)
    assert told(tmp_path / "plain", "core.py") == []


def test_without_a_commit_there_is_no_history(tmp_path: Path) -> None:
    assert told(make_repo(tmp_path / "fresh", FILES, commit=False), "core.py") == []
