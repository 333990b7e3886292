"""Find assertions of new tests whose failure nobody hears: the suite passes although they fail.

The test files concerned run once with every assertion made to fail. A test that passes then hears none of its own: it
does not ask a thread, a promise or an executor how it ended, it leaves the block before, or the runner lets it pass.
Where a test fails, its other groups of assertions fail one after the other, in a few more runs.

Named is only what is certain: an assertion that failed in a test which passed, or one that did not run although
nothing of the test is before it as a condition. A file of which no test fails and no assertion runs may not be what
runs, as where a build comes first: it is made to fail at its begin, and is left out if nothing notices that either.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from codeintel_server.verification.junit import PASSED
from codeintel_server.verification.runner import Ran
from codeintel_server.verification.trials import Hole, Trials, Unseen

if TYPE_CHECKING:
    from codeintel_index import Asserted, AssertingTest, Hollow

MORE_RUNS = 6
"""Runs after the first, for tests that assert in several groups."""
PATHS = "CODEINTEL_PATHS"
"""The variable that names the file to which a runner of Python writes its import path at its end."""


class _Test(NamedTuple):
    path: str
    of: "AssertingTest"

    @property
    def name(self) -> str:
        return f"{self.of.owner}.{self.of.name}".lstrip(".")

    def holes(self, turn: int | None = None) -> list[Hole]:
        """Return what makes all that it asserts fail, or one group."""
        return [(self.path, one.hole) for one in (self.of.all() if turn is None else self.of.groups[turn])]


def find_unheard(trials: Trials, tests: Mapping[str, tuple[bytes, bytes]], failing: Callable[[str], Hole]) -> Unseen:
    """Return the assertions of new tests whose failure the runs do not notice.

    Args:
        trials: the runs of the checkout.
        tests: what the new and changed test files hold now, and what they held before.
        failing: returns what makes a file fail at its begin.
    """
    from codeintel_index import find_assertions

    found: list[_Test] = []
    orphans: list[tuple[str, Asserted]] = []
    for number, (path, both) in enumerate(tests.items()):
        asserting, unused = find_assertions(path, *both, str(trials.place.top.parent / f"heard-{number}-"))
        mine = [_Test(path, one) for one in asserting]
        found += [one for one in mine if _passes(trials.ran, one)]
        if trials.ran.cases and all(_passes(trials.ran, one) for one in mine):
            orphans += [(path, one) for one in unused]
    if not found:
        return Unseen([], [])
    files = sorted({one.path for one in found})
    first = [*(hole for one in found for hole in one.holes()), *((path, one.hole) for path, one in orphans)]
    again = None if trials.is_late() else _run(trials, first, files)
    if again is None:
        return Unseen([], files)
    passed = _passing(trials, again, found)
    silent = [path for path in files if all(one in passed for one in found if one.path == path)
              and not any(_is_made(hole) for file, hole in first if file == path)]  # fmt: skip
    alive = [path for path in files if path not in silent or _fails_at_all(trials, path, found, failing)]
    names = [name for one in passed if one.path in alive for name in _named(one, one.of.all(), passed, found)]
    names += [
        f"{path}:{one.hole.line} {one.shared}" for path, one in orphans if path in alive and not _is_made(one.hole)
    ]
    more = _grouped(trials, [one for one in found if one not in passed], files)
    return Unseen([*names, *more.names], more.unknown)


def _grouped(trials: Trials, red: Sequence[_Test], files: Sequence[str]) -> Unseen:
    """Let the groups of each test fail, one of each in a run; the only group of a test that failed was heard."""
    rest = [one for one in red if one.of.groups and (one.of.own or len(one.of.groups) > 1)]
    names: list[str] = []
    for turn in range(MORE_RUNS):
        left = [one for one in rest if len(one.of.groups) > turn]
        holes = [hole for one in left for hole in one.holes(turn)]
        again = _run(trials, holes, files) if left and not trials.is_late() else None
        if left and again is None:
            return Unseen(names, sorted({one.path for one in left}))
        if again is None:
            break
        passed = _passing(trials, again, left, turn)
        names += [name for one in passed for name in _named(one, one.of.groups[turn], passed, red)]
    return Unseen(names, sorted({one.path for one in rest if len(one.of.groups) > MORE_RUNS}))


def _run(trials: Trials, holes: Iterable[Hole], files: Sequence[str]) -> Ran | None:
    """Run with these assertions made to fail; None if it did not come to its end."""
    once = list({(path, hole.start): (path, hole) for path, hole in holes}.values())
    for mark in filter(None, (hole.mark for _, hole in once)):
        Path(mark).unlink(missing_ok=True)
    again = trials.run(once, files if trials.ran.cases else (), {PATHS: str(trials.place.top.parent / "paths")})
    return None if again is None or again.timed_out else again


def _passing(trials: Trials, again: Ran, tests: Sequence[_Test], turn: int | None = None) -> list[_Test]:
    """Return those of the tests that pass in a run in which what they assert fails, all of it or one group.

    Where only numbers are known, and fewer tests fail than should, each of a few tests has a run of its own.
    """
    if trials.ran.cases:
        return [one for one in tests if _passes(again, one)]
    if again.counts.get("failures", 0) + again.counts.get("errors", 0) >= len(tests):
        return []
    return [one for one in tests[:MORE_RUNS] if not trials.is_late() and trials.ends_alike(one.holes(turn))]


def _passes(ran: Ran, test: _Test) -> bool:
    """Return True if a run has results of a test, and all of them are passes; without ids, if it skips none at all."""
    if not ran.cases:
        return bool(ran.counts.get("tests")) and not any(
            ran.counts.get(name) for name in ("skipped", "xfailed", "failures", "errors")
        )
    results = [result for case, result in ran.cases.items() if _is_of(case, test)]
    return bool(results) and all(result == PASSED for result in results)


def _is_of(case: str, test: _Test) -> bool:
    if not test.path.endswith(".py"):
        title = re.escape(" ".join(test.of.name.split()))
        return re.search(rf"(?:^|[:> ]){title}(?: #\d+)?$", " ".join(case.split())) is not None
    place, _, name = case.partition("[")[0].partition(" #")[0].rpartition("::")
    parts = re.split(r"[.:/]+", place)
    return (
        name == test.of.name and Path(test.path).stem in parts and parts[-1] == (test.of.owner or Path(test.path).stem)
    )


def _named(
    test: _Test, asserted: Iterable["Asserted"], passed: Sequence[_Test], all_tests: Sequence[_Test]
) -> list[str]:
    """Return what of a test that passed is not heard for certain."""
    return list(dict.fromkeys(
        f"{test.path}:{one.hole.line} {test.name}" for one in asserted
        if one.must_run or (_is_made(one.hole) and _only_by(one, test.path, passed, all_tests))
    ))  # fmt: skip


def _only_by(one: "Asserted", path: str, passed: Sequence[_Test], all_tests: Sequence[_Test]) -> bool:
    """Return True if every test that uses what holds an assertion passed, so that one of them did not hear it."""
    users = [each for each in all_tests if each.path == path and one.hole in [other.hole for other in each.of.all()]]
    return not one.shared or all(each in passed for each in users)


def _fails_at_all(trials: Trials, path: str, tests: Sequence[_Test], failing: Callable[[str], Hole]) -> bool:
    """Return True if the runs notice that a test file fails at its begin: then it is what runs."""
    again = None if trials.is_late() else _run(trials, [failing(path)], [path])
    return again is None or not any(_passes(again, one) for one in tests if one.path == path)


def _is_made(hole: "Hollow") -> bool:
    return Path(hole.mark).exists()
