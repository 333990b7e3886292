"""Empty implementations, judged by tables of cases: one file per language under `cases/`, half of them legitimate."""

from collections.abc import Callable
from typing import Any

import pytest

from codeintel_index.emptiness import is_empty_implementation
from codeintel_index.emptiness.rows import ROW_OF
from codeintel_index.languages import LANGUAGES

SUFFIXES = {
    "python": "py",
    "javascript": "js",
    "typescript": "ts",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c",
    "cpp": "cpp",
}

# In these only blank lines are empty, as in a file without a grammar.
UNJUDGED = {"bash", "elixir", "haskell", "kotlin", "lua", "scala", "sql", "swift", "zig"}


@pytest.mark.parametrize("language", SUFFIXES)
def test_every_case_of_the_table_is_judged_as_it_says(language: str, cases_of: Callable[[str], list[Any]]) -> None:
    wrong = [
        case.name
        for case in cases_of(language)
        if is_empty_implementation(f"a.{SUFFIXES[language]}", case.code, case.start, case.end) is not case.empty
    ]
    assert wrong == []


def test_tsx_is_judged_as_typescript_is() -> None:
    assert is_empty_implementation("a.tsx", b"export const A = () => {\n  // TODO\n};\n", 1, 3)
    assert not is_empty_implementation("a.tsx", b"export const A = () => <p>TODO</p>;\n", 1, 1)


def test_a_stub_file_of_python_declares_only() -> None:
    assert not is_empty_implementation("a.pyi", b"def f() -> int: ...\n", 1, 1)
    assert is_empty_implementation("a.py", b"def f() -> int: ...\n", 1, 1)


@pytest.mark.parametrize("path", ["a.unknown", "README.md", "a.yaml"])
def test_in_a_file_without_a_grammar_only_blank_lines_are_empty(path: str) -> None:
    assert is_empty_implementation(path, b"pass\n\n  \n# TODO\n", 2, 3)
    assert not is_empty_implementation(path, b"pass\n\n  \n# TODO\n", 2, 4)
    assert not is_empty_implementation(path, b"pass\n", 1, 1)


def test_every_table_is_half_about_what_is_rightly_empty(cases_of: Callable[[str], list[Any]]) -> None:
    for language in SUFFIXES:
        cases = cases_of(language)
        empty = sum(case.empty for case in cases)
        assert len(cases) >= 40
        assert 0.4 <= empty / len(cases) <= 0.6, language


def test_a_language_of_code_is_judged_or_known_not_to_be() -> None:
    code = {row.id for row in LANGUAGES if not row.is_data}
    assert code == set(ROW_OF) | UNJUDGED
    assert not set(ROW_OF) & UNJUDGED
