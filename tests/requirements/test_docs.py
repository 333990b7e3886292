"""The generated pages: what the code says now, and every error code among it."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from codeintel_contract.loader import load_contract

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """The script that writes the pages; it is no package, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "scripts/generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_generated_page_is_up_to_date(generator: ModuleType) -> None:
    assert list(generator.outdated()) == []


def test_every_code_stands_on_the_page_of_errors(generator: ModuleType) -> None:
    codes = {message.error for message in load_contract(None).messages.values() if message.error}
    shown = set(re.findall(r"^\| `(\w+)` \|", generator.pages()["errors.md"], re.MULTILINE))
    assert sorted(codes - shown) == []
