"""Vectors on a Chroma server: two collections a model, Forest (chunks) and Map (what was learned), keyed by ids.

The collections belong to the project: all its worktrees and clones add vectors, none deletes any, and callers leave out
ids they do not know. Worktrees and clones of one repository share their first commit, wherever they lie, so that commit
with the index's folder in the repository names the project.
"""

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable
from codeintel_index.tools.binaries import git_says
from codeintel_index.vectors import chroma

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

    from codeintel_index.embedding.models import Vectors

DIGITS = 16
PATIENCE_S = 60.0


def project_key(root: Path, configured: str = "") -> str:
    """Compute a short name for the project at `root`: the same in all its worktrees and whole clones.

    `configured` is used in place of the commit. Without git or without any commit the place alone tells the project;
    a shallow clone has another first commit, so it needs a configured name to share.
    """
    name = configured or _first_commit(root) or str(root)
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:DIGITS]


def _first_commit(root: Path) -> str:
    """The first commit and the folder of `root` in its repository, "" where there is no commit."""
    commits = git_says(root, "rev-list", "--max-parents=0", "HEAD", seconds=PATIENCE_S).split()
    prefix = git_says(root, "rev-parse", "--show-prefix", seconds=PATIENCE_S) if commits else ""
    return f"{commits[-1]}/{prefix}" if commits else ""


BATCH = 2000
RETRY_S = 10.0


class VectorStore:
    """The vectors of one project and one model. Safe to share between threads. One that failed is closed and opened
    again at the next use.
    """

    def __init__(self, config: IndexConfig, model: str, project: Callable[[], str]) -> None:
        self._config = config
        self._model = model
        self._project = project
        self._client: ClientAPI | None = None
        self._collections: dict[str, Any] = {}
        self._guard = threading.RLock()
        self._silent_until = float("-inf")
        self._silent_why = ""
        self._failed = False
        self._users = 0

    def upsert(self, kind: str, ids: Sequence[str], vectors: "Vectors") -> None:
        """Put vectors in, replacing those of the same id."""
        with self._using(kind) as collection:
            for start in range(0, len(ids), BATCH):
                part = slice(start, start + BATCH)
                collection.upsert(ids=list(ids[part]), embeddings=vectors[part])

    def nearest(self, kind: str, vector: "Vectors", count: int) -> list[tuple[str, float]]:
        """Find the vectors nearest to one: ids and cosine similarities (-1..1), shape [dim], best first."""
        with self._using(kind) as collection:
            found = collection.query(query_embeddings=[vector], n_results=count, include=["distances"])
            return [(key, 1.0 - float(far)) for key, far in zip(found["ids"][0], found["distances"][0], strict=True)]

    def ids(self, kind: str) -> list[str]:
        """List all ids of a collection."""
        with self._using(kind) as collection:
            return list(collection.get(include=[])["ids"])

    def existing(self, kind: str, ids: Sequence[str]) -> set[str]:
        """Select the ids that have a vector."""
        with self._using(kind) as collection:
            parts = [list(ids[start : start + BATCH]) for start in range(0, len(ids), BATCH)]
            return {key for part in parts for key in collection.get(ids=part, include=[])["ids"]}

    def count(self, kind: str) -> int:
        """Count the vectors of a collection."""
        with self._using(kind) as collection:
            return int(collection.count())

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        with self._guard:
            client, self._client = self._client, None
            self._collections = {}
            if client is not None:
                chroma.close(client)

    @contextlib.contextmanager
    def _using(self, kind: str) -> Iterator[Any]:
        """The collection. Raises DenseUnavailable for whatever goes wrong with it.

        What failed is closed when its last use ends, as Chroma cannot be closed while it is used.
        """
        with self._guard:
            self._users += 1
        try:
            with chroma.translate_errors():
                yield self._collection(kind)
        except DenseUnavailable as error:
            self._failed = True
            self._silent_until, self._silent_why = time.monotonic() + RETRY_S, error.why
            raise
        finally:
            with self._guard:
                self._users -= 1
                if self._failed and not self._users:
                    with contextlib.suppress(DenseUnavailable), chroma.translate_errors():
                        self.close()
                    self._failed = False

    def _collection(self, kind: str) -> Any:
        with self._guard:
            if kind not in self._collections:
                self._client = self._client or self._connect()
                name = f"{kind}__{self._model}__{self._project()}"
                self._collections[kind] = chroma.collection(self._client, name)
            return self._collections[kind]

    def _connect(self) -> "ClientAPI":
        """Connect; a server that did not answer a moment ago is not asked again, as every search would wait for it."""
        if time.monotonic() < self._silent_until:
            why = self._silent_why.partition("; it is asked again")[0]
            raise DenseUnavailable(f"{why}; it is asked again in a few seconds")
        return chroma.open_server(self._config)
