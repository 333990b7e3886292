"""Questions with known answers: read from a file, or mined from a project's own history.

A file holds one JSON object a line, `{"query": …, "relevant": [path, …]}`; a relevant answer is a path or `path:a-b`
(lines a to b, or `path:a`), and every error names its line. History gives the subjects of commits and the code files
they touched, newest first. Merges, automatic commits (bumps, releases, reverts), subjects of fewer than three words and
commits of more than five code files say too little about any file. Answers are the files as they are now.
"""

import json
import re
import subprocess
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from codeintel_index.errors import BadQuestions, NoHistory
from codeintel_index.evaluate.metrics import Target
from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.languages.table import language_id
from codeintel_index.tools.binaries import ask, git_command

_LINES = re.compile(r"(?P<path>.+?):(?P<start>[1-9]\d*)(?:-(?P<end>[1-9]\d*))?")


@dataclass(frozen=True, slots=True)
class Question:
    """A query and the files, or lines of files, that answer it."""

    query: str
    targets: tuple[Target, ...]


def read_questions(place: Path, known: Collection[str]) -> list[Question]:
    """Read the questions of a file; blank lines are skipped. Every path must be one of the `known` ones.

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
    except (ValueError, RecursionError) as error:
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


MOST_FILES = 5
FEWEST_WORDS = 3
READ_PER_QUESTION = 20  # commits looked at for each one wanted
TIMEOUT_S = 120.0
_PREFIX = re.compile(r"^(?:\[[^\]]*\]|[a-z]+(?:\([^)]*\))?!?:)\s*")  # "[fix]", "feat(cart):"
_NUMBER = re.compile(r"\s*\(?#\d+\)?\s*$")
_AUTOMATIC = re.compile(r"^(?:bump|merge|release|revert|version|update changelog|fixup!|squash!|wip\b|v?\d)", re.I)
_NO_CODE = ("docs", "config", "test", "example", "generated", "vendored")


def mine_questions(root: Path, known: Collection[str], count: int) -> list[Question]:
    """Make up to `count` questions from the history of the folder `root`, in the files `known` now.

    Raises NoHistory where there is no repository or no usable commit.
    """
    paths = frozenset(known)
    found: dict[str, Question] = {}
    for subject, touched in _commits(root, count * READ_PER_QUESTION):
        question = _question_of_commit(subject, touched, paths)
        if question is not None:
            found.setdefault(question.query, question)
        if len(found) == count:
            break
    if not found:
        raise NoHistory("no commit with a telling subject and one to five code files that still exist")
    return list(found.values())


def _question_of_commit(subject: str, touched: list[str], known: frozenset[str]) -> Question | None:
    text = _NUMBER.sub("", _PREFIX.sub("", subject))
    code = [path for path in touched if language_id(path) and kind_of(path) not in _NO_CODE]
    here = [path for path in code if path in known]
    if _AUTOMATIC.match(text) or len(text.split()) < FEWEST_WORDS or len(code) > MOST_FILES or not here:
        return None
    return Question(text, tuple(map(Target, here)))


def _commits(root: Path, count: int) -> Iterator[tuple[str, list[str]]]:
    """Subject and touched paths (relative to `root`) of the newest commits other than merges."""
    options = ["--no-merges", f"--max-count={count}", "--name-only", "--relative", "-z", "--format=%x01%s%x00"]
    try:
        done = ask(git_command(root, "log", *options, "HEAD", "--", "."), TIMEOUT_S)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise NoHistory(f"git could not be asked: {error}") from error
    if done.returncode:
        raise NoHistory(done.stderr.decode(errors="replace").strip() or "git log failed")
    for record in done.stdout.decode(errors="replace").split("\x01")[1:]:
        subject, _, names = record.partition("\0")
        yield subject, [name.strip("\n") for name in names.split("\0") if name.strip("\n")]
