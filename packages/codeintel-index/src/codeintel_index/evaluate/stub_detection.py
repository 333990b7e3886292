"""How far stub detection agrees with people, by tables of cases: one file per language.

A table is text: `### empty: why` or `### work: why` opens a case, the code follows; lines that begin with `>` are those
asked about, else it is all of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codeintel_index.languages.table import LANGUAGES
from codeintel_index.stub_detection.judge import is_empty_implementation

SUFFIXES = {each.id: each.suffixes[0] for each in LANGUAGES if each.stubs}  # of the languages that are judged


@dataclass(frozen=True, slots=True)
class Case:
    """A snippet, the lines asked about (1-based, inclusive), and whether they are empty in the eyes of people."""

    name: str
    path: str
    code: bytes
    start: int
    end: int
    empty: bool

    def is_found_empty(self) -> bool:
        """Judge the lines."""
        return is_empty_implementation(self.path, self.code, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Score:
    """The verdicts on one table. `missed` are empty and were not found to be, `wronged` the other way round."""

    cases: int
    empty: int
    missed: tuple[str, ...]
    wronged: tuple[str, ...]

    @property
    def legitimate(self) -> float:
        """The share of cases that are rightly as they are, 0 to 1."""
        return (self.cases - self.empty) / self.cases

    @property
    def precision(self) -> float:
        """Of what is called empty, the share that is, 0 to 1."""
        hits = self.empty - len(self.missed)
        return hits / (hits + len(self.wronged)) if hits else 0.0

    @property
    def recall(self) -> float:
        """Of what is empty, the share that is called so, 0 to 1."""
        return 1 - len(self.missed) / self.empty

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 0 to 1."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.recall else 0.0


def read_cases(folder: Path, language: str) -> Iterator[Case]:
    """Read the cases of one language in `folder`. Raises ValueError for a case that is neither `empty` nor `work`."""
    text = (folder / f"{language}.txt").read_text(encoding="utf-8")
    for block in text.split("### ")[1:]:
        head, _, body = block.partition("\n")
        verdict, _, name = head.partition(": ")
        if verdict not in {"empty", "work"}:
            raise ValueError(f"{language}: {head!r} is neither empty nor work")
        lines = body.rstrip("\n").split("\n")
        marked = [at for at, line in enumerate(lines, start=1) if line.startswith(">")] or [1, len(lines)]
        code = "\n".join(line.removeprefix(">") for line in lines) + "\n"
        yield Case(name, f"a{SUFFIXES[language]}", code.encode(), marked[0], marked[-1], verdict == "empty")


def score(cases: Iterable[Case]) -> Score:
    """Judge all cases of a table."""
    judged = [(case, case.is_found_empty()) for case in cases]
    return Score(
        cases=len(judged),
        empty=sum(case.empty for case, _ in judged),
        missed=tuple(case.name for case, found in judged if case.empty and not found),
        wronged=tuple(case.name for case, found in judged if found and not case.empty),
    )
