"""Parse unified diffs, and find the lines that a piece of evidence cites."""

import re
from collections.abc import Iterator

from codeintel_server.report.model import DiffLine

MAX_LINES = 80
"""Maximum number of lines of one diff in a report."""
MAX_CHARS = 300
"""Maximum length of one line."""
CONTEXT = 3
"""Number of lines shown around evidence."""

_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def read_patch(patch: str) -> list[DiffLine]:
    """Return the lines of all hunks of one file's patch, in order; a gap between hunks is a line with sign "…"."""
    return list(_lines(patch))


def _lines(patch: str) -> Iterator[DiffLine]:
    number, inside = 0, False
    for line in patch.split("\n"):
        if (header := _HEADER.match(line)) is not None:
            if inside:
                yield DiffLine("…", 0, "")
            number, inside = int(header[1]), True
        elif inside and line[:1] in (" ", "+", "-"):
            yield DiffLine(line[0], 0 if line[0] == "-" else number, line[1:][:MAX_CHARS])
            number += line[0] != "-"


def meant(lines: list[DiffLine], start: int, end: int) -> tuple[DiffLine, ...]:
    """Return the lines from `start` to `end` of the new file with context; mark those in the range."""
    inside = [at for at, line in enumerate(lines) if start <= line.number <= end]
    if not inside:
        return ()
    first, last = max(0, inside[0] - CONTEXT), min(len(lines), inside[-1] + CONTEXT + 1)
    shown = lines[first:last][:MAX_LINES]
    return tuple(DiffLine(line.sign, line.number, line.text, start <= line.number <= end) for line in shown)
