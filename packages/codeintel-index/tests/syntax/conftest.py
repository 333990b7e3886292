"""Samples, golden files and case tables of the syntax tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_index.evaluate.stub_detection import Case, read_cases

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def cases_of() -> Callable[[str], list[Case]]:
    """The emptiness cases of a language by its id."""
    return lambda language: list(read_cases(HERE / "cases", language))


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of sample files with their golden answers."""
    return HERE / "samples"


@pytest.fixture(scope="session")
def sample_lines(samples: Path) -> list[bytes]:
    """All lines of all samples."""
    return [line for path in sorted(samples.glob("*.sample")) for line in path.read_bytes().split(b"\n")]
