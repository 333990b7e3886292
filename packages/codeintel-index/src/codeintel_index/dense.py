"""The vectors follow the rows: whatever chunk has no vector of the present model gets one, whenever there is time.

The rows say what is missing, so a crash between the two stores only means that a vector is made twice. Vectors of
chunks that are gone may linger; they are never answered, because every hit is looked up in the rows.
"""

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codeintel_index import locks
from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable, IndexBusy
from codeintel_index.results import Chunk
from codeintel_index.store import writer
from codeintel_index.store.database import Database
from codeintel_index.store.reader import Reader
from codeintel_index.store.vectors import FOREST, VectorStore, project_key

if TYPE_CHECKING:
    from codeintel_index.embedding.base import Embedder, Vectors

BATCH = 512


class Dense:
    """The dense half of one project. `why` is "" while it works, else why it does not."""

    def __init__(self, root: Path, data_dir: Path, config: IndexConfig, database: Database) -> None:
        self._root = root
        self._data_dir = data_dir
        self._config = config
        self._database = database
        self._reader = Reader(database)
        self._checked = False
        self._guard = threading.Lock()
        self.why = ""

    @cached_property
    def _loaded(self) -> "tuple[Embedder, str]":
        from codeintel_index.embedding.models import load  # late: it loads numpy

        return load(self._config.embedding_model)

    @property
    def embedder(self) -> "Embedder":
        """The model, loaded on first use."""
        return self._loaded[0]

    @property
    def notices(self) -> list[str]:
        """What the user should know about model and store."""
        return [note for note in (self._loaded[1], *self.store.notices) if note]

    @cached_property
    def store(self) -> VectorStore:
        """The vector store of the present model."""
        return VectorStore(self._data_dir, self._config, self.embedder.name, project_key(self._root))

    def pending(self) -> int:
        """How many chunks wait for their vector."""
        return self._reader.count_pending(self.embedder.name)

    def waiting(self) -> str:
        """How many chunks wait for their vector, in words; "" if none does."""
        count = self.pending()
        return f"{count} chunk{'s' * (count != 1)} pending" if count else ""

    def nearest(self, query: str, count: int) -> list[tuple[str, float]]:
        """Chunk ids and similarities for a query. Raises DenseUnavailable, also while there is no vector at all."""
        if not self._reader.has_vectors(self.embedder.name):
            raise DenseUnavailable(self.why or f"no vectors yet: {self.waiting() or 'nothing is indexed'}")
        self._check_store()
        return self.store.nearest(FOREST, self.embed([query])[0], count)

    def nearest_of(self, kind: str, texts: Mapping[str, str], query: str, count: int) -> list[tuple[str, float]]:
        """Keys and similarities of the texts nearest to a query. The collection is first made to hold just these."""
        held = set(self.store.ids(kind))
        new = [key for key in texts if key not in held]
        if new:
            self.store.upsert(kind, new, self.embed([texts[key] for key in new]))
        if gone := held - texts.keys():
            self.store.delete(kind, sorted(gone))
        return self.store.nearest(kind, self.embed([query])[0], count)

    def embed(self, texts: list[str]) -> "Vectors":
        """Vectors of texts, shape [n, dim]."""
        return self.embedder.embed(texts)

    def catch_up(self, stopped: Callable[[], bool], progress: Callable[[int, int], None] | None = None) -> None:
        """Make all missing vectors and delete dead ones. Another process doing so already is left to it."""
        if not self._database.usable():
            return
        try:
            with locks.held(self._data_dir, locks.VECTORS, 0):
                self._check_store()
                self._bury()
                self._fill(stopped, progress)
                self.why = ""
        except DenseUnavailable as error:
            self.why = error.why
        except IndexBusy:
            return

    def close(self) -> None:
        """Let go of the vector store, if it was ever opened."""
        if "store" in self.__dict__:
            self.store.close()

    def _check_store(self) -> None:
        """Once: a store with fewer vectors than the rows believe was lost, and all its vectors are made again."""
        with self._guard:
            if self._checked:
                return
            if self.store.count(FOREST) < self._reader.count_vectors(self.embedder.name):
                with self._database.writing() as connection:
                    writer.reset_vectors(connection)
            self._checked = True

    def _bury(self) -> None:
        self._find_orphans()
        while dead := self._reader.dead_vectors(2000):
            self.store.delete(FOREST, dead)
            with self._database.writing() as connection:
                writer.forget_dead(connection, dead)

    def _find_orphans(self) -> None:
        """List vectors that a killed process stored but did not live to record, and whose chunk is gone since."""
        if self._config.chroma_mode == "http":
            return  # other checkouts' vectors
        if self.store.count(FOREST) > self._reader.count_vectors(self.embedder.name):
            ids = self.store.ids(FOREST)
            with self._database.writing() as connection:
                writer.list_orphans(connection, ids)

    def _fill(self, stopped: Callable[[], bool], progress: Callable[[int, int], None] | None) -> None:
        total, done = self.pending(), 0
        if total:
            self.store.drop_other_models()
        while not stopped() and (batch := self._reader.pending(self.embedder.name, BATCH)):
            chunks = [chunk for _, chunk in batch]
            self.store.upsert(FOREST, [chunk.id for chunk in chunks], self.embed([passage(c) for c in chunks]))
            with self._database.writing() as connection:
                writer.mark_vectors(connection, self.embedder.name, [(rowid, chunk.id) for rowid, chunk in batch])
            done += len(batch)
            if progress is not None:
                progress(min(done, total), total)


def passage(chunk: Chunk) -> str:
    """The text that stands for a chunk: where it is, what it is called, and itself."""
    return f"{chunk.path} {chunk.parent} {chunk.symbol}\n{chunk.text}"
