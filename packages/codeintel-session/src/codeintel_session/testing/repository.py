"""A real git repository for a test, operated on the command line."""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = "def count_all(values):\n    return len(values)\n"
MODULE = "src/stats.py"


@dataclass(frozen=True)
class Repo:
    """A real repository on disk, operated on the command line."""

    root: Path

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git and return its output."""
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout.rstrip("\n")

    def write(self, path: str, text: str) -> Path:
        """Write a file and return its path."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def read(self, path: str) -> str:
        """Return the text of a file."""
        return (self.root / path).read_text(encoding="utf-8")

    def commit(self, message: str = "work") -> str:
        """Commit everything and return the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branches(self) -> list[str]:
        """List the local branches."""
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    @property
    def branch(self) -> str:
        """The branch that is checked out."""
        return self.git("branch", "--show-current")

    def status(self) -> list[str]:
        """Return the lines of `git status`, one for each path."""
        return [line for line in self.git("status", "--porcelain", "-uall").splitlines() if line]

    def hook(self, name: str, body: str) -> Path:
        """Install a hook and return its path."""
        file = self.write(f".git/hooks/{name}", "#!/bin/sh\n" + body)
        file.chmod(0o755)
        return file


def make_repo(root: Path, files: Mapping[str, str] | None = None, *, commit: bool = True) -> Repo:
    """Create a repository on branch main, by default with one module, committed; what is in `root` belongs to it."""
    wanted = {MODULE: SOURCE} if files is None else files
    root.mkdir(parents=True, exist_ok=True)
    is_new = not any(root.iterdir())
    template = _template(tuple(wanted.items()), commit) if is_new else _blank()
    shutil.copytree(template, root, dirs_exist_ok=True)
    repo = Repo(root)
    if is_new:
        repo.git("update-index", "-q", "--refresh")  # a copy has other inodes and times than its index says
        return repo
    for path, text in wanted.items():
        repo.write(path, text)
    if commit:
        repo.commit("First")
    return repo


@cache
def _template(files: tuple[tuple[str, str], ...], commit: bool) -> Path:
    """A repository to copy, which costs one process in place of four."""
    repo = Repo(_folder())
    shutil.copytree(_blank(), repo.root, dirs_exist_ok=True)
    for path, text in files:
        repo.write(path, text)
    if commit:
        repo.commit("First")
    return repo.root


@cache
def _blank() -> Path:
    """A repository without a commit."""
    repo = Repo(_folder())
    repo.git("init", "--quiet", "--template=", "-b", "main")
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org", "commit.gpgSign": "false"}.items():
        repo.git("config", key, value)
    return repo.root


def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="codeintel-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    return Path(folder.name)


def without_git_environment() -> Iterable[str]:
    """Return the variables that a test must remove, so that no git configuration of the machine affects it."""
    return [name for name in os.environ if name.startswith("GIT_")]
