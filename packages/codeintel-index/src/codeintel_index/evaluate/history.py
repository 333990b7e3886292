"""Questions mined from a project's own history: what a commit says was done, and the code files it was done in.

Commits are taken newest first. Merges, automatic ones (bumps, releases, reverts), subjects of fewer than three words
and commits of more than five code files say too little about any file. Answers are the files as they are now.
"""

import re
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

from codeintel_index.errors import NoHistory
from codeintel_index.evaluate.metrics import Target
from codeintel_index.evaluate.questions import Question
from codeintel_index.kinds import kind_of
from codeintel_index.languages import language_of
from codeintel_index.tools.binaries import GIT, quiet_environment

MOST_FILES = 5
FEWEST_WORDS = 3
READ_PER_QUESTION = 20  # commits looked at for each one wanted
TIMEOUT_S = 120.0
_PREFIX = re.compile(r"^(?:\[[^\]]*\]|[a-z]+(?:\([^)]*\))?!?:)\s*")  # "[fix]", "feat(cart):"
_NUMBER = re.compile(r"\s*\(?#\d+\)?\s*$")
_AUTOMATIC = re.compile(r"^(?:bump|merge|release|revert|version|update changelog|fixup!|squash!|wip\b|v?\d)", re.I)
_NO_CODE = ("docs", "config", "test", "example", "generated", "vendored")


def mine(root: Path, known: Collection[str], count: int) -> list[Question]:
    """Up to `count` questions from the history of the folder `root`, in the files `known` now.

    Raises NoHistory where there is no repository or no commit of use.
    """
    paths = frozenset(known)
    found: dict[str, Question] = {}
    for subject, touched in _commits(root, count * READ_PER_QUESTION):
        question = _question(subject, touched, paths)
        if question is not None:
            found.setdefault(question.query, question)
        if len(found) == count:
            break
    if not found:
        raise NoHistory("no commit with a telling subject and one to five code files that still exist")
    return list(found.values())


def _question(subject: str, touched: list[str], known: frozenset[str]) -> Question | None:
    text = _NUMBER.sub("", _PREFIX.sub("", subject))
    code = [path for path in touched if language_of(path) and kind_of(path) not in _NO_CODE]
    here = [path for path in code if path in known]
    if _AUTOMATIC.match(text) or len(text.split()) < FEWEST_WORDS or len(code) > MOST_FILES or not here:
        return None
    return Question(text, tuple(map(Target, here)))


def _commits(root: Path, count: int) -> Iterator[tuple[str, list[str]]]:
    """Subject and touched paths (relative to `root`) of the newest commits that are no merges."""
    options = ["--no-merges", f"--max-count={count}", "--name-only", "--relative", "-z", "--format=%x01%s%x00"]
    command = [*GIT, "-C", str(root), "log", *options, "HEAD", "--", "."]
    try:
        done = subprocess.run(
            command, env=quiet_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise NoHistory(f"git could not be asked: {error}") from error
    if done.returncode:
        raise NoHistory(done.stderr.decode(errors="replace").strip() or "git log failed")
    for record in done.stdout.decode(errors="replace").split("\x01")[1:]:
        subject, _, names = record.partition("\0")
        yield subject, [name.strip("\n") for name in names.split("\0") if name.strip("\n")]
