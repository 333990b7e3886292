"""Has ripgrep search the files that `listing` lists: by git's own rules, and what git tracks in spite of them.

ripgrep knows no index of git, so files that are tracked and ignored at once are searched by a second run, which follows
a list of just these instead of the rules. Submodules and repositories inside are searched, but never listed.
"""

import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath

from codeintel_index.tools.listing import list_with_git

NOTICED_S = 60
_SPECIAL = re.compile(r"([\\*?\[\]{}!# ])")


def passes(root: Path, path: str, stack: ExitStack) -> Iterator[list[str]]:
    """Options of the runs that a search below `path` takes; they are good until the stack is closed."""
    yield _rules(root, path)
    if paths := _tracked(root):
        yield stack.enter_context(_just(paths))


def _rules(root: Path, path: str) -> list[str]:
    """Options that say whose ignore rules count."""
    if _is_in_work_tree(root):
        return ["--no-ignore-dot"]
    # Rules of folders above the project would count too, and from below its root they cannot be told apart.
    return ["--no-ignore-dot", "--no-require-git", *([] if path else ["--no-ignore-parent"])]


def _is_in_work_tree(root: Path) -> bool:
    """Whether git lists the files. One that ignores the whole project is none of its."""
    if (root / ".git").exists():
        return True
    return any((folder / ".git").exists() for folder in root.parents) and bool(list_with_git(root))


def _tracked(root: Path) -> tuple[str, ...]:
    """Files that git tracks though its rules ignore them. Rules that change in a folder may be seen a minute late."""
    folder = next((each for each in (root, *root.parents) if (each / ".git").exists()), None)
    if folder is None:
        return ()
    places = (_git_dir(folder) / "index", folder / ".gitignore", root / ".gitignore")
    return _ask(root, tuple(map(_mark, places)), int(time.monotonic() // NOTICED_S))


@lru_cache(maxsize=16)  # git takes as long as ripgrep in a small project
def _ask(root: Path, marks: tuple[object, ...], now: int) -> tuple[str, ...]:
    return tuple(list_with_git(root, "-ci") or ())


def _git_dir(folder: Path) -> Path:
    """Where git keeps the index of a work tree; in a second one `.git` is a file that says so."""
    place = folder / ".git"
    if place.is_dir():
        return place
    return folder / place.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()


def _mark(place: Path) -> tuple[int, int, int]:
    try:
        info = place.stat()
    except OSError:
        return (0, 0, 0)
    return (info.st_mtime_ns, info.st_size, info.st_ino)


@contextmanager
def _just(paths: Sequence[str]) -> Iterator[list[str]]:
    """Options that replace all ignore rules by a list of files, all others ignored. Paths count from the root."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "just"
        place.write_text("\n".join(_lines(paths)), encoding="utf-8")
        yield ["--no-ignore", f"--ignore-file={place}"]


def _lines(paths: Sequence[str]) -> Iterator[str]:
    """Everything is ignored, then each folder on the way to a file is not, but for what is in it."""
    yield "/*"
    for folder in sorted({str(above) for path in paths for above in PurePosixPath(path).parents} - {"."}):
        yield from (f"!/{_literal(folder)}/", f"/{_literal(folder)}/*")
    yield from (f"!/{_literal(path)}" for path in paths)


def _literal(path: str) -> str:
    """A path as a pattern; a line end cannot be written, but any character may stand for it."""
    return _SPECIAL.sub(r"\\\1", path).replace("\n", "?")
