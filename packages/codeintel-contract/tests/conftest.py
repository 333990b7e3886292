"""A contract file of a project, and both parsers that may read it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from codeintel_contract import positions


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Write a contract file; returns its path."""

    def _write(text: str | bytes) -> Path:
        path = tmp_path / "phase_contract.yml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return _write


@pytest.fixture(params=["C parser", "Python parser"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser of C, where it is installed, and that of Python."""
    if request.param == "Python parser":
        monkeypatch.setattr(positions, "_LOADER", yaml.SafeLoader)
