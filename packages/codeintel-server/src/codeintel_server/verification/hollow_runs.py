"""Find changed definitions that no test notices, or whose value no test looks at.

A test that calls nothing, compares a value with itself or swallows its failure passes on any code. That a new test
fails on the base shows little of it, because the base lacks even the name. So the bodies are emptied in the clean
checkout, all at once first, then one by one; what is noticed then is made to give another value of the same type. If
the suite ends as it did, the receipt names them. Only for languages in which that runs; a command that counts no tests,
such as a linter, says nothing here. For what there is no time, the receipt says so.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeintel_contract import ContractViolation, read_file
from codeintel_server.verification import comparison
from codeintel_server.verification.checkout import MOST_BYTES, Checkout
from codeintel_server.verification.runner import Ran
from codeintel_session import Named

if TYPE_CHECKING:
    from codeintel_index import Hollow

LONGEST_S = 20.0
"""A suite that takes longer is not run again for this."""
ALL_S = 40.0
"""After this time no further run is begun."""
SLACK_S = 10.0
"""A run may take three times as long as the one that counts, and this."""

Hole = tuple[str, "Hollow"]
Before = Callable[[str, str], bytes]


def examine(place: Checkout, ran: Ran, before: Before) -> dict[str, object]:
    """Return the fields of the receipt that name what the tests do not see; the checkout is as it was then.

    Args:
        place: the checkout of the present tree, which it is again at the end.
        ran: the run that counts.
        before: returns the bytes of a path at a commit, b"" if it is not there.
    """
    from codeintel_index import find_hollows, find_turned  # late: it loads the grammars

    base = place.call.versions.base_commit
    if not base or not ran.counts.get("tests"):
        return {}
    texts = {path: read_file(place.root, path, MOST_BYTES) for path in place.call.versions.code if _is_own(place, path)}
    old = {path: before(base, path) for path in texts}
    holes = [(path, hollow) for path, data in texts.items() for hollow in find_hollows(path, data, old[path])]
    if ran.seconds > LONGEST_S:
        return {"unexamined": _named(holes)}
    search = _Search(place, ran, texts, time.monotonic() + ALL_S)
    unnoticed, left = search.find(holes)
    known = set(_names((*unnoticed, *left)))
    marks = str(place.top.parent / "gives-")
    turned = [
        (path, hollow)
        for number, (path, data) in enumerate(texts.items())
        for hollow in find_turned(path, data, old[path], f"{marks}{number}-")
        if f"{path}: {hollow.name}" not in known
    ]
    any_value, late = search.find(turned)
    pinned = [
        path for path in _read_by_tests(place, texts) if not search.ends_alike([(path, _more_space(texts[path]))])
    ]
    search.restore()
    given = [hole for hole in any_value if Path(hole[1].mark).exists()]
    return {
        "unnoticed": _named(unnoticed),
        "any_value": _named(given),
        "unexamined": _named((*left, *late)),
        "pinned": tuple(pinned),
    }


def _read_by_tests(place: Checkout, texts: dict[str, bytes]) -> list[str]:
    """Return the code whose file name, with its suffix, a changed test holds: it may read the text of the code."""
    tests = [read_file(place.root, path, MOST_BYTES) for path in place.call.versions.new_tests if _is_own(place, path)]
    return [path for path in texts if any(Path(path).name.encode() in test for test in tests)]


def _more_space(data: bytes) -> "Hollow":
    from codeintel_index import Hollow

    return Hollow("", len(data), len(data), b"\n")


@dataclass(frozen=True, slots=True)
class _Search:
    """Runs of the suite with definitions replaced; `until` is when the last may begin."""

    place: Checkout
    ran: Ran
    texts: dict[str, bytes]
    until: float

    def find(self, holes: Sequence[Hole]) -> tuple[list[Hole], list[Hole]]:
        """Return those of the replacements with which the suite ends as it did, and those that were not tried."""
        if not holes or time.monotonic() >= self.until:
            return [], list(holes)
        if self.ends_alike(holes):
            return list(holes), []
        found: list[Hole] = []
        for number, hole in enumerate(holes if len(holes) > 1 else ()):
            if time.monotonic() >= self.until:
                return found, list(holes[number:])
            if self.ends_alike([hole]):
                found.append(hole)
        return found, []

    def restore(self) -> None:
        """Write the files as they were."""
        for path, data in self.texts.items():
            (self.place.root / path).write_bytes(data)

    def ends_alike(self, holes: Sequence[Hole]) -> bool:
        """Return True if the suite ends as it did with these replacements."""
        from codeintel_index import hollowed

        for path, data in self.texts.items():
            (self.place.root / path).write_bytes(hollowed(data, [hollow for file, hollow in holes if file == path]))
        self.place.forget_bytecode()
        verifier, ran = self.place.call.verifier, self.ran
        limit = min(verifier.timeout_s, 3 * ran.seconds + SLACK_S)
        try:
            again = self.place.run(replace(verifier, timeout_s=limit, setup=""))
        except ContractViolation as violation:
            if violation.key.endswith("run_stopped"):
                raise
            return False  # without what it lacks the command does not even write its report
        is_same = all(again.counts.get(name, 0) == ran.counts.get(name, 0) for name in ("tests", "failures", "errors"))
        return is_same and not again.timed_out and again.exit == ran.exit and not comparison.broken(ran, again)


def _names(holes: Sequence[Hole]) -> list[str]:
    return [f"{path}: {hollow.name}" for path, hollow in holes]


def _named(holes: Sequence[Hole]) -> Named:
    return comparison.named(_names(holes))


def _is_own(place: Checkout, path: str) -> bool:
    """Return True for a file that lies in the checkout itself: through a link a file of the user's would be written."""
    file = place.root.resolve() / path
    return file.is_file() and file.resolve() == file and file.stat().st_size <= MOST_BYTES
