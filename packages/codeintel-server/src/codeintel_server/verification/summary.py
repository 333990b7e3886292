"""Count tests by the words of a runner that writes no report, in all that it prints.

A runner is a row: how its summary looks, and which group counts what. What does not match counts nothing, and a run
without counts is compared by its exit code alone. A build that fails counts as an error: nothing of it was tested.
"""

import re

_ROWS = tuple(
    re.compile(text, re.MULTILINE)
    for text in (
        # pytest: "= 1 failed, 3 passed, 1 skipped, 1 xfailed in 0.1s ="; each part is found by `_WORDS`
        r"^=*\s*(?P<words>(?:\d+ [a-z]+(?:, )?)+) in [\d.]+s",
        # unittest: "Ran 3 tests in 0.1s", then "OK (skipped=1)" or "FAILED (failures=1, errors=1)"
        r"^Ran (?P<tests>\d+) tests? in [\d.]+s",
        # Jest: "Tests:       1 failed, 1 skipped, 3 passed, 5 total"; Vitest: "Tests  1 failed | 3 passed (4)"
        r"^\s*Tests:?\s+(?P<words>(?:\d+ [a-z]+(?:, | \| )?)+)(?:\s*\(\d+\))?\s*$",
        # Mocha: "3 passing (5ms)", "1 failing", "1 pending"
        r"^\s+(?P<words>\d+ passing)\b.*$",
        r"^\s+(?P<words>\d+ (?:failing|pending))\s*$",
        # node:test: "# tests 3" (TAP), or with a sign for information (spec); tape: "# tests 3", "# fail  1"
        r"^[#\u2139] tests +(?P<tests>\d+)$",
        r"^[#\u2139] fail +(?P<failures>\d+)$",
        r"^[#\u2139] (?:skipped|skip|todo) +(?P<skipped>\d+)$",
        # Cargo: "test result: ok. 3 passed; 0 failed; 1 ignored; ..."
        r"^test result: \w+\. (?P<words>\d+ passed; \d+ failed; \d+ ignored)",
        # scripts of the project's own: "3 passed, 1 failed"
        r"^(?P<words>\d+ passed, \d+ failed(?:, \d+ skipped)?)\.?\s*$",
        r"^(?:FAILED|OK) \((?P<pairs>(?:[\w ]+=\d+(?:, )?)+)\)",
        # Minitest: "3 runs, 3 assertions, 1 failures, 0 errors, 1 skips"; test-unit: "... 1 pendings, 1 omissions"
        r"^(?P<tests>\d+) (?:runs|tests), \d+ assertions, (?P<failures>\d+) failures, (?P<errors>\d+) errors\b",
        r"^\d+ (?:runs|tests), \d+ assertions, .*, (?P<skipped>\d+) (?:skips|omissions)\b",
        r"^\d+ tests, \d+ assertions, .*, (?P<skipped>\d+) pendings\b",
        # prove: "Files=2, Tests=9,  1 wallclock secs", before it "Failed 1/3 subtests"
        r"^Files=\d+, Tests=(?P<tests>\d+),",
        r"^\s*Failed (?P<failures>\d+)/\d+ subtests",
        # what could not be built or loaded at all
        r"(?P<broken>^error: could not compile|\[build failed\]|^Test Suites:\s+\d+ failed"
        r"|^\s*Test Files\s+\d+ failed)",
    )
)
_TAP = re.compile(
    r"^(?P<inner>[ \t]+)?(?P<failed>not )?ok (?:\d+|-)(?=\s)(?P<skipped>.*#\s*(?:skip|todo)\b)?",
    re.MULTILINE | re.IGNORECASE,
)
_WORDS = re.compile(r"(\d+) (\w+)")
_PAIRS = re.compile(r"([\w ]+)=(\d+)")
_KIND = {
    "passed": "", "passing": "", "failed": "failures", "failing": "failures", "error": "errors", "errors": "errors",
    "skipped": "skipped", "pending": "skipped", "ignored": "skipped", "todo": "skipped", "xfailed": "xfailed",
    "xpassed": "xpassed",
}  # fmt: skip


LONGEST = 1000
"""A line with more characters sums up nothing."""
_HINTS = ("pass", "fail", "error", "skip", "pending", "ignored", "todo", "tests", "ran ", "ok ", "assertions")
"""What counts holds one of these in some case: to try each row on all that is printed takes ten times as long."""


class Summary:
    """The counts of an output that is read block by block."""

    def __init__(self) -> None:
        self._found: dict[str, int] = {}
        self._tap: dict[str, int] = {}
        self._broken = 0

    def add(self, lines: str) -> None:
        """Read further whole lines."""
        text = "\n".join(line for line in lines.split("\n") if len(line) <= LONGEST and _may_count(line.lower()))
        for row in _ROWS:
            for match in row.finditer(text):
                groups = match.groupdict()
                self._broken += bool(groups.pop("broken", None))
                for number, word in _WORDS.findall(groups.pop("words", None) or ""):
                    if word in _KIND:
                        _count(self._found, "tests", number)
                        if _KIND[word]:
                            _count(self._found, _KIND[word], number)
                for word, number in _PAIRS.findall(groups.pop("pairs", None) or ""):
                    if kind := {"failures": "failures", "errors": "errors", "skipped": "skipped"}.get(word.strip()):
                        _count(self._found, kind, number)
                for kind, number in groups.items():
                    _count(self._found, kind, number)
        for line in _TAP.finditer(text):
            if line["inner"]:  # of a runner whose outermost tests are files, these alone show that one has grown
                _count(self._tap, "inner", 1)
                continue
            _count(self._tap, "tests", 1)
            _count(self._tap, "skipped" if line["skipped"] else "failures" if line["failed"] else "passed", 1)

    def counts(self) -> dict[str, int]:
        """Return what was counted; empty if no runner is recognized."""
        found = dict(self._found)
        if self._broken and not found.get("failures"):
            _count(found, "errors", self._broken)
        found = found or (dict(self._tap) if "tests" in self._tap else {})
        found.pop("passed", None)
        return {"tests": 0, "failures": 0, "errors": 0, "skipped": 0} | found if found else {}


def _may_count(line: str) -> bool:
    return any(hint in line for hint in _HINTS)


def _count(counts: dict[str, int], kind: str, number: str | int) -> None:
    counts[kind] = counts.get(kind, 0) + int(number)


def read_summary(output: str) -> dict[str, int]:
    """Return the counts of a whole output; empty if no runner is recognized."""
    summary = Summary()
    summary.add(output)
    return summary.counts()
