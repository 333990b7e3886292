"""Questions with known answers, read from a file of one JSON object a line: `{"query": …, "relevant": [path, …]}`.

A relevant answer is a path or `path:a-b` (lines a to b, or `path:a`). Whatever is wrong is told with its line.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from codeintel_index.errors import BadQuestions
from codeintel_index.evaluate.metrics import Target

_LINES = re.compile(r"(?P<path>.+?):(?P<start>[1-9]\d*)(?:-(?P<end>[1-9]\d*))?")


@dataclass(frozen=True, slots=True)
class Question:
    """A query and the files, or lines of files, that answer it."""

    query: str
    targets: tuple[Target, ...]


def read_questions(place: Path, known: Collection[str]) -> list[Question]:
    """The questions of a file; blank lines are skipped. Every path must be one of the `known` ones.

    Raises BadQuestions for a file that cannot be read, is empty, or has a line that is wrong.
    """
    try:
        lines = place.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadQuestions(place.name, 0, str(error)) from error
    paths = frozenset(known)
    found = [_question(place.name, at, line, paths) for at, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise BadQuestions(place.name, 0, "there is no question in it")
    return found


def _question(name: str, at: int, line: str, known: frozenset[str]) -> Question:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadQuestions(name, at, f"not JSON: {error}") from error
    query, relevant = (row.get("query"), row.get("relevant")) if isinstance(row, dict) else (None, None)
    if not isinstance(query, str) or not query.strip():
        raise BadQuestions(name, at, '"query" must be a text')
    if not isinstance(relevant, list) or not relevant or not all(isinstance(each, str) for each in relevant):
        raise BadQuestions(name, at, '"relevant" must be a list of paths')
    targets = tuple(_target(each) for each in relevant)
    for target in targets:
        if target.path not in known:
            raise BadQuestions(name, at, f"{target.path!r} is not an indexed file of this project")
        if target.end < target.start:
            raise BadQuestions(name, at, f"the lines {target.start}-{target.end} run backwards")
    return Question(query, targets)


def _target(text: str) -> Target:
    parts = _LINES.fullmatch(text)
    if parts is None:
        return Target(text)
    start = int(parts["start"])
    return Target(parts["path"], start, int(parts["end"] or start))
