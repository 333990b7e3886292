"""The public face: `Index`. It composes the parts and holds no logic of its own; each method says what it answers.

What concerns one path (symbols, structure, text search, references) reads the files as they are and needs no index.
What concerns the whole project (search, definitions, impact) looks at the disk first and brings the index up to date.
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from codeintel_index import locks
from codeintel_index.config import DATA_DIR, IndexConfig
from codeintel_index.dense import Dense
from codeintel_index.errors import NotAFile, UnknownChunk
from codeintel_index.files import Files
from codeintel_index.freshness import Keeper
from codeintel_index.globs import compile_glob
from codeintel_index.paths import read_source
from codeintel_index.results import (
    Chunk,
    Freshness,
    FunctionAt,
    GrepResult,
    IndexStats,
    Reference,
    SearchPage,
    Structure,
    Symbol,
    SyncReport,
)
from codeintel_index.store.database import Database
from codeintel_index.store.reader import Reader
from codeintel_index.sync import Progress, Syncer
from codeintel_index.tools.raw import Search


class Index:
    """The code index of one project. Open with `Index.open`; safe to share between threads."""

    def __init__(self, root: Path, config: IndexConfig) -> None:
        self.root = root
        self.config = config
        self.data_dir = config.data_dir or root / DATA_DIR
        self._files = Files(root, config)
        self._database = Database(self.data_dir / "index.db")
        self._reader = Reader(self._database)
        self._syncer = Syncer(root, config, self._files, self._database)
        self._dense = Dense(root, self.data_dir, config, self._database)
        self._keeper = Keeper(self._syncer, self._dense)

    @classmethod
    def open(cls, root: Path | str, config: IndexConfig | None = None) -> Self:
        """Open the index of the project at `root`; nothing is written until the first sync.

        Without `config`, `<root>/.code-intel/config.json` is read if it is there. Raises NotAFile, BadConfig.
        """
        place = Path(root).resolve()
        if not place.is_dir():
            raise NotAFile(str(root), "no such folder")
        return cls(place, config or IndexConfig.from_file(place / DATA_DIR / "config.json"))

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

    def sync(self, force: bool = False, progress: Progress | None = None) -> SyncReport:
        """Bring the index up to date; `force` parses every file again. `progress(done, total)` counts files.

        Symbols and lexical search are complete on return; vectors follow in the background (see `wait_dense`).
        Raises IndexBusy if another process keeps writing for ten minutes.
        """
        return self._keeper.sync(force, progress)

    def refresh(self) -> Freshness:
        """Look at the disk unless that was done within 2 s; up to 50 changed files are indexed before this returns.

        More than 50 are indexed in the background and counted in `stale_files`.
        """
        return self._keeper.refresh()

    def wait_dense(self, seconds: float | None = None) -> int:
        """Wait for the work in the background, at most `seconds`; how many chunks still have no vector."""
        self._keeper.follow()
        self._keeper.wait(seconds)
        return self._dense.pending()

    def stats(self) -> IndexStats:
        """State and size of the index."""
        files, chunks, symbols = self._reader.counts()
        state = "ready" if self._syncer.complete() else "absent"
        if self._keeper.busy() or locks.is_held(self.data_dir, locks.ROWS):
            state = "syncing"
        failure = [f"the last sync failed: {self._keeper.failure}"] if self._keeper.failure else []
        notices = (*self.config.warnings, *self._database.notices, *self._dense.notices, *failure)
        name, pending = self._dense.embedder.name, self._dense.pending()
        return IndexStats(
            state, files, chunks, symbols, self._syncer.age(), name, pending, self._dense.why, tuple(notices)
        )

    # Searching by meaning

    def search(self, query: str, collection: str = "auto", limit: int = 10) -> SearchPage:
        """Chunks that answer a query, best first. `collection`: `map` (what was learned), `forest` (the code), or
        `auto`: Map alone when its best score is at least 0.7, else Forest.

        On an index that was never synced this waits up to 30 s for the first sync and then answers from what is there.
        """
        from codeintel_index.search import forest

        fresh = self._keeper.first()
        hits, why = forest(self._reader, self._dense, query, limit)
        return SearchPage(tuple(hits), False, fresh.as_of, fresh.stale_files, why)

    def chunk(self, chunk_id: str) -> Chunk:
        """The whole chunk of a hit. Raises UnknownChunk."""
        found = self._reader.chunk(chunk_id)
        if found is None:
            raise UnknownChunk(chunk_id)
        return found

    def relevance(self, texts_a: Sequence[str], texts_b: Sequence[str]) -> list[list[float]]:
        """Cosine similarity of every text of `a` (rows) to every text of `b`, by the embedding model."""
        if not texts_a or not texts_b:
            return [[] for _ in texts_a]
        product = self._dense.embed(list(texts_a)) @ self._dense.embed(list(texts_b)).T
        return [[float(each) for each in row] for row in product]

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

    def references(self, name: str, *, path: str = "", limit: int = 200) -> tuple[list[Reference], int]:
        """Where a name is used, code first, definitions left out, and how many places there are."""
        from codeintel_index.references import references

        return references(self.root, name, Search(path=path, excluded=self.config.exclude_patterns), limit)

    def symbols(self, path: str, kind: str = "") -> list[Symbol]:
        """The symbols of one file, by line. Raises NotAFile, PathOutsideProject."""
        from codeintel_index.lookup import symbols_of

        return symbols_of(self.root, path, kind)

    def structure(self, path: str) -> Structure:
        """The outline of one file. Raises NotAFile, PathOutsideProject."""
        from codeintel_index.lookup import structure_of

        return structure_of(self.root, path)

    def function_at(self, path: str, line: int) -> FunctionAt | None:
        """The innermost definition around a line, with its text; None between definitions."""
        from codeintel_index.lookup import function_at

        return function_at(self.root, path, line)

    def is_empty(self, path: str, start: int, end: int) -> bool:
        """Whether lines `start` to `end` of a file only hold code that does nothing yet."""
        from codeintel_index.emptiness import is_empty_implementation

        relative, data = read_source(self.root, path)
        return is_empty_implementation(relative, data, start, end)

    # Text and files

    def grep(
        self,
        patterns: Sequence[str] | str,
        *,
        path: str = "",
        glob: str = "",
        file_type: str = "",
        fixed: bool = False,
        case_sensitive: bool = True,
        context_lines: int = 0,
        limit: int = 100,
        offset: int = 0,
        timeout: float = 20.0,
    ) -> list[GrepResult]:
        """Text search, one result a pattern, all run at once. `glob` as in `files`; `file_type` is ripgrep's.

        `limit` and `offset` count matches; `timeout` is in seconds. Raises BadPattern, PathOutsideProject, ToolTimeout.
        """
        from codeintel_index.tools.grep import grep

        search = Search(
            path=path,
            glob=glob,
            file_type=file_type,
            fixed=fixed,
            case_sensitive=case_sensitive,
            context=max(0, min(context_lines, 20)),
            timeout=timeout,
            excluded=self.config.exclude_patterns,
        )
        wanted = [patterns] if isinstance(patterns, str) else list(patterns)
        return grep(self.root, wanted, search, max(0, limit), max(0, offset))

    def files(self, pattern: str, *, limit: int = 200) -> tuple[list[str], int]:
        """Paths that match a glob and how many there are. `*.py` matches at any depth, `src/*.py` at the root."""
        matches = compile_glob(pattern).fullmatch
        found = [path for path in self._files.listed() if matches(path)]
        return found[:limit], len(found)

    def source_files(self) -> list[str]:
        """Every file that is (or is about to be) indexed, sorted."""
        return sorted(self._files.stats())
