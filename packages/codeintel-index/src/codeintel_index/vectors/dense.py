"""The dense half of search: a vector for each chunk, of the present model, made now or later.

The rows hold the vectors. Those of the default model are made with the rows (`sync/worker.py`); those of another model
follow when there is time, and so do all after the model was changed. With `chroma.mode` http they are on a server:
other checkouts write there too, so it is asked itself, and chunks are only marked here. The rows say what is missing,
so a crash between the two only means that a vector is made twice. Whatever a server holds beside is not answered, as
every hit is looked up in the rows.
"""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable, IndexBusy
from codeintel_index.results import Chunk
from codeintel_index.store import locks, writer
from codeintel_index.store.database import Database
from codeintel_index.store.reader import FOREST, MAP, Reader
from codeintel_index.vectors import chroma
from codeintel_index.vectors.folder import Folder
from codeintel_index.vectors.store import VectorStore, project_key

if TYPE_CHECKING:
    from codeintel_index.embedding.calibration import Calibration
    from codeintel_index.embedding.models import Embedder, Vectors
    from codeintel_index.vectors.local import LocalVectors

T = TypeVar("T")

BATCH = 2000  # chunks whose vectors are made at once, and ids in one question to a server


class Dense:
    """The dense half of one project. `why` is "" while it works, else why it does not."""

    def __init__(self, root: Path, data_dir: Path, config: IndexConfig, database: Database) -> None:
        self._root = root
        self._data_dir = data_dir
        self._config = config
        self._database = database
        self._reader = Reader(database)
        self._checked = False
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
    def asks_server(self) -> bool:
        """Whether the vectors are on a server, which may let a question wait."""
        return self._config.chroma_mode == "http"

    @cached_property
    def store(self) -> VectorStore:
        """What a server holds for the present model."""
        named = self._config.chroma_project
        return VectorStore(self._config, self.embedder.name, lambda: project_key(self._root, named))

    @cached_property
    def folder(self) -> Folder | None:
        """The folder of Chroma that follows the rows; None where it is turned off, or Chroma is not installed."""
        if self._config.chroma_mode != "persistent" or not chroma.is_installed():
            return None
        return Folder(self._root, self._data_dir, self._reader, self._config, lambda: self.embedder.name)

    def follow(self) -> None:
        """Have the folder of Chroma follow the rows in a while, if there is one."""
        if self.folder is not None:
            self.folder.follow()

    def fill_folder(self) -> str:
        """Bring the folder of Chroma to the state of the rows now; returns why that failed, "" if it did not."""
        if self.folder is None:
            return ""
        self.folder.fill()
        return self.folder.why

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
        place = f"server {chroma.server_name(self._config)}" if self.asks_server else "index.db"
        made = chunks - self.pending()
        said = f"{place}, {made:,} of {chunks:,}"
        if self.folder is None or self._model_is_missing():
            return said
        why = f" ({self.folder.why})" if self.folder.why else ""
        return f"{said}; chroma, {self.folder.count(made):,} of {chunks:,}{why}"

    def check(self) -> str:
        """Load the model and ask the server once, if there is one; say why it cannot be used, "" if it can."""
        try:
            if self.embedder and self.asks_server:
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
        if not self.asks_server:
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
        if not self.asks_server:
            return self._nearest_kept(texts, query, count)
        held = set(self.store.ids(MAP))
        if new := [key for key in texts if key not in held]:
            self.store.upsert(MAP, new, self.embed_queries([texts[key] for key in new]))
        return self._nearest(MAP, query, count, lambda _: {key: key for key in texts})

    def _nearest_kept(self, texts: Mapping[str, str], query: str, count: int) -> list[tuple[str, float]]:
        from codeintel_index.vectors.local import nearest_packed, pack

        held = {key: packed for _, key, packed in self._reader.kept(MAP, self.embedder.name, 0, -1)}
        new, gone = [key for key in texts if key not in held], held.keys() - texts.keys()
        if new or gone:
            made = pack(self.embed_queries([texts[key] for key in new])) if new else []
            packed = dict(zip(new, made, strict=True))
            try:
                with self._database.writing() as connection:
                    writer.put_questions(connection, self.embedder.name, packed.items())
                    writer.forget_questions(connection, gone)
            except sqlite3.OperationalError as error:
                raise DenseUnavailable(f"vectors of learned questions cannot be kept: {error}") from error
            held = {key: each for key, each in (held | packed).items() if key in texts}
        return nearest_packed(held, self.embed_queries([query])[0], count)

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
        """Make all missing vectors. Another process doing so already is left to it."""
        if not self._database.usable() or self._model_is_missing():
            return
        try:
            with locks.hold(self._data_dir, locks.VECTORS, 0):
                self._find_lost() if self.asks_server else self._forget_foreign()
                while not stopped() and (batch := self._reader.pending(self.embedder.name, BATCH)):
                    self._share(batch) if self.asks_server else self._make(batch)
            self.why = ""
        except IndexBusy:
            return
        except DenseUnavailable as error:
            self.why, self._checked = error.why, False

    def close(self) -> None:
        """Close the connection to a server, and stop what fills the folder."""
        if "store" in self.__dict__:
            self.store.close()
        if "folder" in self.__dict__ and self.folder is not None:
            self.folder.close()

    def _find_lost(self) -> None:
        """Once: have those vectors made again that a server does not hold; their number alone would prove nothing."""
        if self._checked:
            return
        last = 0
        while rows := self._reader.marked(self.embedder.name, last, BATCH):
            last = rows[-1][0]
            held = self.store.existing(FOREST, [key for _, key in rows])
            with self._database.writing() as connection:
                writer.unmark_vectors(connection, [rowid for rowid, key in rows if key not in held])
        self._checked = True

    def _share(self, batch: Sequence[tuple[int, Chunk]]) -> None:
        """Put vectors on the server, unless another checkout has done so, and mark their chunks."""
        held = self.store.existing(FOREST, [chunk.id for _, chunk in batch])
        if new := [chunk for _, chunk in batch if chunk.id not in held]:
            self.store.upsert(FOREST, [chunk.id for chunk in new], self._passages(new))
        with self._database.writing() as connection:
            writer.mark_vectors(connection, self.embedder.name, [rowid for rowid, _ in batch])

    def _forget_foreign(self) -> None:
        """Before vectors are made: delete those of another model, and marks of those that are on a server."""
        is_short = self._reader.vector_generation()[1] < self._reader.count_vectors(self.embedder.name)
        if is_short or self.pending():
            with self._database.writing() as connection:
                writer.unmark_unkept(connection)
                writer.forget_others(connection, self.embedder.name)

    def _make(self, batch: Sequence[tuple[int, Chunk]]) -> None:
        """Make vectors, unless the rows before had them, and keep them."""
        from codeintel_index.vectors.local import pack

        spare = self._reader.spare_vectors(self.embedder.name, [chunk.id for _, chunk in batch])
        new = [(rowid, chunk) for rowid, chunk in batch if chunk.id not in spare]
        made = pack(self._passages([chunk for _, chunk in new])) if new else []
        packed = {rowid: spare[chunk.id] for rowid, chunk in batch if chunk.id in spare}
        packed |= {rowid: each for (rowid, _), each in zip(new, made, strict=True)}
        with self._database.writing() as connection:
            writer.put_vectors(connection, self.embedder.name, packed)
            if not self._reader.pending(self.embedder.name, 1):
                writer.forget_spare(connection)

    def _passages(self, chunks: Sequence[Chunk]) -> "Vectors":
        from codeintel_index.embedding.models import passage

        return self.embed([passage(each.path, each.symbol, each.parent, each.text) for each in chunks])
