"""Fixtures: a small shop under git, and its index."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.testing import SHOP, make_repo

Rows = Callable[..., list[tuple[object, ...]]]


@pytest.fixture(autouse=True)
def _no_folder_of_chroma(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no folder follow the rows unless a test is about it: each would start a process that imports Chroma."""
    monkeypatch.setenv("CODEINTEL_CHROMA_MODE", "off")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The root of a small project under git; the folder's name has a space in it."""
    return make_repo(tmp_path / "shop project", SHOP)


@pytest.fixture
def index(shop: Path) -> Iterator[Index]:
    """The shop's index, never synced."""
    with Index.open(shop) as opened:
        yield opened


@pytest.fixture
def synced(index: Index) -> Index:
    """The shop's index with its rows complete."""
    index.sync()
    return index


@pytest.fixture
def dense(synced: Index) -> Index:
    """The shop's index with rows and vectors complete."""
    assert synced.wait_dense() == 0
    return synced


@pytest.fixture
def always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every query looks at the disk, however recent the last look is."""
    monkeypatch.setattr("codeintel_index.sync.updater.LOOK_AGAIN_S", 0.0)


@pytest.fixture
def rows() -> Rows:
    """Reads an index's database with a connection of its own."""

    def read(root: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(root / ".code-intel" / "index.db")
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    return read
