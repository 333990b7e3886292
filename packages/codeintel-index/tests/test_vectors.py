"""Vectors of chunks: the default model's come with the rows, another's follow, and none is made twice."""

import contextlib
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.embedding.models import Vectors, passage
from codeintel_index.embedding.static import StaticEmbedder
from codeintel_index.testing import write_files

pytestmark = pytest.mark.draws(6)

OTHER = IndexConfig(embedding_model="other")
NEW = "def something_new():\n    return 1\n"


class Other(StaticEmbedder):
    """A model that is not the default one; `texts` are those it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "other-256"
        self.texts: list[str] = []

    def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        self.texts += texts
        return super().embed(texts)


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Other:
    made = Other()
    load = "codeintel_index.embedding.models.load"
    default = StaticEmbedder()
    monkeypatch.setattr(load, lambda name, _: made if name == "other" else default)
    return made


def close_with_all(root: Path, config: IndexConfig | None = None) -> int:
    """Bring an index up to date, vectors too; how many chunks it has."""
    with Index.open(root, config) as index:
        index.sync()
        assert index.wait_dense() == 0
        assert index.search("mail a receipt", "forest").dense == ""
        return index.stats().chunks


def execute(root: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(root / ".code-intel/index.db")) as connection:
        for each in statements:
            connection.execute(each)
        connection.commit()


@pytest.mark.parametrize("least", [1, 1000])  # files for which parsing processes are started
def test_vectors_of_the_default_model_are_there_with_the_rows(
    index: Index, monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    monkeypatch.setattr("codeintel_index.sync.workers.POOL_FROM", least)
    monkeypatch.setattr(index._updater, "start_background", lambda rows=False: None)
    index.sync()
    write_files(index.root, {"new.py": NEW, "shop/mail.py": f"{NEW}\n\n\ndef mail_it(letter):\n    return letter\n"})
    index.sync()
    assert index.stats().pending == 0
    assert index.stats().vectors == "index.db, {0:,} of {0:,}".format(index.stats().chunks)
    assert index.search("something new", "forest").dense == ""


def test_the_nearest_are_those_of_the_model(dense: Index) -> None:
    model = StaticEmbedder()
    rows = [row for row, _ in dense._dense.nearest("mail a receipt", 1000)]
    chunks = dense._reader.chunks(rows)
    assert len(rows) == len(chunks) == dense.stats().chunks
    vectors = model.embed([passage(each.path, each.symbol, each.parent, each.text) for each in chunks.values()])
    exact = dict(zip(chunks, vectors @ model.embed_queries(["mail a receipt"])[0], strict=True))
    found = dense._dense.nearest("mail a receipt", 5)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert np.allclose([score for _, score in found], sorted(exact.values(), reverse=True)[:5], atol=0.005)


def test_vectors_in_memory_follow_edits_and_deletions_without_reading_all_again(dense: Index) -> None:
    dense.search("receipt", "forest")
    read = len(dense._dense._local._rows)
    (dense.root / "shop/mail.py").unlink()
    write_files(dense.root, {"new.py": NEW})
    dense.sync()
    near = [row for row, _ in dense._dense.nearest("something new", 2000)]
    paths = {row: chunk.path for row, chunk in dense._reader.chunks(near).items()}
    assert paths[near[0]] == "new.py"
    assert len(near) == len(paths) == dense.stats().chunks
    assert "shop/mail.py" not in paths.values()
    assert len(dense._dense._local._rows) == read + 1


def test_vectors_of_another_model_follow_the_rows_and_are_made_once(shop: Path, other: Other) -> None:
    chunks = close_with_all(shop, OTHER)
    assert len(other.texts) == chunks
    text = (shop / "shop/mail.py").read_text()
    write_files(shop, {"shop/mail.py": f"{text}\n\ndef the_last_one(first, second):\n    return first + second\n"})
    close_with_all(shop, OTHER)
    assert len(other.texts) <= chunks + 2


def test_another_model_makes_all_vectors_again_and_so_does_the_way_back(
    shop: Path, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = close_with_all(shop)
    close_with_all(shop, OTHER)
    assert len(other.texts) == chunks
    close_with_all(shop)
    execute(shop, "UPDATE chunks SET vector_of = '' WHERE vector_of != 'other-256'")
    close_with_all(shop)


@pytest.mark.parametrize("damage", ["another version", "unreadable", "gone"])
def test_rows_that_are_made_again_find_their_vectors(shop: Path, other: Other, damage: str) -> None:
    chunks = close_with_all(shop, OTHER)
    other.texts.clear()
    if damage == "another version":
        execute(shop, "PRAGMA user_version = 9999")
    elif damage == "unreadable":
        (shop / ".code-intel/index.db").write_bytes(b"not a database" * 1000)
    else:
        (shop / ".code-intel/index.db").unlink()
    write_files(shop, {"new.py": NEW})
    close_with_all(shop, OTHER)
    assert len(other.texts) == (1 if damage == "another version" else chunks + 1)
    with Index.open(shop, OTHER) as index:
        assert index._reader._number("SELECT count(*) FROM spare_vectors") == 0


def test_a_process_that_dies_between_rows_and_vectors_leaves_them_to_the_next(
    shop: Path, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeintel_index.vectors.dense.BATCH", 3)
    with Index.open(shop, OTHER) as index:
        index.sync()
        index.wait_dense()
        chunks = index.stats().chunks
    execute(shop, "UPDATE chunks SET vector_of = '' WHERE id % 2", "DELETE FROM vectors WHERE chunk % 2")
    other.texts.clear()
    close_with_all(shop, OTHER)
    assert 0 < len(other.texts) < chunks


@pytest.mark.parametrize("config", [IndexConfig(), OTHER])
def test_chunks_whose_vectors_were_on_a_server_get_some_here(shop: Path, other: Other, config: IndexConfig) -> None:
    chunks = close_with_all(shop, config)
    execute(shop, "DELETE FROM vectors")
    close_with_all(shop, config)
    with Index.open(shop, config) as index:
        assert index._reader.vector_generation()[1] == chunks


def test_without_the_extra_only_a_server_is_missed(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    close_with_all(shop)
    write_files(shop, {"new.py": NEW})
    with Index.open(shop, IndexConfig(chroma_mode="http")) as index:
        index.sync()
        assert index.wait_dense() > 0
        assert index.search("something new", "forest").hits[0].path == "new.py"
        assert "pip install 'codeintel-index[vectors]'" in index.stats().dense
