"""Empty implementations, judged by tables of cases: one file per language under `cases/`, half of them legitimate."""

from collections.abc import Callable
from typing import Any

import pytest

from codeintel_index.emptiness import is_empty_implementation

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


@pytest.mark.parametrize("language", SUFFIXES)
def test_every_case_of_the_table_is_judged_as_it_says(language: str, cases_of: Callable[[str], list[Any]]) -> None:
    wrong = [
        case.name
        for case in cases_of(language)
        if is_empty_implementation(f"a.{SUFFIXES[language]}", case.code, case.start, case.end) is not case.empty
    ]
    assert wrong == []
