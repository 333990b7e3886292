"""Prepare the play: clone the user's repository, install codeintel in it, start a server as a subprocess."""

import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Literal
from unittest.mock import patch

from mcp import Client, StdioServerParameters

from codeintel_index import Index
from codeintel_server.demo.change import NAMES, PARAGRAPH, RECIPES, Change
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.roots import find_root, find_top
from codeintel_server.verification.trust import trust
from codeintel_session import GitProcess
from codeintel_templates import RECORD, apply, plan

AUTHOR = {"user.name": "codeintel demo", "user.email": "demo@example.invalid", "commit.gpgsign": "false"}
FUNCTIONS = ("function", "method")
SKIP = ("test", "bench", "script", "example", "fixture", "vendor", "third_party", "generated", ".min.", ".d.ts")
MAX_LINES = 800
NESTED = (".java", ".cs")
"""Files in which every function is a member of a type."""
CHECK = "codeintel_demo_check.py"
VERIFIER = "demo.md"


class NotPlayable(Exception):
    """Report why the repository cannot be used for a demonstration."""


def git(root: Path, *arguments: str) -> str:
    """Run git and return what it printed. Raises NotPlayable: git failed; the message has git's output."""
    done = GitProcess(root).attempt(*arguments)
    if done.status != 0:
        raise NotPlayable(f"git {arguments[0]}: {done.output}")
    return done.text.strip()


@contextmanager
def clone_of(repo: Path, keep: bool) -> Iterator[Path]:
    """Clone the repository into a temporary folder, ready for commits; yield the project's folder of the clone."""
    if not repo.is_dir():
        raise NotPlayable("it is not a folder")
    top = find_top(repo)
    if top is None:
        raise NotPlayable("it is in no git repository; name one: codeintel demo PATH")
    try:
        git(top, "rev-parse", "--verify", "HEAD")
    except NotPlayable:
        raise NotPlayable("it has no commit yet; make a first one") from None
    with _folder(keep) as folder:
        root, project = Path(folder) / top.name, find_root(repo).relative_to(top)
        git(top, "clone", "--quiet", "--local", "--no-hardlinks", "--", str(top), str(root))
        if not git(root, "branch", "--show-current"):
            git(root, "switch", "--quiet", "--create", "demo")
        for key, value in AUTHOR.items():
            git(root, "config", key, value)
        yield root / project


@contextmanager
def _folder(keep: bool) -> Iterator[str]:
    if keep:
        yield tempfile.mkdtemp(prefix="codeintel-demo-")
        return
    with tempfile.TemporaryDirectory(prefix="codeintel-demo-", ignore_cleanup_errors=True) as folder:
        yield folder


def install(root: Path) -> int:
    """Install codeintel in the clone and commit it as a user would; return how many files it wrote, 0 if present."""
    if (root / RECORD).is_file():
        return 0
    todo = plan(root, clients=["claude"])
    apply(todo)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--no-verify", "--message", "Set up codeintel")
    return len(todo.changes)


def find_change(root: Path) -> Change:
    """Find a source file with a function to build on, with the index itself; without one, a document.

    Raises NotPlayable: there is no file to write to.
    """
    with Index.open(root) as index:
        free = (found.pattern for found in index.grep(list(NAMES), fixed=True) if not found.total)
        stem = next(free, NAMES[0])
        globs = ((recipe, glob) for recipe in RECIPES for glob in recipe.globs)
        for recipe, path in ((recipe, path) for recipe, glob in globs for path in _candidates(index, glob)):
            inside = path.endswith(NESTED)
            functions = [one for one in index.symbols(path) if one.kind in FUNCTIONS and bool(one.parent) is inside]
            if functions and index.structure(path).lines <= MAX_LINES:
                after = functions[0].end_line if inside else 0
                return Change(root, path, functions[0].name, recipe, stem, after)
        for path in (path for glob in PARAGRAPH.globs for path in _candidates(index, glob)):
            if word := _first_word(root / path):
                return Change(root, path, word, PARAGRAPH, stem)
    raise NotPlayable("it has no file that holds text")


def _first_word(path: Path) -> str:
    """Return the first word of a text, "" for a file that is none."""
    try:
        found = re.search(r"[A-Za-z]\w{3,}", path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return ""
    return found[0] if found else ""


def _candidates(index: Index, glob: str) -> list[str]:
    """List files near the top first, without tests and similar files."""
    paths = [path for path in index.files(glob, limit=2000) if not any(word in path.lower() for word in SKIP)]
    return sorted(paths, key=lambda path: (path.count("/"), path))


def agree_to_tests(root: Path, change: Change) -> str:
    """Give the clone a test of the request and a verifier that runs it, agreed to as `init` asks; return its command.

    The project's own commands are left out: what they need is not in a clone.
    """
    folder = root / ".code-intel/verifiers"
    for name, verifier in ProjectLibrary(root).verifiers().items():
        if verifier.command:
            (folder / name).unlink()
    command = f'"{Path(sys.executable).as_posix()}" {CHECK}'
    (root / CHECK).write_text(change.check(), encoding="utf-8")
    (folder / VERIFIER).write_text(f"---\nmatch: ['**/*']\ncommand: '{command}'\n---\nRun it.\n", encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--no-verify", "--message", "Test what the request asks for")
    trust(ProjectLibrary(root))
    return command


def own_state(folder: Path) -> AbstractContextManager[object]:
    """Keep trust and keys of the play in a folder of its own, so that nothing is left in the user's."""
    return patch.dict(os.environ, XDG_STATE_HOME=str(folder))


@asynccontextmanager
async def connected(
    root: Path, mode: Literal["auto", "legacy"] = "auto", options: Sequence[str] = ()
) -> AsyncIterator[Client]:
    """Connect the SDK's own client to a server subprocess on stdio, started with these options of `serve`."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "codeintel_server", "serve", *options], cwd=str(root), env=dict(os.environ)
    )
    async with Client(parameters, mode=mode) as client:
        yield client
