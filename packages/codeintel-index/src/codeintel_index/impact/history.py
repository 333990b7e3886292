"""Co-changes: a file that often changed with the target needs a look even if no name leads there.

Read from git's log, the last 1,000 commits before HEAD, once for each HEAD; commits of very many files tell nothing of
any two of them. Without git or a commit there is no history and no co-change.
"""

import subprocess
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from codeintel_index.tools.binaries import GIT, limited, quiet_environment

COMMITS = 1000
MOST_FILES = 30  # of a commit that says something
TIMEOUT_S = 5.0


class CoChange(NamedTuple):
    """How many of a target's `of` commits changed a file too."""

    times: int
    of: int


class Past(NamedTuple):
    """What the history says of some targets; `known` are those of them that any commit changed."""

    together: Mapping[str, CoChange]
    known: frozenset[str]

    def times(self, path: str) -> int:
        """Count how often a file changed together with a target."""
        return self.together[path].times if path in self.together else 0


def find_co_changes(root: Path, targets: Collection[str]) -> Past:
    """Find the files that commits of the targets changed too; of several targets the best counts."""
    best: dict[str, CoChange] = {}
    commits = _commits(root, _head(root))
    known: set[str] = set()
    for target in targets:
        own = [paths for paths in commits if target in paths]
        known |= {target} if own else set()
        telling = [paths for paths in own if 1 < len(paths) <= MOST_FILES]
        for path, times in Counter(path for paths in telling for path in paths if path not in targets).items():
            best[path] = max(best.get(path, CoChange(0, 0)), CoChange(times, len(telling)))
    return Past(best, frozenset(known))


@lru_cache(maxsize=4)
def _commits(root: Path, head: str) -> tuple[frozenset[str], ...]:
    """The files, relative to `root`, that each commit changed."""
    if not head:
        return ()
    options = ["--no-merges", "--no-renames", f"--max-count={COMMITS}", "--name-only", "--relative", "-z"]
    printed = _git(root, "log", *options, "--format=%x01", head, "--", ".")
    found = (frozenset(filter(None, (name.strip("\n") for name in each.split("\0")))) for each in printed.split("\x01"))
    return tuple(found)


def _head(root: Path) -> str:
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD").strip()


def _git(root: Path, *arguments: str) -> str:
    """What git prints, "" where it cannot say anything."""
    try:
        done = subprocess.run(
            limited([*GIT, "-C", str(root), *arguments]),
            env=quiet_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.decode(errors="replace")
