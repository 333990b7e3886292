"""How the tests of a CMake project are built and run, as far as its `CMakeLists.txt` says; nothing is run.

Many projects build their tests only where an option is on: without it `ctest` finds none, and ends well.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from codeintel_server.verification.junit import VARIABLE

_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|#.*')
_CALL = re.compile(r"^\s*(\w+)\s*\(([^()]*)", re.M)
_STARTS = re.compile(r"enable_testing\b|include CTest\b")
_ADDS = re.compile(r"add_test\b|\w+_discover_tests\b|add_subdirectory \S*test", re.I)
_OFF = ("OFF", "FALSE", "NO", "0", "")


def test_command(text: str) -> str:
    """Return the line that builds and tests what a `CMakeLists.txt` describes; "" if it has no tests of its own.

    An option that is off by default is switched on if tests are started, or added, only where it is on. Of several such
    places the one with the fewest options is taken, first with those for tests. A file without `project` is a part of
    the one above it, and cannot be built alone.

    Args:
        text: what the file at the root of the build holds.
    """
    calls = [(name.lower(), given.split()) for name, given in _CALL.findall(_STRING_OR_COMMENT.sub('""', text))]
    names = {name for name, _ in calls}
    inside = [(f"{name} {' '.join(given)}", options) for name, given, options in _with_options(calls)]
    starts = [options for call, options in inside if _STARTS.match(call)]
    adds = [options for call, options in inside if _ADDS.match(call)]
    if "project" not in names or not (starts or "add_test" in names):
        return ""
    needed = {option for places in (starts, adds) for option in min(places, key=_cost, default=())}
    build = "".join(f" -D{option}=ON" for option in sorted(needed))
    report = f'--output-junit "${VARIABLE}"'
    return f"cmake -S . -B build{build} && cmake --build build && ctest --test-dir build --output-on-failure {report}"


def _with_options(calls: Sequence[tuple[str, list[str]]]) -> Iterator[tuple[str, list[str], frozenset[str]]]:
    """Yield each call with the options that are off by default and must be on where it is reached."""
    off: set[str] = set()
    around: list[set[str]] = []
    for name, given in calls:
        if name in ("option", "cmake_dependent_option") and "".join(given[2:3]).upper() in _OFF:
            off.update(given[:1])
        elif name == "if":
            around.append(_asked_for(given, off))
        elif name in ("elseif", "else"):
            around[-1:] = [set()]
        elif name == "endif":
            around[-1:] = []
        yield name, given, frozenset().union(*around)


def _cost(options: Collection[str]) -> tuple[int, int]:
    return sum("TEST" not in option.upper() for option in options), len(options)


def _asked_for(condition: Sequence[str], off: set[str]) -> set[str]:
    """Return the options that must be on for a condition to hold; where one of several is enough, that of tests."""
    if "NOT" in condition:
        return set()
    if "OR" not in condition:
        return off.intersection(condition)
    choice = [word for word in condition if word != "OR"]
    return set(sorted(choice, key=lambda word: "TEST" not in word.upper())[:1]) if off.issuperset(choice) else set()
