"""Find comparisons of new tests that hold with other values, too, in the place of those that changed code gives.

One good assertion notices every change of the code, and beside it others may not be able to fail. So the changed test
files run once more, and each of their new comparisons is evaluated with the right values and then with others: the
test itself has the right ones (`redirect/codeintel_values.py`). Python is read.
"""

from collections.abc import Mapping

from codeintel_server.verification.trials import Hole, Trials, Unseen

NOTES = "CODEINTEL_VALUES"
"""The variable that names the file to which a run writes how its comparisons ended."""


def find_indifferent(
    trials: Trials, tests: Mapping[str, tuple[bytes, bytes]], code: Mapping[str, tuple[bytes, bytes]]
) -> Unseen:
    """Return the comparisons of new tests that hold with every other value that was tried.

    Args:
        trials: the runs of the checkout.
        tests: what the new and changed test files hold now, and what they held before.
        code: the same of the changed code.
    """
    from codeintel_index import find_compared, find_entered

    compared: list[Hole] = [(path, hole) for path, both in tests.items() for hole in find_compared(path, *both)]
    entered: list[Hole] = [(path, hole) for path, both in code.items() for hole in find_entered(path, *both)]
    if not compared or not entered:
        return Unseen([], [])
    files = sorted({path for path, _ in compared})
    notes = trials.place.top.parent / "values"
    notes.unlink(missing_ok=True)
    again = None if trials.is_late() else trials.run([*compared, *entered], files, {NOTES: str(notes)})
    if again is None or again.timed_out:
        return Unseen([], files)
    lines = notes.read_text(encoding="utf-8").splitlines() if notes.is_file() else []
    held, noticed = ({line[2:] for line in lines if line.startswith(f"{sign} ")} for sign in "+-")
    return Unseen([hole.name for _, hole in compared if hole.name in held - noticed], [])
