"""Find tests that pass under pytest alone: called without it, in the same environment, an assertion of theirs fails.

Code that asks whether it is tested, and a runner that lets a test pass, give themselves away so. Only tests
are called that need nothing from pytest, so far as their text, their conftest files and its settings tell.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from codeintel_contract import read_file
from codeintel_server.verification.checkout import MOST_BYTES
from codeintel_server.verification.junit import PASSED
from codeintel_server.verification.selection import narrow
from codeintel_server.verification.trials import Trials

BARE = "CODEINTEL_BARE"
"""The variable that names the plan of the tests that are called in place of the runner."""
MOST = 3
"""Tests that are run alone once more under pytest, to be sure that they pass there."""
_USES_RUNNER = re.compile(
    rb"autouse|setup_module|setup_function|[Ww]arn|[Ll]ogg|(?i:pytest_)|sys\.(?:argv|modules)|isatty"
)
_PREPARES = re.compile(rb"autouse|\bpytest_\w+|environ|\bset(?:up|tings|locale)\b|seed\(")
CONFIGURED = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_SETTINGS = re.compile(rb"import-?mode|^\s*env(?:_files)?\s*=|pytest_env|DJANGO_SETTINGS|-p (?!no:)|freezegun", re.M)


def find_dependent(trials: Trials, tests: Mapping[str, tuple[bytes, bytes]]) -> tuple[str, ...]:
    """Return the new tests, `path: name`, that pass under pytest and fail without it.

    Args:
        trials: the runs of the checkout; one of them has written the import path of pytest.
        tests: what the new and changed test files hold now, and what they held before.
    """
    from codeintel_index import list_tests

    root, folder = trials.place.root, trials.place.top.parent
    noted, plan, out = folder / "paths", folder / "bare-plan", folder / "bare-out"
    if not noted.is_file() or not trials.ran.cases or trials.is_late() or _any_of(_SETTINGS, root, CONFIGURED):
        return ()
    plain = {path: both for path, both in tests.items() if not _USES_RUNNER.search(both[0])}
    steering = {path: [*_conftests(root, path)] for path in plain}
    plain = {path: both for path, both in plain.items() if not _any_of(_PREPARES, root, steering[path])}
    named = [(path, name) for path, both in plain.items() for name in list_tests(path, *both)]
    if not named:
        return ()
    conftests = dict.fromkeys(str(root / one) for path in plain for one in steering[path])
    asked = {"tests": [(str(root / path), name) for path, name in named], "conftests": [*conftests], "out": str(out)}
    plan.write_text(json.dumps(asked | {"path": noted.read_text(encoding="utf-8").split("\0")}), encoding="utf-8")
    trials.run([], [path for path, _ in named], {BARE: str(plan)})
    if not out.is_file():
        return ()
    found = json.loads(out.read_text(encoding="utf-8"))
    failed = [(path, name) for path, name in named if [str(root / path), name] in found["failed"]][:MOST]
    whole = [path for path, both in plain.items()
             if all([str(root / path), name] in found["called"] for name in list_tests(path, both[0]))]  # fmt: skip
    return tuple(
        f"{path}: {name}"
        for path, name in failed
        if _passes(trials, f"{path}::{name.replace('.', '::')}") or (path in whole and _passes(trials, path))
    )


def _passes(trials: Trials, place: str) -> bool:
    """Return True if a test, or a file whose tests were all called, passes under pytest: no other test prepares it."""
    if trials.is_late() or not narrow(trials.place.root, trials.place.call.verifier.command, [place]):
        return False
    again = trials.run([], [place])
    return again is not None and bool(again.cases) and all(result == PASSED for result in again.cases.values())


def _conftests(root: Path, path: str) -> Iterator[str]:
    """Yield the conftest files in reach of a test file, outermost first."""
    for folder in reversed(PurePosixPath(path).parents):
        if (root / folder / "conftest.py").is_file():
            yield (folder / "conftest.py").as_posix()


def _any_of(words: re.Pattern[bytes], root: Path, names: Iterable[str]) -> bool:
    """Return True if one of these files, where it is there, holds such words."""
    there = (name for name in names if (root / name).is_file())
    return any(words.search(read_file(root, name, MOST_BYTES)) for name in there)
