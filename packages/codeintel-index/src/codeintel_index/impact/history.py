"""What changed together before: a file that often went with the target needs a look even if no name leads there.

Read from git's log, the last 1,000 commits before HEAD, once for each HEAD; commits of very many files tell nothing of
any two of them. Without git or a commit there is no history and nothing is said.
"""

import subprocess
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from codeintel_index.kinds import kind_of
from codeintel_index.results import ImpactItem
from codeintel_index.tools.binaries import GIT, quiet_environment

COMMITS = 1000
MOST_FILES = 30  # of a commit that says something
LEAST = 2  # times together
SHARE = 0.2  # of the target's commits
MOST = 10  # files named
UNTOLD = ("generated", "vendored")
TIMEOUT_S = 5.0


class Together(NamedTuple):
    """How many of a target's `of` commits changed a file too."""

    times: int
    of: int


def changed_together(root: Path, targets: Collection[str]) -> dict[str, Together]:
    """What changed in commits of the targets, whatever came of it since; of several targets the best counts."""
    best: dict[str, Together] = {}
    commits = _commits(root, _head(root))
    for target in targets:
        own = [paths for paths in commits if target in paths]
        for path, times in Counter(path for paths in own for path in paths if path not in targets).items():
            best[path] = max(best.get(path, Together(0, 0)), Together(times, len(own)))
    return best


def often(past: Mapping[str, Together], known: Collection[str]) -> list[ImpactItem]:
    """Files of `known` that changed with a target often enough to be named for that alone, most often first."""
    telling = [
        (found.times, path, found)
        for path, found in past.items()
        if found.times >= max(LEAST, SHARE * found.of) and path in known and kind_of(path) not in UNTOLD
    ]
    telling.sort(key=lambda each: (-each[0], each[1]))
    return [
        ImpactItem(path, "history", note=f"changed together {found.times} of {found.of} times")
        for _, path, found in telling[:MOST]
    ]


@lru_cache(maxsize=4)
def _commits(root: Path, head: str) -> tuple[frozenset[str], ...]:
    """The files, relative to `root`, that each commit changed."""
    if not head:
        return ()
    options = ["--no-merges", "--no-renames", f"--max-count={COMMITS}", "--name-only", "--relative", "-z"]
    printed = _git(root, "log", *options, "--format=%x01", head, "--", ".")
    found = (frozenset(filter(None, (name.strip("\n") for name in each.split("\0")))) for each in printed.split("\x01"))
    return tuple(paths for paths in found if 1 < len(paths) <= MOST_FILES)


def _head(root: Path) -> str:
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD").strip()


def _git(root: Path, *arguments: str) -> str:
    """What git prints, "" where it cannot say anything."""
    try:
        done = subprocess.run(
            [*GIT, "-C", str(root), *arguments],
            env=quiet_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.decode(errors="replace")
