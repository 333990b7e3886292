"""Samples, golden files and case tables of the syntax tests."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@dataclass(frozen=True)
class EmptinessCase:
    """A snippet, the lines asked about, and the answer."""

    name: str
    code: bytes
    start: int
    end: int
    empty: bool


def read_cases(language: str) -> Iterator[EmptinessCase]:
    """The table of one language: `### empty: why` or `### work: why`, then code; `>` marks the lines, else all are."""
    text = (HERE / "cases" / f"{language}.txt").read_text(encoding="utf-8")
    for block in text.split("### ")[1:]:
        head, _, body = block.partition("\n")
        verdict, _, name = head.partition(": ")
        assert verdict in {"empty", "work"}, head
        lines = body.rstrip("\n").split("\n")
        marked = [at for at, line in enumerate(lines, start=1) if line.startswith(">")] or [1, len(lines)]
        code = "\n".join(line.removeprefix(">") for line in lines) + "\n"
        yield EmptinessCase(f"{verdict}: {name}", code.encode(), marked[0], marked[-1], verdict == "empty")


@pytest.fixture(scope="session")
def cases_of() -> Callable[[str], list[EmptinessCase]]:
    """The emptiness cases of a language by its id."""
    return lambda language: list(read_cases(language))


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of sample files with their golden answers."""
    return HERE / "samples"


@pytest.fixture(scope="session")
def sample_lines(samples: Path) -> list[bytes]:
    """All lines of all samples."""
    return [line for path in sorted(samples.glob("*.sample")) for line in path.read_bytes().split(b"\n")]
