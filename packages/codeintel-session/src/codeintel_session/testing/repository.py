"""A real git repository for a test, driven on the command line."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCE = "def count_all(values):\n    return len(values)\n"
MODULE = "src/stats.py"


@dataclass(frozen=True)
class Repo:
    """A real repository on disk, driven on the command line."""

    root: Path

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git and return what it printed."""
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout.rstrip("\n")

    def write(self, path: str, text: str) -> Path:
        """Write a file and return where it is."""
        here = self.root / path
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_text(text, encoding="utf-8")
        return here

    def read(self, path: str) -> str:
        """The text of a file."""
        return (self.root / path).read_text(encoding="utf-8")

    def commit(self, message: str = "work") -> str:
        """Commit everything and return the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branches(self) -> list[str]:
        """Local branches."""
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    @property
    def branch(self) -> str:
        """The branch HEAD stands on."""
        return self.git("branch", "--show-current")

    def status(self) -> list[str]:
        """`git status`, one line a path."""
        return [line for line in self.git("status", "--porcelain", "-uall").splitlines() if line]

    def hook(self, name: str, body: str) -> Path:
        """Install a hook."""
        here = self.write(f".git/hooks/{name}", "#!/bin/sh\n" + body)
        here.chmod(0o755)
        return here


def make_repo(root: Path, files: Mapping[str, str] | None = None, *, commit: bool = True) -> Repo:
    """A repository on branch main; `files` is one module unless told, committed unless told."""
    root.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", "--template=", "-b", "main", str(root)], check=True)
    repo = Repo(root)
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org", "commit.gpgSign": "false"}.items():
        repo.git("config", key, value)
    for path, text in (files if files is not None else {MODULE: SOURCE}).items():
        repo.write(path, text)
    if commit:
        repo.commit("First")
    return repo


def without_git_environment() -> Iterable[str]:
    """Names of variables a test must take away, so that no configuration of the machine reaches it."""
    return [name for name in os.environ if name.startswith("GIT_")]
