"""Samples and golden files of the syntax tests."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of sample files with their golden answers."""
    return HERE / "samples"


@pytest.fixture(scope="session")
def sample_lines(samples: Path) -> list[bytes]:
    """All lines of all samples."""
    return [line for path in sorted(samples.glob("*.sample")) for line in path.read_bytes().split(b"\n")]
