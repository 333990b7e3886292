"""Run the suite of a checkout again with parts of its files replaced, as often as there is time."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codeintel_contract import ContractViolation
from codeintel_server.verification import comparison
from codeintel_server.verification.checkout import Checkout
from codeintel_server.verification.runner import Ran
from codeintel_server.verification.selection import narrow

if TYPE_CHECKING:
    from codeintel_index import Hollow

LONGEST_S = 20.0
"""A suite that takes longer is not run again for this."""
ALL_S = 40.0
"""After this time no further run is begun."""
SLACK_S = 10.0
"""A run may take three times as long as the one that counts, and this."""

FEW = 2
"""More parts than these are replaced all at once first."""

Hole = tuple[str, "Hollow"]


@dataclass(frozen=True, slots=True)
class Trials:
    """Runs of the suite with parts of files replaced; `until` is when the last may begin."""

    place: Checkout
    ran: Ran
    texts: dict[str, bytes]
    until: float

    def is_late(self) -> bool:
        """Return True if no further run may begin."""
        return time.monotonic() >= self.until

    def find(self, holes: Sequence[Hole]) -> tuple[list[Hole], list[Hole]]:
        """Return those of the replacements with which the suite ends as it did, and those for which that is unknown."""
        if len(holes) > FEW and not self.is_late() and self.ends_alike(holes):
            return list(holes), []
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
        """Return True if the suite ends as it did with these replacements; None if it was stopped before its end."""
        again, ran = self.run(holes), self.ran
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
            files: the test files that suffice, where the runner can select them.
            variables: what is set beside those of each run.
        """
        from codeintel_index import hollowed

        verifier = self.place.call.verifier
        for path, data in self.texts.items():
            (self.place.root / path).write_bytes(hollowed(data, [hollow for file, hollow in holes if file == path]))
        self.place.forget_bytecode()
        limit = min(verifier.timeout_s, 3 * self.ran.seconds + SLACK_S)
        line = narrow(self.place.root, verifier.command, files) if files else ""
        once = replace(verifier, command=line or verifier.command, timeout_s=limit, setup="")
        try:
            return self.place.run(once, variables)
        except ContractViolation as violation:
            if violation.key.endswith("run_stopped"):
                raise
            return None
        finally:
            self.place.take_created()  # the next run must not compare with what this one wrote
