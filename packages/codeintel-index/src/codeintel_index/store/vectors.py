"""Vectors in Chroma: two collections a model, Forest (chunks) and Map (what was learned). Keys are ids, nothing else.

Chroma is imported when first needed (seconds). Whatever it raises becomes DenseUnavailable: the lexical half of the
search must go on without it. A persistent store that cannot be opened is thrown away once, since it is derived.
"""

import contextlib
import hashlib
import shutil
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

    from codeintel_index.embedding.base import Vectors

FOREST = "forest"
MAP = "map"
BATCH = 2000
CONNECT_S = 3.0
RETRY_S = 30.0


class VectorStore:
    """The vectors of one project and one model. Safe to share between threads."""

    def __init__(self, data_dir: Path, config: IndexConfig, model: str, project: str) -> None:
        self._place = data_dir / "chroma"
        self._config = config
        self._model = model
        self._project = project
        self._client: ClientAPI | None = None
        self._collections: dict[str, Any] = {}
        self._guard = threading.RLock()
        self._silent_until = float("-inf")
        self.notices: list[str] = []

    def upsert(self, kind: str, ids: Sequence[str], vectors: "Vectors") -> None:
        """Put vectors in, replacing those of the same id."""
        with _translated():
            collection = self._collection(kind)
            for start in range(0, len(ids), BATCH):
                part = slice(start, start + BATCH)
                collection.upsert(ids=list(ids[part]), embeddings=vectors[part])

    def delete(self, kind: str, ids: Sequence[str]) -> None:
        """Take vectors out; unknown ids are no error. On a shared server they stay: other checkouts may need them."""
        if self._config.chroma_mode == "http" and kind == FOREST:
            return
        with _translated():
            collection = self._collection(kind)
            for start in range(0, len(ids), BATCH):
                collection.delete(ids=list(ids[start : start + BATCH]))

    def nearest(self, kind: str, vector: "Vectors", count: int) -> list[tuple[str, float]]:
        """Ids and cosine similarities (-1..1) of the vectors nearest to one, shape [dim], best first."""
        with _translated():
            collection = self._collection(kind)
            found = collection.query(query_embeddings=[vector], n_results=count, include=["distances"])
            return [(key, 1.0 - float(far)) for key, far in zip(found["ids"][0], found["distances"][0], strict=True)]

    def ids(self, kind: str) -> list[str]:
        """All ids of a collection."""
        with _translated():
            return list(self._collection(kind).get(include=[])["ids"])

    def count(self, kind: str) -> int:
        """How many vectors a collection holds."""
        with _translated():
            return int(self._collection(kind).count())

    def drop_other_models(self) -> None:
        """Delete this project's collections of models that are no longer used."""
        if self._config.chroma_mode == "http":
            return  # somebody else's server: other people may use other models
        with _translated(), self._guard:
            keep = {self._name(FOREST), self._name(MAP)}
            for collection in self._connected().list_collections():
                if collection.name not in keep:
                    self._connected().delete_collection(collection.name)

    def close(self) -> None:
        """Let go of the client; the next use opens it again."""
        with self._guard:
            client, self._client = self._client, None
            self._collections.clear()
            if client is not None:
                client.close()  # type: ignore[attr-defined]  # missing in the interface, there in every client
                _close_sockets(client)
                _close_sockets(getattr(client, "_admin_client", None))

    def _name(self, kind: str) -> str:
        shared = self._config.chroma_mode == "http"
        return f"{kind}__{self._model}__{self._project}" if shared else f"{kind}__{self._model}"

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
            self._client = self._http() if self._config.chroma_mode == "http" else self._persistent()
        return self._client

    def _http(self) -> "ClientAPI":
        import chromadb
        from chromadb.config import Settings

        config = self._config
        self._probe()
        return chromadb.HttpClient(
            host=config.chroma_host,
            port=config.chroma_port,
            ssl=config.chroma_ssl,
            tenant=config.chroma_tenant,
            database=config.chroma_database,
            settings=Settings(anonymized_telemetry=False),
        )

    def _probe(self) -> None:
        """Fail fast where nobody answers: Chroma's client has no limit of its own, and a search would wait for it."""
        if time.monotonic() < self._silent_until:
            raise DenseUnavailable("the Chroma server does not answer")
        try:
            socket.create_connection((self._config.chroma_host, self._config.chroma_port), CONNECT_S).close()
        except OSError as error:
            self._silent_until = time.monotonic() + RETRY_S
            raise DenseUnavailable(f"the Chroma server does not answer: {error}") from error

    def _persistent(self) -> "ClientAPI":
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False)
        try:
            return chromadb.PersistentClient(str(self._place), settings=settings)
        except (chromadb.errors.ChromaError, ValueError, RuntimeError) as error:
            self.notices.append(f"the vectors could not be opened ({error}) and are made again")
            shutil.rmtree(self._place, ignore_errors=True)
            return chromadb.PersistentClient(str(self._place), settings=settings)


def _close_sockets(client: object) -> None:
    """Close what an HTTP client leaves open when it is closed (there is no public way); nothing for other clients."""
    session = getattr(getattr(client, "_server", None), "_session", None)
    if session is not None:
        session.close()


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Turn the errors of Chroma and of what it stands on into DenseUnavailable."""
    try:
        import chromadb.errors
    except ImportError as error:
        raise DenseUnavailable(f"chromadb cannot be imported: {error}") from error
    try:
        yield
    except (chromadb.errors.ChromaError, ValueError, RuntimeError, OSError) as error:
        raise DenseUnavailable(f"the vector store failed: {str(error)[:200]}") from error


def project_key(root: Path) -> str:
    """A short name for a project on a shared server."""
    return hashlib.sha256(str(root).encode()).hexdigest()[:16]
