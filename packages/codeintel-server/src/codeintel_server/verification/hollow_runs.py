"""Find changed definitions that no test notices: with their bodies emptied, the suite ends as it did.

A test that calls nothing, compares a value with itself or swallows its failure passes on any code. That a new test
fails on the base shows little of it, because the base lacks even the name. So the bodies are emptied in the clean
checkout, all at once first, then one by one. Only for languages in which an empty body runs, and for suites that take a
few seconds; a command that counts no tests, such as a linter, says nothing here.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeintel_contract import ContractViolation, read_file
from codeintel_server.verification import comparison
from codeintel_server.verification.checkout import Checkout
from codeintel_server.verification.runner import Ran
from codeintel_session import Named

if TYPE_CHECKING:
    from codeintel_index import Hollow

LONGEST_S = 10.0
"""A suite that takes longer is not run again for this."""
ALL_S = 20.0
"""After this time no further run is begun; it is the limit of each, too."""
MOST = 8
MOST_BYTES = 1_000_000

Hole = tuple[str, "Hollow"]


def find_unnoticed(place: Checkout, ran: Ran, before: Callable[[str, str], bytes]) -> Named:
    """Return the changed definitions without which the suite ends as `ran` did; the checkout is as it was then.

    Args:
        place: the checkout of the present tree, which it is again at the end.
        ran: the run that counts.
        before: returns the bytes of a path at a commit, b"" if it is not there.
    """
    from codeintel_index import find_hollows  # late: it loads the grammars

    versions = place.call.versions
    if ran.seconds > LONGEST_S or not versions.base_commit or not ran.counts.get("tests"):
        return Named()
    texts = {path: read_file(place.root, path, MOST_BYTES) for path in versions.code if _is_own(place.root, path)}
    holes = [
        (path, hollow)
        for path, data in texts.items()
        for hollow in find_hollows(path, data, before(versions.base_commit, path))
    ][:MOST]
    until = time.monotonic() + ALL_S
    found = holes if holes and _ends_alike(place, ran, texts, holes) else []
    if not found and len(holes) > 1:
        found = [hole for hole in holes if time.monotonic() < until and _ends_alike(place, ran, texts, [hole])]
    for path, data in texts.items():
        (place.root / path).write_bytes(data)
    return comparison.named(f"{path}: {hollow.name}" for path, hollow in found)


def _is_own(root: Path, path: str) -> bool:
    """Return True for a file that lies in the checkout itself: through a link a file of the user's would be written."""
    place = root.resolve() / path
    return place.is_file() and place.resolve() == place and place.stat().st_size <= MOST_BYTES


def _ends_alike(place: Checkout, ran: Ran, texts: dict[str, bytes], holes: Sequence[Hole]) -> bool:
    from codeintel_index import hollowed

    for path, data in texts.items():
        (place.root / path).write_bytes(hollowed(data, [hollow for file, hollow in holes if file == path]))
    place.forget_bytecode()
    verifier = place.call.verifier
    try:
        again = place.run(replace(verifier, timeout_s=min(verifier.timeout_s, ALL_S), setup=""))
    except ContractViolation as violation:
        if violation.key.endswith("run_stopped"):
            raise
        return False  # without what it lacks the command does not even write its report
    is_same = all(again.counts.get(name, 0) == ran.counts.get(name, 0) for name in ("tests", "failures", "errors"))
    return is_same and not again.timed_out and again.exit == ran.exit and not comparison.broken(ran, again)
