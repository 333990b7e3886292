"""Co-changes: a file that often changed with the target needs a look even if no name leads there.

Read from git's log, the last 2,000 commits before HEAD, once for each HEAD. A commit of few files tells more of any two
of them than one of many, and one of very many tells nothing. What was moved unchanged keeps its history. Without git or
a commit there is no history and no co-change.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from math import exp, log2
from pathlib import Path
from typing import NamedTuple

from codeintel_index.tools.binaries import git_says

COMMITS = 2000
MOST_FILES = 30  # of a commit that says something
RECENT_COMMITS = 50
FADES = 10  # commits
LEAST_COMMITS = 3  # of a target with fewer, each counts less
TIMEOUT_S = 5.0


class CoChange(NamedTuple):
    """How many of a target's `of` commits changed a file too; `share` is the same, by what the commits tell."""

    times: int
    of: int
    share: float


class Past(NamedTuple):
    """What the history says of some targets; `known` are those of them that any commit changed.

    `recent` is 1 for what the last commit changed and less for what others did, for all files.
    """

    together: Mapping[str, CoChange]
    known: frozenset[str]
    recent: Mapping[str, float]

    def times(self, path: str) -> int:
        """Count how often a file changed together with a target."""
        return self.together[path].times if path in self.together else 0

    def share(self, path: str) -> float:
        """Weigh how often a file changed together with a target, 0..1."""
        return self.together[path].share if path in self.together else 0.0


def find_co_changes(root: Path, targets: Collection[str]) -> Past:
    """Find the files that commits of the targets changed too; of several targets the best counts."""
    best: dict[str, CoChange] = {}
    head = git_says(root, "rev-parse", "--verify", "--quiet", "HEAD", seconds=TIMEOUT_S).strip()
    commits, present = _commits(root, head)
    known: set[str] = set()
    for target in targets:
        own = [paths for paths in commits if target in paths] or [
            paths for paths in commits if present.get(target) in paths
        ]
        known |= {target} if own else set()
        telling = [paths for paths in own if 1 < len(paths) <= MOST_FILES]
        times: dict[str, int] = {}
        weights: dict[str, float] = {}
        for paths in telling:
            for path in paths.difference(targets):
                times[path] = times.get(path, 0) + 1
                weights[path] = weights.get(path, 0.0) + 1 / log2(len(paths))
        for path, weight in weights.items():
            found = CoChange(times[path], len(telling), weight / max(LEAST_COMMITS, len(telling)))
            best[path] = max(best.get(path, found), found, key=lambda each: each.share)
    return Past(best, frozenset(known), _recent(commits))


def _recent(commits: Sequence[frozenset[str]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for ago, paths in enumerate(commits[:RECENT_COMMITS]):
        if len(paths) <= MOST_FILES:
            found = dict.fromkeys(paths, exp(-ago / FADES)) | found
    return found


@lru_cache(maxsize=4)
def _commits(root: Path, head: str) -> tuple[tuple[frozenset[str], ...], Mapping[str, str]]:
    """The files, relative to `root`, that each commit changed, newest first, by their present names; and these by the
    names that files had before they were moved.
    """
    if not head:
        return (), {}
    # git finds moves of unchanged files without reading any, which a partial clone would have to fetch.
    options = ["--no-merges", "-M100%", f"--max-count={COMMITS}", "--name-status", "--relative", "-z"]
    printed = git_says(root, "log", *options, "--format=%x01", head, "--", ".", seconds=TIMEOUT_S)
    present: dict[str, str] = {}
    return tuple(frozenset(_changed(each, present)) for each in printed.split("\x01")), present


def _changed(commit: str, present: dict[str, str]) -> Iterator[str]:
    """The files of one commit; `present` learns what older commits call them."""
    fields = iter(commit.split("\0"))
    for status in fields:
        match status.strip("\n")[:1]:
            case "":
                continue
            case "R":
                old, new = next(fields), next(fields)
                present[old] = present.get(new, new)
                yield present[old]
            case _:
                path = next(fields)
                yield present.get(path, path)
