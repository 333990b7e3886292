"""Running ripgrep so that nothing of the user's can become an option, read our stdin, or run for ever.

Always: no configuration file, patterns as `--regexp=`, `--` before an explicit path (without one, rg searches stdin),
stdin closed, a deadline that kills. A caller that stops reading kills it too.
"""

import base64
import heapq
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

from codeintel_index.errors import BadPattern, ToolTimeout
from codeintel_index.tools.binaries import quiet_environment
from codeintel_index.tools.ignoring import passes
from codeintel_index.tools.raw import RawLine, Search, in_order, make_line

ALWAYS = ("--no-config", "--no-messages", "--hidden", "--crlf", "--max-filesize=16M")
OUT = ("!.git", "!.code-intel")
MAX_ERROR = 4000


def run(rg: str, root: Path, patterns: Sequence[str], search: Search) -> Generator[RawLine, None, None]:
    """Lines as they are found, each file's together. Raises BadPattern, ToolTimeout."""
    with ExitStack() as stack:
        streams = (
            stack.enter_context(closing(_lines(rg, root, patterns, search, rules)))
            for rules in passes(root, search.path, stack)
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
                yield _line(json.loads(raw)["data"])


def files_with(rg: str, root: Path, patterns: Sequence[str], search: Search) -> list[str]:
    """Paths of the files in which any of the patterns occurs, in no order."""
    found: list[str] = []
    with ExitStack() as stack:
        for rules in passes(root, search.path, stack):
            with _running(rg, root, patterns, search, [*rules, "--files-with-matches", "-0"]) as output:
                found += [_path(raw) for raw in output.read().split(b"\0") if raw]
    return found


@contextmanager
def _running(rg: str, root: Path, patterns: Sequence[str], search: Search, options: list[str]) -> Iterator[IO[bytes]]:
    command = [rg, *ALWAYS, *options, *_options(search), *(f"--regexp={pattern}" for pattern in patterns)]
    command += ["--", f"./{search.path}"]
    late = threading.Event()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=root, env=quiet_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )
        deadline = threading.Timer(search.timeout, kill_late, (process, late))
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
            raise ToolTimeout("ripgrep", search.timeout)
        if process.returncode == 2:
            errors.seek(0)
            _refuse(errors.read(MAX_ERROR).decode("utf-8", "replace"), patterns, search)


def kill_late(process: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    """What a deadline does: end the process and say that it was the deadline."""
    late.set()
    process.kill()


def _refuse(message: str, patterns: Sequence[str], search: Search) -> None:
    """Raise what ripgrep complained about. No message means that single files could not be read: not an error."""
    text = message.strip().removeprefix("rg: ")
    if not text:
        return
    if "file type" in text:
        raise BadPattern(search.file_type, text)
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
    """The file-name part of a glob as a file type, which unlike --glob leaves the ignore rules alone."""
    if glob.startswith("!") or ("/" in glob and "{" in glob):
        return []
    name = glob.rpartition("/")[2]
    if name in ("", "*", "**"):
        return []
    return [f"--type-add=codeintel:{name}", "--type=codeintel"]


def _line(data: dict[str, Any]) -> RawLine:
    starts = tuple(each["start"] for each in data["submatches"])
    return make_line(_path(_bytes(data["path"])), data["line_number"] or 0, _bytes(data["lines"]), starts)


def _bytes(field: dict[str, str]) -> bytes:
    """ripgrep gives text, or base64 where the bytes are not UTF-8."""
    return field["text"].encode() if "text" in field else base64.b64decode(field["bytes"])


def _path(raw: bytes) -> str:
    return raw.removeprefix(b"./").decode("utf-8", "backslashreplace").replace("\\", "/" if os.name == "nt" else "\\")
