"""Comparisons of tests that hold with wrong values, too: which are named, and that no honest one is."""

import importlib.util
import sys
import types
import unittest
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index import find_compared, find_entered, hollowed
from codeintel_server.verification import environment, indifferent

CODE = """
from collections import namedtuple

class Sum:
    def __init__(self, value):
        self.total = double(value)

    def __eq__(self, other):
        return self.total == other.total

    @property
    def half(self):
        return self.total // 2

def double(value):
    'Twice the value.'
    return 2 * value

def pair(value):
    return (value, double(value))

each = lambda values: [double(one) for one in values]

def table(value): return {"a": value, "b": {value}}

class Kept(dict):
    pass

class All:
    def __eq__(self, other):
        return True

def kept():
    return Kept(a=1)
"""


@pytest.fixture
def weighed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[int]]:
    """Play the lines of a test, and return the lines whose comparisons hold with wrong values, the first being 1."""
    notes = tmp_path / "values"
    monkeypatch.setenv(indifferent.NOTES, str(notes))
    place = environment.REDIRECT / "codeintel_values.py"
    spec = importlib.util.spec_from_file_location("codeintel_values", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "codeintel_values", module)
    code = types.ModuleType("code")
    exec(hollowed(CODE.encode(), find_entered("code.py", CODE.encode(), b"")), vars(code))

    def play(lines: str) -> list[int]:
        body = "\n".join(f"        {line}" for line in lines.strip().splitlines())
        text = f"import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n{body}\n".encode()
        space = {**vars(code), "approx": pytest.approx}
        exec(hollowed(text, find_compared("test_a.py", text, b"")), space)
        result = unittest.TestResult()
        space["T"]("test_it").run(result)
        assert (result.failures, result.errors) == ([], [])
        told = notes.read_text("utf-8").split("\n") if notes.exists() else []
        held, noticed = ({line[2:] for line in told if line[:1] == sign} for sign in "+-")
        return sorted(int(place.partition(":")[2].partition(" ")[0]) - 3 for place in held - noticed)

    return play


@pytest.mark.parametrize(
    "comparison",
    [
        "got in (4, got)", "got in range(-9**9, 9**9)", "max(got, 5) == 5", "min(got, 4) == 4",
        "got == approx(4, abs=9)", "double(1) in range(-9**9, 9**9)", "Sum(2).total in range(-9**9, 9**9)",
        "made.total in (4, made.total)", "min(made.half, 2) == 2", "max(Sum(1).half, 5) == 5",
        "max(pair(2)[1], 5) == 5",
        "double('a') in (double('a')[:0] + 'aa', *[one for one in [text] if one != 'aa'], 'aa') or text == text",
        "one == one", "got == All()", "got == got and text == text", "table(1).get('c', 5) == 5",
    ],
)  # fmt: skip
def test_a_comparison_that_takes_other_values_is_named(weighed: Callable[[str], list[int]], comparison: str) -> None:
    before = "got, text, made = double(2), double('a'), Sum(2)\none, two = pair(1)\nassert got == 4"
    assert weighed(f"{before}\nassert {comparison}") == [4]


def test_and_so_is_one_of_a_test_case(weighed: Callable[[str], list[int]]) -> None:
    lines = (
        "for got in each([1, 2]):", "    self.assertIn(got, [2, 4])", "    self.assertIn(2, [2, got])",
        "self.assertAlmostEqual(double(2), 4, delta=100)", "self.assertTrue(max(double(2), 5) == 5)",
        "self.assertEqual(double(2), 4, 'twice')", "self.assertEqual(min(double(2), 4), 4)",
    )  # fmt: skip
    assert weighed("\n".join(lines)) == [3, 4, 5, 7]


@pytest.mark.parametrize(
    "comparison",
    [
        "got == 4", "double(2) == double(2)", "made == Sum(2)", "text.strip() == text", "sorted(found) == found",
        "len(set(each([1, 2]))) == len(each([1, 2]))", "[one for one in found if one == 7] == []", "type(got) == int",
        "isinstance(got, int)", "got is not None", "got > 3", "got != 5", "5 not in found", "len(found) == 2",
        "1 in found", "got & 4 == 4", "got % 2 == 0", "abs(got) == got", "got in (3, 4, 5)", "2 <= got <= 4",
        "bool(got) == True", "'a' in text", "got == approx(4)", "table(1)['b'] == {1}",
        "list(table(1)) == ['a', 'b']", "[got, 1] == [4, 1]", "(other := double(1)) == 2",
        "any(one == 1 for one in found)", "(lambda it: it == 4)(got)", "3 == 3",
        "unittest.TestCase == unittest.TestCase", "pair(1) == (1, 2)", "f'{got}' == '4'", "made.total == 4",
        "got == min(got, 4)", "[one.total for one in (Sum(1), Sum(2))] == [2, 4]", "pair(1)[0] == 1",
        "own == own", "len(found) == len(each([1, 2]))", "set(each([1])) <= {2}",
        "pair(1)[1] in pair(1)",
    ],
)  # fmt: skip
def test_an_honest_one_is_not(weighed: Callable[[str], list[int]], comparison: str) -> None:
    before = "got, text, found = double(2), double('a'), double([1])\nmade, own = Sum(2), kept()"
    assert weighed(f"{before}\nassert {comparison}") == []


def test_the_test_itself_has_the_right_values(weighed: Callable[[str], list[int]]) -> None:
    lines = (
        "seen = iter(each([1, 2, 3]))", "assert next(seen) == 2", "got = double(2)", "assert got == 4", "got += 1",
        "assert got == 5", "assert max(got, 5) == 5", "got = 5", "assert max(got, 5) == 5",
    )  # fmt: skip
    assert weighed("\n".join(lines)) == []


def test_a_comparison_that_was_there_before_is_not_weighed() -> None:
    text = b"def test_it():\n    assert f() == 1\n    assert g() == 2\n"
    added = text.replace(b"it", b"other") + b"    assert h() == 3\n"
    assert [hole.name for hole in find_compared("a.py", added, text) if hole.name] == ["a.py:4 test_other"]
    assert find_compared("a.py", text, text) == find_compared("a.js", text, b"") == []
