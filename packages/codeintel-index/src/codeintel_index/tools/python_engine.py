"""Text search without ripgrep: Python's `re` over the listed files, in a child process that can be killed.

A child, because `re` may backtrack for ever and cannot be interrupted. Patterns are Python's (no `\\p{..}`); answers
say `engine: python-re`. Run as `python -m codeintel_index.tools.python_engine`.
"""

import json
import re
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import pathspec

from codeintel_index.errors import BadArgument, BadPattern
from codeintel_index.languages.table import LANGUAGES
from codeintel_index.project_file import read_file
from codeintel_index.tools.binaries import python_module
from codeintel_index.tools.listing import list_files
from codeintel_index.tools.ripgrep import RawLine, Search, in_order, make_line, watched

MAX_BYTES = 16_000_000


def run(root: Path, patterns: Sequence[str], search: Search) -> Generator[RawLine, None, None]:
    """Search as `ripgrep.run` does; files in path order."""
    _compiled(patterns, search)  # both raise BadPattern here, where the caller sees it
    _suffixes(search.file_type)
    command, environment = python_module("codeintel_index.tools.python_engine")
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    with watched(process, "python-re", search.timeout) as output:
        process.stdin.write(json.dumps([str(root), list(patterns), asdict(search)]).encode())
        process.stdin.close()
        for raw in output:
            path, number, text, starts = json.loads(raw)
            yield make_line(path, number, _encode(text), tuple(starts))


def main() -> None:
    """Answer as the child: one request on stdin, one JSON line for each matching or neighbouring line on stdout."""
    root, patterns, fields = json.load(sys.stdin)
    search = Search(**fields)
    expression = _compiled(patterns, search)
    for path in _candidates(Path(root), search):
        for number, line, starts in _scan(Path(root), path, expression, search.context):
            sys.stdout.write(json.dumps([path, number, line, starts]) + "\n")


def _compiled(patterns: Sequence[str], search: Search) -> re.Pattern[str]:
    parts = [re.escape(pattern) if search.fixed else pattern for pattern in patterns]
    text = "|".join(rf"\b(?:{part})\b" if search.word else f"(?:{part})" for part in parts)
    try:
        return re.compile(text, 0 if search.case_sensitive else re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(" | ".join(patterns)[:80], str(error)) from error


def _candidates(root: Path, search: Search) -> Iterator[str]:
    out = pathspec.GitIgnoreSpec.from_lines(search.excluded)
    suffixes = _suffixes(search.file_type)
    for path in sorted(list_files(root), key=in_order):
        below = not search.path or path == search.path or path.startswith(f"{search.path}/")
        if below and path.lower().endswith(suffixes) and not out.match_file(path):
            yield path


def _suffixes(file_type: str) -> tuple[str, ...]:
    """Suffixes of a file type, which is named by a language or one of its suffixes. Raises BadArgument."""
    if not file_type:
        return ("",)
    rows = [row for row in LANGUAGES if file_type == row.id or f".{file_type}" in row.suffixes]
    if not rows:
        raise BadArgument("file_type", f"unrecognized file type: {file_type}")
    return tuple(suffix for row in rows for suffix in row.suffixes)


def _scan(root: Path, path: str, expression: re.Pattern[str], context: int) -> list[tuple[int, str, list[int]]]:
    if (root / path).is_symlink():
        return []
    try:
        data = read_file(root, path, MAX_BYTES)
    except OSError:  # gone, too large, no regular file, not for us to read
        return []
    if b"\0" in data:
        return []
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    if not lines[-1]:
        lines.pop()  # nothing follows the last line's end
    lines = [line.removesuffix("\r") for line in lines]
    found = {n: [len(_encode(line[: m.start()])) for m in expression.finditer(line)] for n, line in enumerate(lines)}
    hits = [n for n, starts in found.items() if starts]
    shown = sorted({n for hit in hits for n in range(hit - context, hit + context + 1) if 0 <= n < len(lines)})
    return [(n + 1, lines[n], found[n]) for n in shown]


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


if __name__ == "__main__":
    main()
