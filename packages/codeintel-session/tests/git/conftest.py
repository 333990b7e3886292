"""A real repository per test, independent of whatever git configuration the machine has."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeintel_session.git import GitRepository

SESSION = "20261121_101112_ab12"


@dataclass
class Sandbox:
    """A repository on disk, git on the command line, and the adapter under test."""

    root: Path

    @property
    def repo(self) -> GitRepository:
        return GitRepository.discover(self.root)

    def git(self, *args: str, ok: bool = True) -> str:
        done = subprocess.run(["git", *args], cwd=self.root, capture_output=True, check=False)
        assert done.returncode == 0 or not ok, done.stderr.decode()
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, path: str, text: str | bytes) -> Path:
        here = self.root / path
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_bytes(text.encode() if isinstance(text, str) else text)
        return here

    def commit(self, message: str = "work", **files: str) -> str:
        for name, text in files.items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.head()

    def head(self, name: str = "HEAD") -> str:
        return self.git("rev-parse", name)

    def show(self, path: str, commit: str = "HEAD") -> str:
        return self.git("show", f"{commit}:{path}")

    def status(self) -> list[str]:
        return [line for line in self.git("status", "--porcelain", "-uall").splitlines() if line]

    def hook(self, name: str, body: str) -> None:
        here = self.write(f".git/hooks/{name}", "#!/bin/sh\n" + body)
        here.chmod(0o755)

    def index_bytes(self) -> bytes:
        return (self.root / ".git/index").read_bytes()


@pytest.fixture(autouse=True)
def _own_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty repository to copy: cheaper than making one per test."""
    root = tmp_path_factory.mktemp("blank") / "repo"
    subprocess.run(["git", "init", "-q", "--template=", "-b", "main", str(root)], check=True)
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org", "commit.gpgSign": "false"}.items():
        subprocess.run(["git", "config", key, value], cwd=root, check=True)
    return root


@pytest.fixture
def empty(blank: Path, tmp_path: Path) -> Sandbox:
    """A repository without a commit."""
    root = tmp_path / "work tree"
    shutil.copytree(blank, root)
    return Sandbox(root)


@pytest.fixture
def box(empty: Sandbox) -> Sandbox:
    """A repository with one commit on main."""
    empty.write("a.py", "one\ntwo\nthree\nfour\n")
    empty.write("b.py", "b\n")
    empty.write("src/c.py", "c\n")
    empty.commit("start")
    return empty


@pytest.fixture
def session() -> str:
    return SESSION


@pytest.fixture
def new_box(blank: Path, tmp_path: Path):
    """Make further repositories: one per example of a property test, or one beside the first."""

    def make(name: str) -> Sandbox:
        root = tmp_path / name
        shutil.copytree(blank, root)
        return Sandbox(root)

    return make


@pytest.fixture
def with_module(box: Sandbox, new_box) -> Sandbox:
    """A repository with a submodule at `sub`."""
    inner = new_box("inner")
    inner.commit(**{"lib.py": "1\n"})
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub"],
        cwd=box.root,
        check=True,
        capture_output=True,
    )
    box.commit()
    return box


@pytest.fixture(scope="session")
def sandbox() -> type[Sandbox]:
    """The class itself, for tests that make their repositories in a loop."""
    return Sandbox
