"""Compare two runs of one command by the ids of their tests, or by their counts where there are no ids.

A test with parameters is compared by its name and the number of its cases, because the ids of cases may hold values
that change. A test that moved to another file or class is found again by its own name.
"""

import re
from collections import Counter
from collections.abc import Iterable

from codeintel_server.verification.junit import PASSED, SKIPPED, XFAILED
from codeintel_server.verification.runner import Ran
from codeintel_session import Named

_CASE = re.compile(r"\[| #| with data set ")
"""What comes before the case of a test: of pytest, one of several of one name, of PHPUnit."""
_ONE_TIME = re.compile(r"0x[0-9a-f]{6,}|\d{4}-\d\d-\d\d[ _T]\d\d:\d\d:\d\d\S*")
"""An address or a time in a name, which another run does not have again."""
KEPT = 20
"""Names that a receipt keeps of each list."""


def named(names: Iterable[str]) -> Named:
    """Return the first of the names in order, and their number."""
    listed = sorted(names)
    return Named(names=tuple(name[:200] for name in listed[:KEPT]), count=len(listed))


def missing(base: Ran, now: Ran) -> Named:
    """Return the base's tests that did not run now; without ids, how many fewer there are."""
    if not base.cases:
        is_counted = bool(now.counts) or now.exit == 0  # the exit code reports what fails without a count
        return Named(count=max(0, base.counts.get("tests", 0) - now.counts.get("tests", 0)) if is_counted else 0)
    before, after = Counter(map(_function, base.cases)), Counter(map(_function, now.cases))
    lost = before - after
    moved = Counter(_own_name(name) for name in (after - before).elements())
    gone: list[str] = []
    for name in lost.elements():
        if moved[_own_name(name)]:
            moved[_own_name(name)] -= 1
        else:
            gone.append(name)
    return named(gone)


def _function(test: str) -> str:
    return _ONE_TIME.sub("*", _CASE.split(test, maxsplit=1)[0])


def _own_name(test: str) -> str:
    return test.rpartition("::")[2]


def newly_skipped(base: Ran, now: Ran) -> Named:
    """Return the tests that ran on the base, or are new, and are skipped, or expected to fail, now."""
    return named(
        name
        for name, result in now.cases.items()
        if base.cases and result in (SKIPPED, XFAILED) and base.cases.get(name) not in (SKIPPED, XFAILED)
    )


def broken(base: Ran | None, now: Ran) -> set[str]:
    """Return the tests that fail now and did not fail on the base."""
    before = {_ONE_TIME.sub("*", name) for name in (base.failing() if base else ())}
    return {name for name in now.failing() if _ONE_TIME.sub("*", name) not in before}


def runs_new(base: Ran, now: Ran, again: Ran) -> bool:
    """Return False if `again` runs none of the tests that the base lacks and that run now. True if there are none."""
    if now.cases and base.cases:
        new = now.cases.keys() - base.cases.keys()
        return not new or not new.isdisjoint(again.cases)
    tests = [run.counts.get("tests", 0) for run in (base, now, again)]
    return not tests[0] == tests[2] < tests[1]


def passed_count(run: Ran) -> int:
    """Return the number of tests that passed."""
    if run.cases:
        return sum(result == PASSED for result in run.cases.values())
    lost = ("failures", "errors", "skipped", "xfailed")
    return max(0, run.counts.get("tests", 0) - sum(run.counts.get(name, 0) for name in lost))


def ran_nothing(ran: Ran) -> bool:
    """Return True if a command failed before it ran a test, as far as anybody can tell."""
    is_over = ran.exit != 0 and not ran.timed_out
    return is_over and not passed_count(ran) and not ran.counts.get("failures")


def last_line(ran: Ran) -> str:
    """Return the last line that a command printed, or else how it ended."""
    lines = [line.strip() for line in ran.output.splitlines() if line.strip()]
    return lines[-1][:200] if lines else f"exit {ran.exit}"
