"""Run the suite of a checkout again with parts of its files replaced, as often as there is time.

The tests that changed run first, where the runner can select them: what they notice is noticed. Only what they do not
notice takes the whole suite, and a suite that is too long for this is not run.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from codeintel_contract import ContractViolation
from codeintel_server.verification import comparison
from codeintel_server.verification.checkout import Checkout
from codeintel_server.verification.runner import Ran
from codeintel_server.verification.selection import narrow

if TYPE_CHECKING:
    from codeintel_index import Hollow

LONGEST_S = 20.0
"""A suite that takes longer is not run again for this; nor are the tests that changed, if they alone take longer."""
SHORT_S = 3.0
"""A suite that takes no longer is run as a whole at once."""
ALL_S = 40.0
"""After this time no further run is begun."""
SLACK_S = 10.0
"""A run may take three times as long as the one that counts, and this."""

FEW = 2
"""More parts than these are replaced all at once first."""

Hole = tuple[str, "Hollow"]


class Unseen(NamedTuple):
    """What no run notices, `path:line test`, and the files of which it is not known."""

    names: list[str]
    unknown: list[str]


@dataclass(frozen=True, slots=True)
class Trials:
    """Runs of the suite with parts of files replaced.

    Args:
        place: the checkout.
        ran: the run of the whole suite, with nothing replaced.
        texts: what the files hold that may be replaced.
        until: when the last run may begin.
        files: the test files that run first; none where that saves nothing.
        near: their run, with nothing replaced.
    """

    place: Checkout
    ran: Ran
    texts: dict[str, bytes]
    until: float
    files: tuple[str, ...] = ()
    near: Ran | None = None

    @classmethod
    def begin(cls, place: Checkout, ran: Ran, texts: dict[str, bytes], files: Sequence[str]) -> "Trials":
        """Return the runs to make; none may begin if neither the suite nor these test files are fast enough.

        A runner runs every file that is named to it: results that the run of the suite does not have are not of the
        suite, and then these files do not run first.
        """
        trials = cls(place, ran, texts, time.monotonic() + ALL_S)
        if ran.seconds > SHORT_S and files and narrow(place.root, place.call.verifier.command, files):
            near = trials.run([], files)
            most = LONGEST_S if trials.is_long else ran.seconds / 2
            is_part = near is not None and near.cases and near.cases.keys() <= ran.cases.keys()
            if near is not None and is_part and not near.timed_out and near.seconds <= most:
                return replace(trials, files=tuple(files), near=near)
        return replace(trials, until=0.0) if trials.is_long else trials

    @property
    def is_long(self) -> bool:
        """Whether the whole suite takes too long to run again."""
        return self.ran.seconds > LONGEST_S

    @property
    def usual(self) -> Ran:
        """What a run of no test files in particular is compared with: of a long suite, that of the files alone."""
        return self.near if self.is_long and self.near is not None else self.ran

    def is_late(self) -> bool:
        """Return True if no further run may begin."""
        return time.monotonic() >= self.until

    def find(self, holes: Sequence[Hole]) -> tuple[list[Hole], list[Hole]]:
        """Return those of the replacements with which the suite ends as it did, and those for which that is unknown."""
        if len(holes) > FEW and not self.is_late():
            all_alike = self.ends_alike(holes)
            if all_alike:
                return list(holes), []
            if all_alike is None and self.is_long:
                return [], list(holes)
        found: list[Hole] = []
        unknown: list[Hole] = []
        for hole in holes:
            is_alike = None if self.is_late() else self.ends_alike([hole])
            if is_alike is not False:
                (found if is_alike else unknown).append(hole)
        return found, unknown

    def restore(self) -> None:
        """Write the files as they were."""
        for path, data in self.texts.items():
            (self.place.root / path).write_bytes(data)

    def ends_alike(self, holes: Sequence[Hole]) -> bool | None:
        """Return True if the suite ends as it did with these replacements; None if that is not known.

        It is not if a run was stopped before its end, or if the suite is too long and the files that run first end as
        they did.
        """
        if self.near is not None:
            is_alike = self._is_alike(self.run(holes, self.files), self.near)
            if not is_alike:
                return is_alike
            if self.is_long:
                return None
        return self._is_alike(self.run(holes), self.ran)

    def _is_alike(self, again: Ran | None, ran: Ran) -> bool | None:
        if again is None:
            return False  # without what it lacks the command does not even write its report
        if again.timed_out:
            return None
        is_same = all(again.counts.get(name, 0) == ran.counts.get(name, 0) for name in ("tests", "failures", "errors"))
        return is_same and again.exit == ran.exit and not comparison.broken(ran, again)

    def run(
        self, holes: Sequence[Hole], files: Sequence[str] = (), variables: Mapping[str, str] | None = None
    ) -> Ran | None:
        """Run the suite with these replacements; None if it wrote no report.

        Args:
            holes: what is replaced.
            files: the test files that suffice, where the runner can select them; of a long suite those that run first.
            variables: what is set beside those of each run.
        """
        from codeintel_index import hollowed

        verifier = self.place.call.verifier
        for path, data in self.texts.items():
            (self.place.root / path).write_bytes(hollowed(data, [hollow for file, hollow in holes if file == path]))
        self.place.forget_bytecode()
        files = files or (self.files if self.is_long else ())
        line = narrow(self.place.root, verifier.command, files) if files else ""
        is_first = bool(files) and self.is_long and self.near is None
        limit = min(verifier.timeout_s, LONGEST_S if is_first else 3 * self.usual.seconds + SLACK_S)
        once = replace(verifier, command=line or verifier.command, timeout_s=limit, setup="")
        try:
            return self.place.run(once, variables)
        except ContractViolation as violation:
            if violation.key.endswith("run_stopped"):
                raise
            return None
        finally:
            self.place.take_created()  # the next run must not compare with what this one wrote
