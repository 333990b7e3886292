"""Vectors in Chroma: two collections a model, Forest (chunks) and Map (what was learned), keyed by ids.

In a folder the store belongs to this index. On a server the collections belong to the project: all its worktrees and
clones add vectors, none deletes any, and callers leave out ids they do not know. Worktrees and clones of one repository
share their first commit, wherever they lie, so that commit with the index's folder in the repository names the project.

Chroma may end the process over a damaged folder. So a mark lies in the folder while a call works on it, and where one
is found while nobody works, a child process tries the folder before it is used again (`repair`). A store that failed is
closed and opened again at the next use.
"""

import contextlib
import hashlib
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeintel_index.config import IndexConfig
from codeintel_index.errors import DenseUnavailable
from codeintel_index.store import locks
from codeintel_index.tools.binaries import ask, git_command
from codeintel_index.vectors import chroma
from codeintel_index.vectors.folder import Folder

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
    commits = _git(root, "rev-list", "--max-parents=0", "HEAD").split()
    return f"{commits[-1]}/{_git(root, 'rev-parse', '--show-prefix')}" if commits else ""


def _git(root: Path, *arguments: str) -> str:
    """What git says, "" if it cannot."""
    try:
        done = ask(git_command(root, *arguments), PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


FOREST = "forest"
MAP = "map"
BATCH = 2000
RETRY_S = 10.0


class VectorStore:
    """The vectors of one project and one model. Safe to share between threads. `failed`: `repair` has something to do.

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
        self._silent_why = ""
        self.failed = False
        self._users = 0

    def upsert(self, kind: str, ids: Sequence[str], vectors: "Vectors") -> None:
        """Put vectors in, replacing those of the same id."""
        with self._using(kind) as collection:
            for start in range(0, len(ids), BATCH):
                part = slice(start, start + BATCH)
                collection.upsert(ids=list(ids[part]), embeddings=vectors[part])

    def delete(self, kind: str, ids: Sequence[str]) -> None:
        """Take vectors out; unknown ids are ignored. On a shared server they stay: other checkouts may need them."""
        if self.shared:
            return
        with self._using(kind) as collection:
            for start in range(0, len(ids), BATCH):
                collection.delete(ids=list(ids[start : start + BATCH]))

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

    def vectors(self, kind: str, ids: Sequence[str]) -> "dict[str, Vectors]":
        """Read those of the vectors that are there, by id."""
        with self._using(kind) as collection:
            parts = [list(ids[start : start + BATCH]) for start in range(0, len(ids), BATCH)]
            found = [collection.get(ids=part, include=["embeddings"]) for part in parts]
            return {key: row for each in found for key, row in zip(each["ids"], each["embeddings"], strict=True)}

    def wants_repair(self) -> bool:
        """Whether the folder is missing, failed, or a process died over it. Does not open it."""
        return not self.shared and (self.failed or self._mark.exists() or not self._place.is_dir())

    def count(self, kind: str) -> int:
        """Count the vectors of a collection."""
        with self._using(kind) as collection:
            return int(collection.count())

    def drop_other_models(self) -> None:
        """Delete this project's collections of models that are no longer used."""
        if self.shared:
            return  # other people may use other models
        with self._using(FOREST) as forest:
            forest.folder.keep_collections({self._name(FOREST), self._name(MAP)})

    def repair(self) -> bool:
        """Delete a store in a folder that failed, or over which a process died, if it is damaged; True if it was.

        Call with the lock of the vectors held.
        """
        with self._guard:
            if self.shared or not (self.failed or (not self._collections and self._mark.exists())):
                return False
            self.failed = True  # no new use begins from here on
            self._guard.wait_for(lambda: not self._users)
            self.close()
        why = chroma.diagnose(self._place)
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
        """Close the store; the next use opens it again."""
        with self._guard:
            client, self._client = self._client, None
            opened, self._collections = self._collections, {}
            if client is not None:
                chroma.close(client)
            elif opened:
                Folder(self._place).close()

    @contextlib.contextmanager
    def _using(self, kind: str) -> Iterator[Any]:
        """The collection. Raises DenseUnavailable for whatever goes wrong with it.

        What failed is closed when its last use ends, as Chroma cannot be closed while it is used.
        """
        with chroma.translate_errors(), self._guard:
            self._refuse_failed()
            self._users += 1
        try:
            with chroma.translate_errors(), self._marked():
                yield self._collection(kind)
        except DenseUnavailable as error:
            self.failed = True
            if self.shared:
                self._silent_until, self._silent_why = time.monotonic() + RETRY_S, error.why
            raise
        finally:
            with self._guard:
                self._users -= 1
                if self.failed and not self._users:
                    self._close_quietly()
                self._guard.notify_all()

    def _refuse_failed(self) -> None:
        """Refuse what failed, or over which a process died, until `repair` has checked it."""
        if self.shared:
            return
        self.failed = self.failed or (not self._collections and self._died())
        if self.failed:
            raise DenseUnavailable(
                "the vectors failed when they were last used and are being checked; later searches use them"
            )

    def _close_quietly(self) -> None:
        with contextlib.suppress(DenseUnavailable), chroma.translate_errors():
            self.close()
        self.failed = not self.shared  # a folder has to be repaired first

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
        """Whether the mark of a dead process is left: a process that fills the store sets its mark again and again.

        Who holds the lock of the vectors alone may be the one that tries a damaged store.
        """
        return self._mark.exists() and not locks.is_held(self._place.parent, locks.FILLING)

    def _name(self, kind: str) -> str:
        return f"{kind}__{self._model}__{self._project()}" if self.shared else f"{kind}__{self._model}"

    def _collection(self, kind: str) -> Any:
        with self._guard:
            if kind not in self._collections:
                self._collections[kind] = self._made(self._name(kind))
            return self._collections[kind]

    def _made(self, name: str) -> Any:
        if not self.shared:
            if not chroma.is_installed():
                raise DenseUnavailable(f"chromadb is not installed; {chroma.EXTRA}")
            return Folder(self._place).collection(name)
        self._client = self._client or self._server()
        return chroma.collection(self._client, name)

    def _server(self) -> "ClientAPI":
        """Connect; a server that did not answer a moment ago is not asked again, as every search would wait for it."""
        if time.monotonic() < self._silent_until:
            why = self._silent_why.partition("; it is asked again")[0]
            raise DenseUnavailable(f"{why}; it is asked again in a few seconds")
        return chroma.open_server(self._config)
