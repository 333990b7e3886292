"""The vectors follow the rows: whatever chunk has no vector of the present model gets one, whenever there is time.

The rows say what is missing, so a crash between the two stores only means that a vector is made twice. Vectors of
chunks that are gone may linger; they are never answered, because every hit is looked up in the rows.

A store in the index's own folder is opened only to be written: its vectors are searched in their copies (`local.py`).
On a server other checkouts write too, so it is asked itself.
"""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable, IndexBusy
from codeintel_index.results import Chunk
from codeintel_index.store import locks, writer
from codeintel_index.store.database import Database
from codeintel_index.store.reader import Reader
from codeintel_index.vectors import chroma
from codeintel_index.vectors.store import FOREST, MAP, VectorStore, project_key

if TYPE_CHECKING:
    from codeintel_index.embedding.calibration import Calibration
    from codeintel_index.embedding.models import Embedder, Vectors
    from codeintel_index.vectors.local import LocalVectors

T = TypeVar("T")

BATCH = 2000  # what Chroma is given at once: with 512 it takes half as long again
ASKED = 2000  # ids in one question to a shared store
FILLING_S = 2.0  # without the lock of the vectors it is only held to check it, never for long


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
        self._loading = threading.Lock()
        self._embedder: Embedder | None = None
        self._unloadable = ""
        self.why = ""

    @property
    def embedder(self) -> "Embedder":
        """The model, loaded on first use. Raises DenseUnavailable, at once if it could not be loaded before."""
        with self._loading:
            if self._embedder is None:
                if self._unloadable:
                    raise DenseUnavailable(self._unloadable)
                self._embedder = self._load()
            return self._embedder

    def _load(self) -> "Embedder":
        from codeintel_index.embedding.models import load  # late: it loads numpy

        try:
            return load(self._config.embedding_model, self._root)
        except DenseUnavailable as error:
            self._unloadable = self.why = error.why
            raise

    @cached_property
    def calibration(self) -> "Calibration":
        """What the model's similarities are worth between questions. Raises DenseUnavailable."""
        from codeintel_index.embedding.calibration import calibrate

        return calibrate(self.embedder)

    @property
    def model(self) -> str:
        """The name of the model, or of the one that is configured but cannot be loaded."""
        try:
            return self.embedder.name
        except DenseUnavailable:
            return self._config.embedding_model

    @property
    def is_wanted(self) -> bool:
        """Whether there should be vectors: the extra is installed, or a server is configured."""
        return self.asks_server or chroma.is_installed()

    @property
    def asks_server(self) -> bool:
        """Whether the vectors are on a server, which may let a question wait."""
        return self._config.chroma_mode == "http"

    @property
    def notices(self) -> list[str]:
        """What the user should know about the store."""
        return list(self.store.notices) if self._embedder is not None else []

    @cached_property
    def store(self) -> VectorStore:
        """The vector store of the present model."""
        return VectorStore(self._data_dir, self._config, self.embedder.name, lambda: self._project)

    @cached_property
    def _project(self) -> str:
        return project_key(self._root, self._config.chroma_project)

    def pending(self) -> int:
        """Count the chunks that wait for their vector; none do while no model can make it."""
        return 0 if self._model_is_missing() else self._reader.count_pending(self.embedder.name)

    def _model_is_missing(self) -> bool:
        try:
            return not self.embedder.name
        except DenseUnavailable:
            return True

    def where(self, chunks: int) -> str:
        """Say where the vectors are, and how many of the chunks have theirs."""
        place = f"server {chroma.server_name(self._config)}" if self.asks_server else "folder"
        return f"{place}, {chunks - self.pending():,} of {chunks:,}"

    def check(self) -> str:
        """Ask the store once; say why it cannot be used, "" if it can."""
        try:
            if self.store.shared or self._reader.has_vectors(self.embedder.name):
                self.store.count(FOREST)
        except DenseUnavailable as error:
            return error.why
        return ""

    def waiting(self) -> str:
        """Say how many chunks wait for their vector; "" if none does."""
        count = self._reader.once(("pending", self.model), self.pending)
        made = self.why or "their vectors are being made and later searches use them"
        return f"{count} chunk{'s' * (count != 1)} pending, {made}" if count else ""

    def nearest(self, query: str, count: int) -> list[tuple[int, float]]:
        """Find chunks of this checkout for a query: rows and similarities, best first.

        Raises DenseUnavailable, also while there is no vector at all.
        """
        name = self.embedder.name
        if not self._reader.once(("has vectors", name), lambda: self._reader.has_vectors(name)):
            raise DenseUnavailable(self.why or f"no vectors yet: {self.waiting() or 'nothing is indexed'}")
        if not self.store.shared:
            return self._local.nearest(self.embed_queries([query])[0], count)
        try:
            return self._nearest(FOREST, query, count, self._reader.rows_of)
        except DenseUnavailable:
            self._checked = False  # it may come back as another store
            raise

    @cached_property
    def _local(self) -> "LocalVectors":
        from codeintel_index.vectors.local import LocalVectors  # late: it loads numpy

        return LocalVectors(self._reader)

    def nearest_questions(self, texts: Mapping[str, str], query: str, count: int) -> list[tuple[str, float]]:
        """Find the learned questions nearest to one, after the Map has been made to hold just `texts`."""
        if not self.store.shared:
            return self._nearest_copies(texts, query, count)
        self._hold(set(self.store.ids(MAP)), texts)
        return self._nearest(MAP, query, count, lambda _: {key: key for key in texts})

    def _hold(self, held: set[str], texts: Mapping[str, str]) -> "tuple[dict[str, Vectors], set[str]]":
        """Make the Map hold just `texts`; returns the vectors that are new, and the keys that are gone."""
        new = [key for key in texts if key not in held]
        if gone := held - texts.keys():
            self.store.delete(MAP, sorted(gone))
        if not new:
            return {}, gone
        made = self.embed_queries([texts[key] for key in new])
        self.store.upsert(MAP, new, made)
        return dict(zip(new, made, strict=True)), gone

    def _nearest_copies(self, texts: Mapping[str, str], query: str, count: int) -> list[tuple[str, float]]:
        from codeintel_index.vectors.local import nearest_packed, pack

        copies = self._reader.question_vectors(self.embedder.name)
        new, gone = self._hold(set(copies), texts)
        if new or gone:
            packed = pack(new)
            try:
                with self._database.writing() as connection:
                    writer.put_questions(connection, self.embedder.name, packed.items())
                    writer.forget_questions(connection, gone)
            except sqlite3.OperationalError as error:
                raise DenseUnavailable(f"vectors of learned questions cannot be kept: {error}") from error
            copies = {key: each for key, each in (copies | packed).items() if key in texts}
        return nearest_packed(copies, self.embed_queries([query])[0], count)

    def _nearest(
        self, kind: str, query: str, count: int, known: Callable[[set[str]], Mapping[str, T]]
    ) -> list[tuple[T, float]]:
        """The nearest that this checkout knows, as it calls them. More are queried until there are enough of them."""
        vector, asked = self.embed_queries([query])[0], count
        while True:
            found = self.store.nearest(kind, vector, asked)
            mine = known({key for key, _ in found})
            here = [(mine[key], similarity) for key, similarity in found if key in mine]
            if len(here) >= count or len(found) < asked:
                return here[:count]
            asked *= 8

    def embed(self, texts: list[str]) -> "Vectors":
        """Embed passages, shape [n, dim]. Raises DenseUnavailable."""
        return self.embedder.embed(texts)

    def embed_queries(self, texts: list[str]) -> "Vectors":
        """Embed questions, shape [n, dim]. Raises DenseUnavailable."""
        return self.embedder.embed_queries(texts)

    def catch_up(self, stopped: Callable[[], bool]) -> None:
        """Make all missing vectors and delete dead ones. Another process doing so already is left to it."""
        if not self._database.usable() or self._model_is_missing():
            return
        try:
            with locks.hold(self._data_dir, locks.VECTORS, 0):
                if not self._has_work():
                    return
                self._catch_up(stopped)
                if self.why and self.store.failed:
                    self._catch_up(stopped)
        except IndexBusy:
            return

    def _has_work(self) -> bool:
        """Whether the store has to be opened: opening it costs more than a second and much memory."""
        return bool(
            self.store.shared
            or self.pending()
            or self._reader.dead_vectors(1)
            or self._lacks_copies()
            or (self._reader.has_vectors(self.embedder.name) and self.store.wants_repair())
        )

    def _lacks_copies(self) -> bool:
        """Whether chunks are marked whose copy is not there: their vectors were made on a server."""
        return self._reader.vector_generation()[1] < self._reader.count_vectors(self.embedder.name)

    def _catch_up(self, stopped: Callable[[], bool]) -> None:
        try:
            if self.store.repair():
                self._checked = False
            with locks.hold(self._data_dir, locks.FILLING, FILLING_S):
                self._check_store()
                self._delete_dead()
                self._fill(stopped)
            self.why = ""
        except DenseUnavailable as error:
            self.why, self._checked = error.why, False

    def close(self) -> None:
        """Close the vector store, if it was ever opened."""
        if "store" in self.__dict__:
            self.store.close()

    def _check_store(self) -> None:
        """Once: a store with fewer vectors than the rows believe was lost, and what is lost is made again."""
        with self._guard:
            if self._checked:
                return
            if self.store.shared:
                self._find_lost()
            elif self._lacks_copies() or self.store.count(FOREST) < self._reader.count_vectors(self.embedder.name):
                with self._database.writing() as connection:
                    writer.reset_vectors(connection)
            self._checked = True

    def _find_lost(self) -> None:
        """Have those vectors made again that a shared store does not hold; their number alone would prove nothing."""
        last = 0
        while rows := self._reader.make_missing_vectors(self.embedder.name, last, ASKED):
            last = rows[-1][0]
            held = self.store.existing(FOREST, [key for _, key in rows])
            with self._database.writing() as connection:
                writer.unmark_vectors(connection, [rowid for rowid, key in rows if key not in held])

    def _delete_dead(self) -> None:
        self._delete_listed()
        if self._lists_orphans():
            self._delete_listed()

    def _delete_listed(self) -> None:
        while dead := self._reader.dead_vectors(2000):
            self.store.delete(FOREST, dead)
            with self._database.writing() as connection:
                writer.forget_dead(connection, dead)

    def _lists_orphans(self) -> bool:
        """List vectors that a killed process stored but did not live to record, and whose chunk is gone since."""
        if self.store.shared:
            return False  # other checkouts' vectors
        if self.store.count(FOREST) <= self._reader.count_vectors(self.embedder.name):
            return False
        ids = self.store.ids(FOREST)
        with self._database.writing() as connection:
            writer.list_orphans(connection, ids)
        return True

    def _fill(self, stopped: Callable[[], bool]) -> None:
        if self.pending():
            self.store.drop_other_models()
            with self._database.writing() as connection:
                writer.forget_copies(connection, self.embedder.name)
        holds_none = not self.store.shared and not self.store.count(FOREST)
        stored: set[int] = set()
        storing: Future[None] | None = None
        with ThreadPoolExecutor(1, "codeintel-vectors") as pool:
            while not stopped() and (batch := self._next(stored)):
                held = {} if holds_none else self._held([chunk.id for _, chunk in batch])
                new = [chunk for _, chunk in batch if chunk.id not in held]
                vectors = self.embed([passage(chunk) for chunk in new]) if new else None
                if storing is not None:
                    storing.result()
                storing = pool.submit(self._store, batch, held, [chunk.id for chunk in new], vectors)
                stored = {rowid for rowid, _ in batch}
            if storing is not None:
                storing.result()

    def _next(self, stored: Set[int]) -> list[tuple[int, Chunk]]:
        """The next chunks without a vector, but for those whose vectors are being stored now."""
        found = self._reader.pending(self.embedder.name, BATCH + len(stored))
        return [each for each in found if each[0] not in stored][:BATCH]

    def _held(self, ids: Sequence[str]) -> "Mapping[str, Vectors | None]":
        """Which chunks have a vector in the store, as the rows may be new or another checkout made it; and the vector,
        unless the store is shared: then no copies are kept.
        """
        if self.store.shared:
            return dict.fromkeys(self.store.existing(FOREST, ids))
        return self.store.vectors(FOREST, ids)

    def _store(
        self,
        batch: Sequence[tuple[int, Chunk]],
        held: "Mapping[str, Vectors | None]",
        ids: Sequence[str],
        vectors: "Vectors | None",
    ) -> None:
        """Put new vectors into the store, and mark all chunks of the batch; meanwhile the next ones are embedded."""
        if vectors is not None:
            self.store.upsert(FOREST, ids, vectors)
        packed: dict[str, bytes] = {}
        if not self.store.shared:
            from codeintel_index.vectors.local import pack

            made = {} if vectors is None else dict(zip(ids, vectors, strict=True))
            packed = pack({key: each for key, each in held.items() if each is not None} | made)
        with self._database.writing() as connection:
            marks = [(rowid, chunk.id, packed.get(chunk.id)) for rowid, chunk in batch]
            writer.mark_vectors(connection, self.embedder.name, marks)


def passage(chunk: Chunk) -> str:
    """Make the text that is embedded for a chunk: its path, its name, and itself."""
    return f"{chunk.path} {chunk.parent} {chunk.symbol}\n{chunk.text}"
