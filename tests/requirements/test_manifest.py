"""Every requirement is held by tests that are there, and nothing is added to the product without a requirement.

A row of the manifests (`*.yml` beside this file) says in one sentence what is required and names the tests that hold
it. A row without tests says why under `later`; nothing else may. `covers` lists what the row answers for: a code, a
message, a phase, a jump, a flag, an option, a limit or an intent that no row answers for fails here.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from codeintel_contract.flags import FLAG_NAMES, OPTIONS
from codeintel_contract.loader import load_contract
from codeintel_contract.names import Intent, Key, Phase
from codeintel_session.machine import limits
from codeintel_session.machine.steps import JUMPS

ROOT = Path(__file__).parents[2]
MANIFESTS = sorted(Path(__file__).parent.glob("*.yml"))
ID = re.compile(r"(flow-1|protocol-2)\.\d+-[a-z0-9]+(-[a-z0-9]+)*")
SENTENCE = re.compile(r"[A-Za-z_][^\n]{15,170}\.")
SWITCH = re.compile(r"(pytest\.)?mark\.(skip|xfail)\b")
SLOW = re.compile(r"(pytest\.)?mark\.slow\b")
FOLDERS = ("packages/", "tests/")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A row. Exactly one of `tests` and `later` is given; `covers` are `kind:name`."""

    id: str
    says: str
    tests: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    later: str = ""


def read(path: Path) -> list[Requirement]:
    """The rows of a manifest, section after section; a field that no row has is a TypeError."""
    sections = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return [requirement(row) for rows in sections.values() for row in rows]


def requirement(row: dict[str, Any]) -> Requirement:
    return Requirement(**{name: tuple(value) if isinstance(value, list) else value for name, value in row.items()})


REQUIREMENTS = [row for path in MANIFESTS for row in read(path)]


@cache
def names_in(path: str) -> dict[str, list[ast.expr]]:
    """What of a test file can be named in a row, with its decorators: `test_x`, `TestX::test_y`, `TestX`."""
    file = ROOT / path
    found: dict[str, list[ast.expr]] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node.decorator_list
        if isinstance(node, ast.ClassDef):
            methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)]
            found |= {f"{node.name}::{inner.name}": [*node.decorator_list, *inner.decorator_list] for inner in methods}
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):  # hypothesis' state machines
            found[node.targets[0].id] = node.value.elts if isinstance(node.value, ast.List) else [node.value]
    return found


def vanished(tests: Iterable[str]) -> list[str]:
    """Those of the tests that pytest would not collect from where they are said to be."""
    return [test for test in tests if not is_there(test)]


def is_there(test: str) -> bool:
    path, _, name = test.partition("::")
    collected = path.startswith(FOLDERS) and Path(path).name.startswith("test_") and name.startswith(("test_", "Test"))
    return collected and name in names_in(path)


def is_marked(test: str, mark: re.Pattern[str]) -> bool:
    """Tell whether a test has a decorator, or stands in a module all of whose tests have that mark."""
    path, _, name = test.partition("::")
    found = names_in(path)
    marks = [*found.get(name, []), *found.get("pytestmark", [])]
    return any(mark.match(ast.unparse(each)) for each in marks)


def test_every_row_has_an_id_of_its_section_and_a_sentence() -> None:
    assert [row.id for row in REQUIREMENTS if not ID.fullmatch(row.id)] == []
    assert [row.id for row in REQUIREMENTS if not SENTENCE.fullmatch(row.says)] == []
    strays = [row.id for path in MANIFESTS for row in read(path) if not row.id.startswith(path.stem)]
    assert strays == []


def test_no_id_and_no_sentence_stands_twice() -> None:
    for values in ([row.id for row in REQUIREMENTS], [row.says.casefold() for row in REQUIREMENTS]):
        assert [value for value, times in Counter(values).items() if times > 1] == []


def test_every_row_is_held_by_tests_or_says_why_not_yet() -> None:
    assert len(REQUIREMENTS) > 300
    assert [row.id for row in REQUIREMENTS if bool(row.tests) is bool(row.later)] == []
    assert [row.id for row in REQUIREMENTS if row.later and len(row.later) < 20] == []
    assert [row.id for row in REQUIREMENTS if len(set(row.tests)) != len(row.tests)] == []


def test_every_test_that_is_named_is_there() -> None:
    assert {row.id: gone for row in REQUIREMENTS if (gone := vanished(row.tests))} == {}


def test_no_test_that_is_named_is_always_skipped_or_expected_to_fail() -> None:
    assert [(row.id, test) for row in REQUIREMENTS for test in row.tests if is_marked(test, SWITCH)] == []


def test_every_requirement_is_held_by_the_default_run() -> None:
    """By the first test of its row, which is never left to chance; see conftest.py."""
    slow = [row.id for row in REQUIREMENTS if row.tests and is_marked(row.tests[0], SLOW)]
    assert slow == []


def test_a_test_that_vanished_or_was_never_collected_is_noticed() -> None:
    good = REQUIREMENTS[0].tests[0]
    path = good.partition("::")[0]
    wrong = [f"{path}::test_no_such", f"{path}::fail", "tests/none.py::test_x", f"src/{good}", path]
    assert vanished([good, *wrong]) == wrong


def messages() -> Iterable[str]:
    """Keys of all that can be said to a submission: refusals and endings."""
    return (
        key for key in load_contract(None).messages if key.startswith(("common_failures.", "failures.", "success."))
    )


UNIVERSE: dict[str, Callable[[], Iterable[str]]] = {
    "code": lambda: (message.error for message in load_contract(None).messages.values() if message.error),
    "message": messages,
    "phase": lambda: (*Key, Phase.SESSION_COMPLETE),
    "jump": lambda: (f"{number}/{outcome}" for number, outcome in JUMPS),
    "flag": lambda: FLAG_NAMES,
    "option": lambda: (name for row in OPTIONS for name in (row.long, row.short) if name),
    "limit": lambda: (name for name in vars(limits) if name.isupper()),
    "intent": lambda: Intent,
}


@pytest.mark.parametrize("kind", UNIVERSE)
def test_nothing_is_in_the_product_that_no_row_answers_for(kind: str) -> None:
    covered = {name.partition(":")[2] for row in REQUIREMENTS for name in row.covers if name.startswith(f"{kind}:")}
    known = {str(name) for name in UNIVERSE[kind]()}
    assert sorted(known - covered) == []
    assert sorted(covered - known) == [], "a row answers for what is not there any more"


def test_rows_answer_only_for_kinds_there_are() -> None:
    kinds = {name.partition(":")[0] for row in REQUIREMENTS for name in row.covers}
    assert sorted(kinds - UNIVERSE.keys()) == []
