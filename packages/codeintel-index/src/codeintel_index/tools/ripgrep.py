"""Running ripgrep on the files that `listing` lists, so that no input can become an option, read our stdin, or run for
ever.

Always: no configuration file, patterns as `--regexp=`, `--` before an explicit path (without one, rg searches stdin),
stdin closed, a deadline that kills. A caller that stops reading kills it too.

ripgrep follows git's ignore rules but does not know its index, so files that are tracked and ignored at once are
searched by a second run, which follows a list of just these. Submodules and nested repositories are searched, but never
listed. `Search` and `RawLine` are what every engine takes and yields.
"""

import base64
import heapq
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO

from codeintel_index.errors import BadArgument, BadPattern, ToolTimeout
from codeintel_index.git_traps import find_trap
from codeintel_index.project_file import read_file
from codeintel_index.tools.binaries import limited, quiet_environment
from codeintel_index.tools.listing import list_files, list_with_git


@dataclass(frozen=True, slots=True)
class Search:
    """Where and how to search. `path` is relative and already confined; "" is the whole project."""

    path: str = ""
    glob: str = ""
    file_type: str = ""
    fixed: bool = False
    word: bool = False
    case_sensitive: bool = True
    context: int = 0
    timeout: float = 20.0
    ordered: bool = False  # by path; slower
    excluded: tuple[str, ...] = ()  # gitignore-style patterns


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line that matches (then it has starts) or is near one. Starts are 0-based, in characters and in bytes."""

    path: str
    number: int
    text: str
    starts: tuple[int, ...] = ()
    byte_starts: tuple[int, ...] = ()


def in_order(path: str) -> list[str]:
    """Return the sort key of ripgrep's order of paths: folder by folder."""
    return path.split("/")


def make_line(path: str, number: int, raw: bytes, byte_starts: tuple[int, ...]) -> RawLine:
    """Make a line from its bytes, without its line end; what is not UTF-8 is replaced."""
    body = raw.rstrip(b"\r\n")
    text = body.decode("utf-8", "replace")
    if len(text) == len(body):
        return RawLine(path, number, text, byte_starts, byte_starts)
    starts = tuple(len(body[:at].decode("utf-8", "replace")) for at in byte_starts)
    return RawLine(path, number, text, starts, byte_starts)


NOTICED_S = 60
MAX_POINTER = 10_000  # of a `.git` file: it holds one path
_SPECIAL = re.compile(r"([\\*?\[\]{}!# ])")


def search_passes(root: Path, path: str, stack: ExitStack) -> Iterator[list[str]]:
    """Yield the options of each run that a search below `path` takes; they hold until the stack is closed."""
    tracked, is_linked = _known_to_git(root)
    if is_linked or find_trap(str(root)):
        yield stack.enter_context(_only_files(list_files(root)))
        return
    yield _rules(root, path)
    within = [each for each in tracked if not path or each.startswith(f"{path.rstrip('/')}/")]
    if within:  # a file that is named is searched whatever the rules say
        yield stack.enter_context(_only_files(within))


def _rules(root: Path, path: str) -> list[str]:
    """Options that say whose ignore rules count."""
    above = any((folder / ".git").exists() for folder in root.parents)
    # Where git lists the files; one that ignores the whole project is none of its.
    if (root / ".git").exists() or (above and list_with_git(root)):
        return ["--no-ignore-dot"]
    # Rules of folders above the project would count too, and from below its root they cannot be distinguished.
    return ["--no-ignore-dot", "--no-require-git", *([] if path else ["--no-ignore-parent"])]


def _known_to_git(root: Path) -> tuple[tuple[str, ...], bool]:
    """Return the files that git tracks although its rules ignore them, and whether a file of rules is a link.

    Git follows no such link; ripgrep does, and never comes back from one to /dev/zero. Changed rules of a folder may
    take effect a minute late.
    """
    folder = next((each for each in (root, *root.parents) if (each / ".git").exists()), None)
    if folder is None:
        return (), False
    places = (_git_dir(folder) / "index", folder / ".gitignore", root / ".gitignore")
    return _ask(root, tuple(map(_mark, places)), int(time.monotonic() // NOTICED_S))


@lru_cache(maxsize=16)  # git takes as long as ripgrep in a small project
def _ask(root: Path, marks: tuple[object, ...], now: int) -> tuple[tuple[str, ...], bool]:
    rules = (path for path in list_with_git(root, "-c") or () if path.rpartition("/")[2] == ".gitignore")
    return tuple(list_with_git(root, "-ci") or ()), any((root / path).is_symlink() for path in rules)


def _git_dir(folder: Path) -> Path:
    """Where git keeps the index of a work tree; in a second one `.git` is a file that says so."""
    place = folder / ".git"
    if place.is_dir():
        return place
    try:
        said = read_file(folder, place, MAX_POINTER)
    except OSError:  # a pipe, a device: git does not read it either, and knows no file
        return place
    return folder / said.decode("utf-8", "replace").removeprefix("gitdir:").strip()


def _mark(place: Path) -> tuple[int, int, int]:
    try:
        info = place.stat()
    except OSError:
        return (0, 0, 0)
    return (info.st_mtime_ns, info.st_size, info.st_ino)


@contextmanager
def _only_files(paths: Sequence[str]) -> Iterator[list[str]]:
    """Options that replace all ignore rules by a list of files, all others ignored. Paths count from the root."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "just"
        place.write_text("\n".join(_ignore_lines(paths)), encoding="utf-8")
        yield ["--no-ignore", f"--ignore-file={place}"]


def _ignore_lines(paths: Sequence[str]) -> Iterator[str]:
    """Everything is ignored, at any depth, for a search may begin at any; then the files and their folders are not."""
    yield "*"
    folders = sorted({str(above) for path in paths for above in PurePosixPath(path).parents} - {"."})
    yield from (f"!/{_literal(folder)}/" for folder in folders)
    yield from (f"!/{_literal(path)}" for path in paths)


def _literal(path: str) -> str:
    """A path as a pattern; a line end cannot be written, but any character may stand for it."""
    return _SPECIAL.sub(r"\\\1", path).replace("\n", "?")


ALWAYS = ("--no-config", "--no-messages", "--hidden", "--crlf", "--max-filesize=16M")
_SAME_IN_BOTH = re.compile(r"(?!.*\*\*)[^\\\[\]{}!]*(?:\{[\w-]*(?:,[\w-]*)+\}[^\\\[\]{}!]*)?")
OUT = ("!.git", "!.code-intel")
MAX_ERROR = 4000


def run(rg: str, root: Path, patterns: Sequence[str], search: Search) -> Generator[RawLine, None, None]:
    """Yield lines as they are found, each file's together. Raises BadPattern, BadArgument, ToolTimeout."""
    with ExitStack() as stack:
        streams = (
            stack.enter_context(closing(_lines(rg, root, patterns, search, rules)))
            for rules in search_passes(root, search.path, stack)
        )
        if search.ordered:
            yield from heapq.merge(*streams, key=lambda line: in_order(line.path))
        else:
            yield from chain.from_iterable(streams)


def _lines(
    rg: str, root: Path, patterns: Sequence[str], search: Search, rules: list[str]
) -> Generator[RawLine, None, None]:
    options = ["--json", *rules, *(["-C", str(search.context)] if search.context else [])]
    with _running(rg, root, patterns, search, options) as output:
        for raw in output:
            if raw.startswith((b'{"type":"match"', b'{"type":"context"')):
                data = json.loads(raw)["data"]
                starts = tuple(each["start"] for each in data["submatches"])
                yield make_line(_path(_bytes(data["path"])), data["line_number"] or 0, _bytes(data["lines"]), starts)


def files_with(rg: str, root: Path, patterns: Sequence[str], search: Search) -> list[str]:
    """List the files in which any of the patterns occurs, in no order."""
    found: list[str] = []
    with ExitStack() as stack:
        for rules in search_passes(root, search.path, stack):
            with _running(rg, root, patterns, search, [*rules, "--files-with-matches", "-0"]) as output:
                found += [_path(raw) for raw in output.read().split(b"\0") if raw]
    return found


@contextmanager
def _running(rg: str, root: Path, patterns: Sequence[str], search: Search, options: list[str]) -> Iterator[IO[bytes]]:
    command = [rg, *ALWAYS, *options, *_options(search), *(f"--regexp={pattern}" for pattern in patterns)]
    command += ["--", f"./{search.path}"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            limited(command),
            cwd=root,
            env=quiet_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        with watched(process, "ripgrep", search.timeout) as output:
            yield output
        if process.returncode == 2:
            errors.seek(0)
            _refuse(errors.read(MAX_ERROR).decode("utf-8", "replace"), patterns, search)


@contextmanager
def watched(process: "subprocess.Popen[bytes]", tool: str, seconds: float) -> Iterator[IO[bytes]]:
    """Give the output of a process and end it: at its deadline with ToolTimeout, and when nobody reads any further."""
    late = threading.Event()

    def kill() -> None:
        late.set()
        process.kill()

    deadline = threading.Timer(seconds, kill)
    deadline.start()
    assert process.stdout is not None
    try:
        yield process.stdout
        process.wait()
    finally:
        deadline.cancel()
        process.kill()
        process.stdout.close()
        process.wait()
    if late.is_set():
        raise ToolTimeout(tool, seconds)


def _refuse(message: str, patterns: Sequence[str], search: Search) -> None:
    """Raise what ripgrep complained about. No message means that single files could not be read: not an error."""
    text = message.strip().removeprefix("rg: ").partition("\n\nConsider")[0]  # an option that nobody can give here
    if not text:
        return
    if "file type" in text:
        raise BadArgument("file_type", f"{text}; use names such as py, js, rust")
    raise BadPattern(patterns[0] if len(patterns) == 1 else " | ".join(patterns), text)


def _options(search: Search) -> list[str]:
    options = ["--case-sensitive" if search.case_sensitive else "--ignore-case"]
    options += ["--fixed-strings"] if search.fixed else []
    options += ["--word-regexp"] if search.word else []
    options += ["--sort=path"] if search.ordered else []
    options += [f"--type={search.file_type}"] if search.file_type else _type_of(search.glob)
    # Only negative globs: a positive one would make rg search ignored files.
    options += [f"--glob={glob}" for glob in (*(f"!{pattern}" for pattern in search.excluded if pattern), *OUT)]
    return options


def _type_of(glob: str) -> list[str]:
    """The file-name part of a glob as a file type, which unlike --glob leaves the ignore rules alone.

    It only spares ripgrep files that `globs` would leave out of its answer, so a name that the two may read differently
    (sets, escapes, ranges, braces in braces) is not given.
    """
    name = glob.rpartition("/")[2]
    is_whole = not glob.startswith("!") and "{" not in glob.removesuffix(name)
    if not is_whole or name in ("", "*", "**") or not _SAME_IN_BOTH.fullmatch(name):
        return []
    return [f"--type-add=codeintel:{name}", "--type=codeintel"]


def _bytes(field: dict[str, str]) -> bytes:
    """ripgrep gives text, or base64 where the bytes are not UTF-8."""
    return field["text"].encode() if "text" in field else base64.b64decode(field["bytes"])


def _path(raw: bytes) -> str:
    return raw.removeprefix(b"./").decode("utf-8", "backslashreplace").replace("\\", "/" if os.name == "nt" else "\\")
