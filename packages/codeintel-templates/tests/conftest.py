"""A project in a real git repository, and the ways tests look at it."""

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeintel_templates.copy import Plan, apply, plan

Tree = dict[str, bytes]


@pytest.fixture(autouse=True)
def _own_git_config(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A user's global ignore file or hooks must not decide what a test sees."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    """Run git in the project."""

    def run(*args: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        done = subprocess.run(
            ["git", *identity, *args], cwd=tmp_path, check=True, capture_output=True, encoding="utf-8"
        )
        return done.stdout

    return run


@pytest.fixture
def project(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A repository with one commit."""
    git("init", "-q")
    (tmp_path / "README.md").write_text("# A project\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "start")
    return tmp_path


@pytest.fixture
def commit(git: Callable[..., str]) -> Callable[[], None]:
    """Commit everything that is there."""

    def run() -> None:
        git("add", "-A")
        git("commit", "-qm", "more")

    return run


@pytest.fixture
def install(project: Path) -> Callable[..., Plan]:
    """Plan and apply an installation."""

    def run(**options: object) -> Plan:
        return apply(plan(project, **options))  # type: ignore[arg-type]

    return run


@pytest.fixture
def tree(project: Path) -> Callable[[], Tree]:
    """All files of the project but git's, with their bytes."""

    def run() -> Tree:
        files = (
            path for path in project.rglob("*") if path.is_file() and ".git" not in path.relative_to(project).parts
        )
        return {path.relative_to(project).as_posix(): path.read_bytes() for path in files}

    return run


@pytest.fixture
def kinds() -> Callable[[Plan], dict[str, str]]:
    """What a report says of each file."""
    return lambda report: {action.path: action.kind.value for action in report.actions}


@dataclass
class Dying:
    """Whether the disk ran full."""

    died: bool = False


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AbstractContextManager[Dying]]:
    """Let the disk run full after some files were replaced."""
    replace = Path.replace

    @contextmanager
    def run(after: int) -> Iterator[Dying]:
        state, left = Dying(), [after]

        def failing(self: Path, target: Path) -> Path:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
            return replace(self, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", failing)
            try:
                yield state
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                state.died = True

    return run
