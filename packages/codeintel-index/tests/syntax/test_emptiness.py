"""Empty implementations, judged by tables of cases: one file per language under `cases/`, half of them legitimate."""

from collections.abc import Callable

import pytest

from codeintel_index.emptiness import is_empty_implementation
from codeintel_index.emptiness.rows import ROW_OF
from codeintel_index.evaluate.emptiness import SUFFIXES, Case, Score, score
from codeintel_index.languages import LANGUAGES, language_of

CasesOf = Callable[[str], list[Case]]
FEWEST_CASES = 34
LEAST_F1 = 0.97

# In these only blank lines are empty, as in a file without a grammar.
UNJUDGED = {"bash", "elixir", "haskell", "kotlin", "lua", "scala", "sql", "swift", "zig"}


@pytest.mark.parametrize("language", SUFFIXES)
def test_every_case_of_the_table_is_judged_as_it_says(language: str, cases_of: CasesOf) -> None:
    judged = score(cases_of(language))
    assert (judged.missed, judged.wronged) == ((), ())


@pytest.mark.parametrize("language", SUFFIXES)
def test_the_judgement_agrees_with_people_on_enough_cases(language: str, cases_of: CasesOf) -> None:
    judged = score(cases_of(language))
    assert judged.cases >= FEWEST_CASES
    assert 0.45 <= judged.legitimate <= 0.6
    assert judged.f1 >= LEAST_F1


@pytest.mark.parametrize("language", SUFFIXES)
def test_no_table_asks_one_thing_twice(language: str, cases_of: CasesOf) -> None:
    cases = cases_of(language)
    assert len({(case.code, case.start, case.end) for case in cases}) == len(cases)
    assert len({(case.name, case.empty) for case in cases}) == len(cases)


def test_a_score_counts_what_was_missed_and_what_was_wronged() -> None:
    half = Score(cases=10, empty=4, missed=("a", "b"), wronged=("c", "d"))
    assert (half.precision, half.recall, half.f1, half.legitimate) == (0.5, 0.5, 0.5, 0.6)
    blind = Score(cases=2, empty=1, missed=("a",), wronged=())
    assert (blind.precision, blind.recall, blind.f1) == (0.0, 0.0, 0.0)


def test_a_stub_file_of_python_declares_only() -> None:
    assert not is_empty_implementation("a.pyi", b"def f() -> int: ...\n", 1, 1)
    assert is_empty_implementation("a.py", b"def f() -> int: ...\n", 1, 1)


@pytest.mark.parametrize("path", ["a.unknown", "README.md", "a.yaml"])
def test_in_a_file_without_a_grammar_only_blank_lines_are_empty(path: str) -> None:
    assert is_empty_implementation(path, b"pass\n\n  \n# TODO\n", 2, 3)
    assert not is_empty_implementation(path, b"pass\n\n  \n# TODO\n", 2, 4)
    assert not is_empty_implementation(path, b"pass\n", 1, 1)


def test_a_language_of_code_is_judged_or_known_not_to_be() -> None:
    code = {row.id for row in LANGUAGES if not row.is_data}
    assert code == set(ROW_OF) | UNJUDGED
    assert not set(ROW_OF) & UNJUDGED
    assert {language: language_of(f"a.{suffix}") for language, suffix in SUFFIXES.items()} == {
        language: language for language in ROW_OF
    }
