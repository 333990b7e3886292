"""Fixtures: a small shop under git, and its index."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import SHOP, make_repo


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The root of a small project under git."""
    return make_repo(tmp_path / "shop project", SHOP)


@pytest.fixture
def index(shop: Path) -> Iterator[Index]:
    """The shop's index, never synced."""
    with Index.open(shop) as opened:
        yield opened


@pytest.fixture
def synced(index: Index) -> Index:
    """The shop's index with rows and vectors complete."""
    index.sync()
    assert index.wait_dense() == 0
    return index
