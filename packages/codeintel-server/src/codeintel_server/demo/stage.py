"""Setting the stage: a clone of the user's repository, codeintel put into it, a server as a subprocess."""

import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mcp import Client, StdioServerParameters

from codeintel_server.demo.change import NAMES, RECIPES, Change

if TYPE_CHECKING:
    from codeintel_index import Index

AUTHOR = {"user.name": "codeintel demo", "user.email": "demo@example.invalid", "commit.gpgsign": "false"}
FUNCTIONS = ("function", "method")
SKIP = ("test", "bench", "script", "example", "fixture", "vendor", "third_party", "generated", ".min.", ".d.ts")
MAX_LINES = 800


class NotPlayable(Exception):
    """The repository cannot be used for a demonstration, and why."""


def git(root: Path, *arguments: str) -> str:
    """Run git and return what it printed.

    Raises:
        NotPlayable: git failed; with its words.
    """
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotPlayable(f"git {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


@contextmanager
def clone_of(repo: Path, keep: bool) -> Iterator[Path]:
    """A clone of the repository in a temporary folder, codeintel installed and committed in it."""
    if not repo.is_dir():
        raise NotPlayable("it is no folder")
    top = Path(git(repo, "rev-parse", "--show-toplevel"))
    try:
        git(top, "rev-parse", "--verify", "HEAD")
    except NotPlayable:
        raise NotPlayable("it has no commit yet") from None
    with _folder(keep) as folder:
        root = Path(folder) / top.name
        git(top, "clone", "--quiet", "--local", "--no-hardlinks", "--", str(top), str(root))
        if not git(root, "branch", "--show-current"):
            git(root, "switch", "--quiet", "--create", "demo")
        for key, value in AUTHOR.items():
            git(root, "config", key, value)
        yield root


@contextmanager
def _folder(keep: bool) -> Iterator[str]:
    if keep:
        yield tempfile.mkdtemp(prefix="codeintel-demo-")
        return
    with tempfile.TemporaryDirectory(prefix="codeintel-demo-", ignore_cleanup_errors=True) as folder:
        yield folder


def install(root: Path) -> int:
    """`codeintel init` in the clone, committed as a user would; returns how many files it wrote, 0 if it was there."""
    from codeintel_templates import copy

    if (root / ".code-intel/manifest.json").is_file():
        return 0
    plan = copy.plan(root, clients=["claude"])
    copy.apply(plan)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--no-verify", "--message", "Set up codeintel")
    return len(plan.changes)


def find_change(root: Path) -> Change:
    """A source file with a function to build on, by the index itself.

    Raises:
        NotPlayable: no file in a language the demonstration can write.
    """
    from codeintel_index import Index

    with Index.open(root) as index:
        globs = ((recipe, glob) for recipe in RECIPES for glob in recipe.globs)
        for recipe, path in ((recipe, path) for recipe, glob in globs for path in _candidates(index, glob)):
            functions = [one for one in index.symbols(path) if one.kind in FUNCTIONS and not one.parent]
            if functions and index.structure(path).lines <= MAX_LINES:
                free = [found.pattern for found in index.grep(list(NAMES), fixed=True) if not found.total]
                return Change(root, path, functions[0].name, recipe, *free[:1])
    raise NotPlayable("it has no Python, TypeScript, JavaScript, Go, Rust or C file with a function in it")


def _candidates(index: "Index", glob: str) -> list[str]:
    """Files near the top first; tests and the like last of all, that is, not at all."""
    paths = [path for path in index.files(glob, limit=2000)[0] if not any(word in path.lower() for word in SKIP)]
    return sorted(paths, key=lambda path: (path.count("/"), path))


@asynccontextmanager
async def connected(root: Path, mode: Literal["auto", "legacy"] = "auto") -> AsyncIterator[Client]:
    """A client of a server subprocess on stdio: the SDK's own client, nothing of ours between."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "codeintel_server", "serve"], cwd=str(root), env=dict(os.environ)
    )
    async with Client(parameters, mode=mode) as client:
        yield client
