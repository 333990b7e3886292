"""Call tests of Python without the program that runs them, and write which of them fail.

The plan is a file of JSON: `path` is the import path of the runner at its end, `conftests` are imported first, `tests`
are pairs of a file and of a function or a method of a TestCase. A test that fails is called once more in a process of
its own, so that none is named for what another one left behind. It runs in the user's environment, so it imports the
standard library only. Whatever else goes wrong says nothing: the test may need its runner.
"""

import importlib
import importlib.util
import inspect
import itertools
import json
import os
import subprocess
import sys
import unittest
from types import ModuleType, TracebackType
from typing import Any

FAILS = 3
"""The exit code of a process whose one test fails."""


class Failures(unittest.TestResult):
    """Where assertions failed, and whether a test was called; errors and skips are of no interest."""

    def __init__(self) -> None:
        super().__init__()
        self.is_called = False
        self.places: list[TracebackType | None] = []

    def addFailure(self, test: Any, err: Any) -> None:
        """Keep where an assertion failed."""
        self.places.append(err[2])


def try_out(file: str, name: str) -> "tuple[bool, bool]":
    """Return whether a test can be called without its runner, and whether an assertion of it fails."""
    result = Failures()
    unittest.FunctionTestCase(lambda: call(file, name, result)).run(result)
    return result.is_called, any(is_own(place, file) for place in result.places)


def call(file: str, name: str, result: Failures) -> None:
    """Call a test, with each of its parameters."""
    module = load(file)
    owner, _, method = name.rpartition(".")
    if owner:
        kind = getattr(module, owner)
        if issubclass(kind, unittest.TestCase) and not hasattr(kind, "pytestmark"):
            result.is_called = True
            unittest.TestSuite([kind(method)]).run(result)
        return
    function = getattr(module, name)
    for values in cases_of(function):
        result.is_called = True
        function(**values)


def load(file: str) -> ModuleType:
    """Import a test file by the name that pytest gives it: packages are the folders with an `__init__.py`."""
    folder, parts = os.path.dirname(file), [os.path.splitext(os.path.basename(file))[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = importlib.import_module(".".join(parts))
    if os.path.realpath(str(module.__file__)) != os.path.realpath(file):
        raise ImportError(file)
    return module


def cases_of(function: Any) -> "list[dict[str, Any]]":
    """Return the arguments of each call of a test; none if it takes more than its parameters, or has other marks."""
    marks = getattr(function, "pytestmark", [])
    if inspect.iscoroutinefunction(function) or any(mark.name != "parametrize" for mark in marks):
        return []
    tables = []
    for mark in marks:
        names, rows = mark.args[:2]
        names = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
        if mark.kwargs.get("indirect") or any(getattr(row, "marks", ()) for row in rows):
            return []
        tables.append([dict(zip(names, values_of(row, len(names)), strict=True)) for row in rows])
    found = [{name: value for one in row for name, value in one.items()} for row in itertools.product(*tables)]
    wanted = set(inspect.signature(function).parameters)
    return found if all(set(one) == wanted for one in found) else []


def values_of(row: Any, count: int) -> "list[Any]":
    """Return the values of one set of parameters: of one alone it may be the value itself."""
    if hasattr(row, "marks"):
        return list(row.values)
    return [row] if count == 1 else list(row)


def is_own(place: "TracebackType | None", file: str) -> bool:
    """Return True if the last frame of the project's code is one of the test's own folder: what it asserts failed."""
    here, last = os.path.realpath(os.getcwd()) + os.sep, ""
    while place is not None:
        path = os.path.realpath(place.tb_frame.f_code.co_filename)
        if path.startswith(here) and "site-packages" not in path:
            last = path
        place = place.tb_next
    return os.path.dirname(last) == os.path.dirname(os.path.realpath(file))


def main() -> None:
    """Call the tests of a plan, or the one of a number."""
    place, numbers = sys.argv[1], sys.argv[2:]
    with open(place, encoding="utf-8") as file:
        plan = json.load(file)
    sys.argv[:] = [""]
    sys.path[:] = plan["path"]
    for number, conftest in enumerate(plan["conftests"]):
        spec = importlib.util.spec_from_file_location(f"conftest{number}", conftest)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
    tests = plan["tests"]
    if numbers:
        sys.exit(FAILS if try_out(*tests[int(numbers[0])])[1] else 0)
    tried = [try_out(*test) for test in tests]
    alone = [sys.executable, "-W", "default", os.path.abspath(__file__), place]
    failing = [number for number, (_, fails) in enumerate(tried) if fails]
    found = {
        "called": [test for test, (is_called, _) in zip(tests, tried, strict=True) if is_called],
        "failed": [tests[number] for number in failing if subprocess.call([*alone, str(number)]) == FAILS],
    }
    with open(plan["out"], "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
