"""Vectors in Chroma: two collections a model, Forest (chunks) and Map (what was learned). Keys are ids, nothing else.

In a folder the store is this index's own. On a server the collections belong to the project: all its worktrees and
clones put vectors in, none takes any out, and whoever asks must leave out what he does not know. A store that failed
is let go of and opened again at the next use.

Chroma may take the process down over a damaged folder. So a mark lies in the folder while a call works on it, and
where one is found with nobody at work, the folder is tried by a child process before it is used again (`mend`).
"""

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeintel_index import locks
from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable
from codeintel_index.store import chroma

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

    from codeintel_index.embedding.base import Vectors

FOREST = "forest"
MAP = "map"
BATCH = 2000
RETRY_S = 10.0


class VectorStore:
    """The vectors of one project and one model. Safe to share between threads. `failed`: `mend` has something to do.

    `project` names the project on a shared server; it is only called for in that case.
    """

    def __init__(self, data_dir: Path, config: IndexConfig, model: str, project: Callable[[], str]) -> None:
        self.shared = config.chroma_mode == "http"
        self.notices: list[str] = []
        self._place = data_dir / "chroma"
        self._mark = self._place / "busy"
        self._config = config
        self._model = model
        self._project = project
        self._client: ClientAPI | None = None
        self._collections: dict[str, Any] = {}
        self._guard = threading.Condition(threading.RLock())
        self._silent_until = float("-inf")
        self.failed = False
        self._users = 0

    def upsert(self, kind: str, ids: Sequence[str], vectors: "Vectors") -> None:
        """Put vectors in, replacing those of the same id."""
        with self._using(kind) as collection:
            for start in range(0, len(ids), BATCH):
                part = slice(start, start + BATCH)
                collection.upsert(ids=list(ids[part]), embeddings=vectors[part])

    def delete(self, kind: str, ids: Sequence[str]) -> None:
        """Take vectors out; unknown ids are no error. On a shared server they stay: other checkouts may need them."""
        if self.shared:
            return
        with self._using(kind) as collection:
            for start in range(0, len(ids), BATCH):
                collection.delete(ids=list(ids[start : start + BATCH]))

    def nearest(self, kind: str, vector: "Vectors", count: int) -> list[tuple[str, float]]:
        """Ids and cosine similarities (-1..1) of the vectors nearest to one, shape [dim], best first."""
        with self._using(kind) as collection:
            found = collection.query(query_embeddings=[vector], n_results=count, include=["distances"])
            return [(key, 1.0 - float(far)) for key, far in zip(found["ids"][0], found["distances"][0], strict=True)]

    def ids(self, kind: str) -> list[str]:
        """All ids of a collection."""
        with self._using(kind) as collection:
            return list(collection.get(include=[])["ids"])

    def held(self, kind: str, ids: Sequence[str]) -> set[str]:
        """Those of the ids that have a vector."""
        with self._using(kind) as collection:
            parts = [list(ids[start : start + BATCH]) for start in range(0, len(ids), BATCH)]
            return {key for part in parts for key in collection.get(ids=part, include=[])["ids"]}

    def count(self, kind: str) -> int:
        """How many vectors a collection holds."""
        with self._using(kind) as collection:
            return int(collection.count())

    def drop_other_models(self) -> None:
        """Delete this project's collections of models that are no longer used."""
        if self.shared:
            return  # other people may use other models
        with self._using(FOREST):
            keep = {self._name(FOREST), self._name(MAP)}
            for collection in self._connected().list_collections():
                if collection.name not in keep:
                    self._connected().delete_collection(collection.name)

    def mend(self) -> bool:
        """Throw away a store in a folder that failed, or that somebody died over, if it is damaged; True if it was.

        Call with the lock of the vectors held.
        """
        with self._guard:
            if self.shared or not (self.failed or (self._client is None and self._mark.exists())):
                return False
            self.failed = True  # nobody begins to use it from here on
            self._guard.wait_for(lambda: not self._users)
            self.close()
        why = chroma.fault_of(self._place)
        if why:
            self.notices.append(f"the vectors could not be used ({why}) and are made again")
            if self._place.is_dir():
                shutil.rmtree(self._place)
            else:
                self._place.unlink(missing_ok=True)
        self._mark.unlink(missing_ok=True)
        with self._guard:
            self.failed = False
        return bool(why)

    def close(self) -> None:
        """Let go of the client; the next use opens it again."""
        with self._guard:
            client, self._client = self._client, None
            self._collections.clear()
            if client is not None:
                chroma.close(client)

    @contextlib.contextmanager
    def _using(self, kind: str) -> Iterator[Any]:
        """The collection. Raises DenseUnavailable for whatever goes wrong with it.

        What failed is closed when nobody uses it any more, as Chroma does not bear to be closed under somebody's hands.
        """
        with chroma.translated(), self._guard:
            self._refuse_failed()
            self._users += 1
        try:
            with chroma.translated(), self._marked():
                yield self._collection(kind)
        except DenseUnavailable:
            self.failed = True
            raise
        finally:
            with self._guard:
                self._users -= 1
                if self.failed and not self._users:
                    self._close_quietly()
                self._guard.notify_all()

    def _refuse_failed(self) -> None:
        """Let nobody begin to use what failed, or what somebody died over, before `mend` has had a look at it."""
        if self.shared:
            return
        self.failed = self.failed or (self._client is None and self._died())
        if self.failed:
            raise DenseUnavailable(
                "the vectors failed when they were last used and are being checked; later searches use them"
            )

    def _close_quietly(self) -> None:
        with contextlib.suppress(DenseUnavailable), chroma.translated():
            self.close()
        self.failed = not self.shared  # a folder is to be mended first

    @contextlib.contextmanager
    def _marked(self) -> Iterator[None]:
        if self.shared:
            yield
            return
        self._place.mkdir(exist_ok=True)
        self._mark.touch()
        yield
        self._mark.unlink(missing_ok=True)

    def _died(self) -> bool:
        """Whether somebody's mark is left over: whoever fills the store puts one in again and again, and is alive.

        Who holds the lock of the vectors alone may be the one that tries a damaged store.
        """
        return self._mark.exists() and not locks.is_held(self._place.parent, locks.FILLING)

    def _name(self, kind: str) -> str:
        return f"{kind}__{self._model}__{self._project()}" if self.shared else f"{kind}__{self._model}"

    def _collection(self, kind: str) -> Any:
        with self._guard:
            if kind not in self._collections:
                self._collections[kind] = self._connected().get_or_create_collection(
                    self._name(kind),
                    embedding_function=None,  # chroma's default one would be downloaded
                    configuration={"hnsw": {"space": "cosine"}},
                )
            return self._collections[kind]

    def _connected(self) -> "ClientAPI":
        if self._client is None:
            self._client = self._server() if self.shared else chroma.open_folder(self._place)
        return self._client

    def _server(self) -> "ClientAPI":
        """Connect; a server that did not answer a moment ago is not asked again, as every search would wait for it."""
        if time.monotonic() < self._silent_until:
            raise DenseUnavailable("the Chroma server does not answer; it is asked again in a few seconds")
        try:
            return chroma.open_server(self._config)
        except DenseUnavailable:
            self._silent_until = time.monotonic() + RETRY_S
            raise
