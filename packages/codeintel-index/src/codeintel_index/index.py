"""The public face: `Index`. It composes the parts and holds no logic of its own; each method says what it answers.

What concerns the whole project (search, definitions, impact) looks at the disk first and brings the index up to date;
what can be read from the files themselves is in `LiveFiles`.
"""

import datetime
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from codeintel_index import locks
from codeintel_index.config import DATA_DIR, IndexConfig
from codeintel_index.dense import Dense
from codeintel_index.errors import NotAFile, UnknownChunk
from codeintel_index.files import Files
from codeintel_index.freshness import Keeper
from codeintel_index.languages.installed import missing_grammars
from codeintel_index.learned.folder import Folder
from codeintel_index.live import LiveFiles
from codeintel_index.results import (
    Chunk,
    Freshness,
    Impact,
    IndexStats,
    MapEntry,
    SearchPage,
    Symbol,
    SyncReport,
)
from codeintel_index.store.database import Database
from codeintel_index.store.reader import Reader
from codeintel_index.sync import Progress, Syncer
from codeintel_index.tools.raw import Search

if TYPE_CHECKING:
    from codeintel_index.learned.recall import Map


Clock = Callable[[], datetime.datetime]


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class Index(LiveFiles):
    """The code index of one project. Open with `Index.open`; safe to share between threads."""

    def __init__(self, root: Path, config: IndexConfig, clock: Clock = _now) -> None:
        self.root = root
        self.config = config
        self.data_dir = config.data_dir or root / DATA_DIR
        self._files = Files(root, config)
        self._database = Database(self.data_dir / "index.db", config.chunk_max_tokens)
        self._reader = Reader(self._database)
        self._syncer = Syncer(root, config, self._files, self._database)
        self._dense = Dense(root, self.data_dir, config, self._database)
        self._keeper = Keeper(self._syncer, self._dense)
        self._folder = Folder(self.data_dir)
        self._clock = clock

    @classmethod
    def open(cls, root: Path | str, config: IndexConfig | None = None, clock: Clock = _now) -> Self:
        """Open the index of the project at `root`; nothing is written until the first sync.

        Without `config`, `<root>/.code-intel/config.json` is read if it is there. `clock` gives the time by which
        what was learned fades, with its zone. Raises NotAFile, BadConfig.
        """
        place = Path(root).resolve()
        if not place.is_dir():
            raise NotAFile(str(root), "no such folder")
        return cls(place, config or IndexConfig.from_file(place / DATA_DIR / "config.json"), clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop work in the background and let go of all files."""
        self._keeper.close()
        self._dense.close()
        self._database.close()

    # Keeping up to date

    def sync(
        self,
        force: bool = False,
        progress: Progress | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> SyncReport:
        """Bring the index up to date; `force` parses every file again. `progress(done, total)` counts files.

        `stopped()` is asked between batches: once true, what was written stays and the next sync does the rest.
        Symbols and lexical search are complete on return; vectors follow in the background (see `wait_dense`).
        Raises IndexBusy if another process keeps writing for ten minutes.
        """
        return self._keeper.sync(force, progress, stopped)

    def sync_behind(self) -> None:
        """Start a sync in the background and return at once; `stats().state` is `syncing` until it is done."""
        self._keeper.follow(rows=True)

    def refresh(self) -> Freshness:
        """Look at the disk unless that was done within 2 s; up to 50 changed files are indexed before this returns.

        More than 50 are indexed in the background and counted in `stale_files`.
        """
        return self._keeper.refresh()

    def wait_dense(self, seconds: float | None = None, progress: Progress | None = None) -> int:
        """Wait for the work in the background, at most `seconds`; how many chunks still have no vector."""
        return self._keeper.wait_dense(seconds, progress)

    def stats(self) -> IndexStats:
        """State and size of the index."""
        files, chunks, symbols = self._reader.counts()
        state = "ready" if self._syncer.complete() else "absent"
        if self._keeper.busy() or locks.is_held(self.data_dir, locks.ROWS):
            state = "syncing"
        failure = [f"the last sync failed: {self._keeper.failure}"] if self._keeper.failure else []
        notices = (
            *self.config.warnings,
            *self._database.notices,
            *self._dense.notices,
            *self._folder.problems,
            *missing_grammars(self._reader.languages()),
            *failure,
        )
        name, pending = self._dense.model, self._dense.pending()
        return IndexStats(
            state, files, chunks, symbols, self._syncer.age(), name, pending, self._dense.why, tuple(notices)
        )

    # Searching by meaning

    def search(self, query: str, collection: str = "auto", limit: int = 10) -> SearchPage:
        """Chunks that answer a query, best first. `collection`: `map` (what was learned), `forest` (the code), or
        `auto`: Map alone when its best score is at least 0.7, else Forest.

        On an index that was never synced this waits up to 30 s for the first sync and then answers from what is there.
        """
        from codeintel_index.learned.recall import LEAST, SHORTCUT
        from codeintel_index.search import forest

        if collection not in ("auto", "map", "forest"):
            raise ValueError(f"collection must be auto, map or forest, not {collection!r}")
        fresh = self._keeper.first()
        if collection != "forest":
            hits = self._map().recall(query, limit, self._clock(), LEAST if collection == "map" else SHORTCUT)
            if collection == "map" or hits:
                return SearchPage(tuple(hits), collection == "auto", fresh.as_of, fresh.stale_files)
        hits, why = forest(self._reader, self._dense, query, limit)
        if why:
            self._keeper.follow()
        return SearchPage(tuple(hits), False, fresh.as_of, fresh.stale_files, why)

    def ask(self, query: str) -> dict[str, object]:
        """A question in plain words: names in it are looked up, quoted text is searched for, the rest by meaning.

        Plain data: `query`, `ran` (what was run: tool, argument, found), `definitions`, `matches`, `hits`.
        """
        from codeintel_index.ask import ask
        from codeintel_index.search import forest

        self._keeper.first()
        return ask(
            query,
            self.definitions,
            lambda texts: self.grep(texts, fixed=True, limit=20),
            lambda text: forest(self._reader, self._dense, text, 5, use_dense=False)[0],
        )

    def chunk(self, chunk_id: str) -> Chunk:
        """The whole chunk of a hit. Raises UnknownChunk."""
        found = self._reader.chunk(chunk_id)
        if found is None:
            raise UnknownChunk(chunk_id)
        return found

    def relevance(self, texts_a: Sequence[str], texts_b: Sequence[str]) -> list[list[float]]:
        """How alike every text of `a` (rows) is to every text of `b`, 0..1: from 0.7 on they mean the same.

        By the embedding model, without one by the words they share.
        """
        from codeintel_index.learned.likeness import likeness

        return likeness(self._dense, texts_a, texts_b) if texts_a and texts_b else [[] for _ in texts_a]

    # What was learned

    def learn(self, entries: Sequence[MapEntry]) -> None:
        """Keep what a session learned, as files under `agreements/`; its newer word on the same replaces its older.

        Entries with `successes=0, failures=1` demote what was learned before.
        """
        learned = self._map()
        self._folder.learn([learned.marked(each) for each in entries])

    def _map(self) -> "Map":
        from codeintel_index.learned.recall import Map

        return Map(self.root, self._folder, self._reader, self._dense)

    def map_entries(self) -> list[MapEntry]:
        """Everything learned, also what no longer resolves."""
        return [each.entry for each in self._folder.all().values()]

    def forget(self, session_id: str) -> int:
        """Take back what a session contributed; how many entries that touched."""
        return self._folder.forget(session_id)

    def judge(self, session_id: str, succeeded: bool) -> int:
        """Count a session's contributions as successes or failures from now on; how many entries that touched."""
        return self._folder.judge(session_id, succeeded)

    # What a change reaches

    def impact(
        self,
        files: Sequence[str],
        description: str = "",
        *,
        changed: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    ) -> Impact:
        """What changing these files (or folders) may reach. `changed` gives the changed line ranges of a file, 1-based
        and inclusive: symbols in them come first. Raises PathOutsideProject; a file need not exist (yet).
        """
        from codeintel_index.impact.analyze import analyze

        self._keeper.first()
        search = Search(excluded=self.config.exclude_patterns)
        return analyze(self.root, self._reader, files, description, changed or {}, search)

    # Symbols

    def definitions(self, name: str, *, path: str = "", kind: str = "", exact: bool = True) -> list[Symbol]:
        """Definitions of a name; `Class.method` and `ns::f` work. `exact=False`: names that contain it, in any case.

        On an index that was never synced an exact name is looked up in the files that hold it.
        """
        from codeintel_index import lookup

        self.refresh()
        if exact and not self._syncer.complete():
            found = lookup.cold_definitions(self.root, name)
        else:
            if not self._syncer.complete():
                self._keeper.first()
            found = lookup.indexed_definitions(self._reader, name, exact)
        return lookup.narrowed(self.root, found, path, kind)
