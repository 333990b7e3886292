"""The library: `Index`. It composes the parts and holds no logic of its own; each method says what it answers.

Search, lookups by name and impact look at the disk first and bring the index up to date. Outlines, references, text
search and reading work before any sync and while one is running; every path is confined to the project.
"""

import datetime
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from codeintel_index.config import DATA_DIR, IndexConfig
from codeintel_index.errors import NotAFile, UnknownChunk
from codeintel_index.files import Files
from codeintel_index.globs import compile_glob
from codeintel_index.languages.table import missing_grammars, say_text_only, structured
from codeintel_index.learned.agreements import AgreementStore
from codeintel_index.paths import confine, read_source
from codeintel_index.results import (
    Chunk,
    FileLines,
    Freshness,
    FunctionAt,
    GrepResult,
    Impact,
    IndexStats,
    MapEntry,
    Page,
    Reference,
    SearchPage,
    Structure,
    Symbol,
    SyncReport,
    lines_of,
)
from codeintel_index.store import locks
from codeintel_index.store.database import Database
from codeintel_index.store.reader import Reader
from codeintel_index.sync.syncer import Progress, Syncer
from codeintel_index.sync.updater import IndexUpdater
from codeintel_index.text.redaction import is_private
from codeintel_index.tools.ripgrep import Search
from codeintel_index.vectors.dense import Dense

if TYPE_CHECKING:
    from codeintel_index.learned.recall import Map
    from codeintel_index.stub_detection.judge import LinesKind

Clock = Callable[[], datetime.datetime]


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class Index:
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
        self._updater = IndexUpdater(self._syncer, self._dense)
        self._agreements = AgreementStore(self.data_dir)
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
        """Stop work in the background and close all files."""
        self._updater.close()
        self._dense.close()
        self._database.close()

    # Keeping up to date

    def sync(
        self, force: bool = False, progress: Progress | None = None, stopped: Callable[[], bool] = lambda: False
    ) -> SyncReport:
        """Bring the index up to date; `force` parses every file again. `progress(done, total)` counts files.

        `stopped()` is asked between batches: once true, what was written stays and the next sync does the rest.
        Symbols and lexical search are complete on return; slow vectors follow in the background (see `wait_dense`).
        Raises IndexBusy if another process keeps writing for ten minutes.
        """
        return self._updater.sync(force, progress, stopped)

    def sync_in_background(self) -> None:
        """Start a sync in the background and return at once; `stats().state` is `syncing` until it is done."""
        self._updater.start_background(rows=True)

    def refresh(self) -> Freshness:
        """Look at the disk unless that was done within 2 s; up to 50 changed files are indexed before this returns.

        More than 50 are indexed in the background and counted in `stale_files`.
        """
        return self._updater.refresh()

    def wait_dense(self, seconds: float | None = None, progress: Progress | None = None) -> int:
        """Wait for the work in the background, at most `seconds`; returns how many chunks still lack a vector."""
        return self._updater.wait_dense(seconds, progress)

    def fill_folder(self) -> str:
        """Bring `.code-intel/chroma/`, which else follows half a minute behind, to the state of the index now; returns
        why that failed, "" if it did not, or none is wanted.
        """
        return self._dense.fill_folder()

    def stats(self) -> IndexStats:
        """Report state and size of the index."""
        files, chunks, symbols = self._reader.counts()
        state = "ready" if self._syncer.complete() else "absent"
        if self._updater.busy() or locks.is_held(self.data_dir, locks.ROWS):
            state = "syncing"
        failure = [f"the last sync failed: {self._updater.failure}"] if self._updater.failure else []
        notices = (
            *self.config.warnings,
            *self._database.notices,
            *self._agreements.problems,
            *missing_grammars(self._reader.languages()),
            *say_text_only(self._reader.text_only(structured())),
            *failure,
        )
        name, pending = self._dense.model, self._dense.pending()
        return IndexStats(
            state,
            files,
            chunks,
            symbols,
            self._syncer.age(),
            name,
            pending,
            self._dense.why,
            tuple(notices),
            self._dense.where(chunks),
        )

    def check_vectors(self) -> str:
        """Ask the vector store once, a server within seconds; say why it cannot be used, "" if it can."""
        return self._dense.check()

    # Searching by meaning

    def search(self, query: str, collection: str = "auto", limit: int = 10, offset: int = 0) -> SearchPage:
        """Find chunks that answer a query, best first. `collection`: `map` (what was learned), `forest` (the code), or
        `auto`: Map alone when its best score is at least 0.7, else Forest.

        `total` counts the hits that were ranked: at most a few hundred, however many chunks share a word with it.
        On an index that was never synced this waits up to 8 s for the first sync and then answers from what is there.
        """
        from codeintel_index.learned.recall import LEAST, SHORTCUT
        from codeintel_index.search.forest import forest

        if collection not in ("auto", "map", "forest"):
            raise ValueError(f"collection must be auto, map or forest, not {collection!r}")
        fresh = self._updater.refresh_or_wait()
        if collection != "forest":
            found = self._map().recall(query, self._clock(), LEAST if collection == "map" else SHORTCUT)
            if collection == "map" or found:
                shown = tuple(Page.of(found, limit, offset))
                return SearchPage(shown, collection == "auto", fresh.as_of, fresh.stale_files, total=len(found))
        hits, why = forest(self._reader, self._dense, query, limit, offset)
        if why:
            self._updater.start_background()
        return SearchPage(tuple(hits), False, fresh.as_of, fresh.stale_files, why, hits.total)

    def ask(self, query: str) -> dict[str, object]:
        """Answer a question in plain words: names are looked up, quoted text is searched, the rest goes to Forest
        search.

        Plain data: `query`, `ran` (what was run: tool, argument, found), `definitions`, `matches`, `hits`.
        """
        from codeintel_index.search.forest import forest
        from codeintel_index.search.query import ask

        self._updater.refresh_or_wait()
        return ask(
            query,
            self.definitions,
            lambda texts: self.grep(texts, fixed=True, limit=20),
            lambda text: list(forest(self._reader, self._dense, text, 5, use_dense=False)[0]),
        )

    def chunk(self, chunk_id: str) -> Chunk:
        """Return the whole chunk of a hit. Raises UnknownChunk."""
        found = self._reader.chunk(chunk_id)
        if found is None:
            raise UnknownChunk(chunk_id)
        return found

    def relevance(self, texts_a: Sequence[str], texts_b: Sequence[str]) -> list[list[float]]:
        """Compare every text of `a` (rows) with every text of `b`, 0..1: from 0.7 on they mean the same.

        By the embedding model, without one by the words they share.
        """
        from codeintel_index.learned.similarity import likeness

        return likeness(self._dense, texts_a, texts_b) if texts_a and texts_b else [[] for _ in texts_a]

    # What was learned

    def learn(self, entries: Sequence[MapEntry]) -> None:
        """Keep what a session learned, as files under `agreements/`; what it learns later of the same replaces what it
        learned before.

        Entries with `successes=0, failures=1` demote what was learned before.
        """
        learned = self._map()
        self._agreements.learn([learned.marked(each) for each in entries])

    def _map(self) -> "Map":
        from codeintel_index.learned.recall import Map

        return Map(self.root, self._agreements, self._reader, self._dense)

    def map_entries(self) -> list[MapEntry]:
        """List everything learned, also what no longer resolves."""
        return [each.entry for each in self._agreements.all().values()]

    def forget(self, session_id: str) -> int:
        """Remove what a session contributed; returns how many entries that touched."""
        return self._agreements.forget(session_id)

    def judge(self, session_id: str, succeeded: bool) -> int:
        """Count a session's contributions as successes or failures; returns how many entries that touched."""
        return self._agreements.judge(session_id, succeeded)

    # What a change reaches

    def impact(
        self,
        files: Sequence[str],
        description: str = "",
        *,
        changed: Mapping[str, Sequence[tuple[int, int]]] | None = None,
        symbols: Collection[str] = (),
        about: Collection[str] = (),
        planned: Collection[str] = (),
    ) -> Impact:
        """Analyse what changing these files (or folders) may reach.

        `symbols` names the definitions that change; without them `changed` does, the changed line ranges of each file,
        1-based and inclusive; without both the words of the description, then the names that the task is `about`, and
        otherwise everything in the files changes.
        `planned` are files that need not exist yet. Raises PathOutsideProject, NotAFile.
        """
        from codeintel_index.impact.analyze import analyze
        from codeintel_index.impact.uses import Said

        self._updater.refresh_or_wait()
        search = Search(excluded=self.config.exclude_patterns)
        listed = self._files.listed()
        said = Said(changed or {}, symbols, description, about)
        return analyze(self.root, self._reader, listed, files, said, planned, search)

    # Symbols

    def definitions(
        self, name: str, *, path: str = "", kind: str = "", exact: bool = True, limit: int = 1000, offset: int = 0
    ) -> Page[Symbol]:
        """Find the definitions of a name as people write it: `flask.Flask`, `Class.method`, `ns::f`, `A::B#c`.

        `matched` of the page says when only the last part fits or only keys and headings bear the name, `nearest` gives
        similar names where nothing does.
        `exact=False`: names that contain it.

        On an index that was never synced an exact name is looked up in the files that hold it.
        """
        from codeintel_index.lookup import definitions

        self.refresh()
        if not exact and not self._syncer.complete():
            self._updater.refresh_or_wait()
        within = confine(self.root, path) if path else ""
        if exact and not self._syncer.complete():
            return definitions.cold_definitions(self.root, name, within, kind, limit, offset)
        return definitions.indexed_definitions(self._reader, name, exact, within, kind, max(0, limit), max(0, offset))

    def references(self, name: str, *, path: str = "", limit: int = 200, offset: int = 0) -> Page[Reference]:
        """Find where a name is used, code first, definitions left out."""
        from codeintel_index.lookup.references import references

        search = Search(path=confine(self.root, path), excluded=self.config.exclude_patterns)
        return references(self._files, self._reader, name, search, max(0, limit), max(0, offset))

    def symbols(self, path: str, kind: str = "", *, limit: int | None = None, offset: int = 0) -> Page[Symbol]:
        """List the symbols of one file, by line. Raises NotAFile, PathOutsideProject."""
        found = self.structure(path).symbols
        return Page.of([symbol for symbol in found if kind in ("", symbol.kind)], limit, offset)

    def structure(self, path: str, *, limit: int | None = None, offset: int = 0) -> Structure:
        """Outline one file; `limit` and `offset` count symbols. Raises NotAFile, PathOutsideProject."""
        from codeintel_index.lookup.definitions import structure_of

        found = structure_of(self.root, path)
        page = Page.of(found.symbols, limit, offset)
        return replace(found, symbols=tuple(page), total_symbols=page.total)

    def function_at(self, path: str, line: int, *, max_chars: int = 20_000) -> FunctionAt | None:
        """Find the innermost definition around a line, its text and what encloses it; None between definitions.

        Decorators and attributes belong to it.

        The text ends with the last whole line within `max_chars`.
        """
        from codeintel_index.lookup.definitions import function_at

        return function_at(self._files, self._reader, path, line, max_chars)

    def kind_of_lines(self, path: str, start: int, end: int, changed: Sequence[tuple[int, int]] = ()) -> "LinesKind":
        """Tell whether lines `start` to `end` of a file hold work, documentation, or nothing that is implemented.

        `changed` are the line ranges that a change touched: documentation of a stub counts only in an older one.
        """
        from codeintel_index.stub_detection.judge import kind_of_lines

        relative, data = read_source(self.root, path)
        # The lines of a private file are not read, so none of them can be called empty.
        return "work" if is_private(relative) else kind_of_lines(relative, data, start, end, changed)

    def new_stubs(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        """List the callables of a file that meet the changed lines and have become or begun empty: line and name."""
        from codeintel_index.stub_detection.judge import new_stubs

        relative, data = read_source(self.root, path)
        return new_stubs(relative, data, before.encode("utf-8", "surrogateescape"), changed)

    # Facts about names, from the text as it is now

    def names_touched(self, path: str, before: str, changed: Sequence[tuple[int, int]]) -> set[str]:
        """List the names that a change of a file concerns: words of the changed lines, definitions around them, and
        words that were in the text `before` and are no longer."""
        from codeintel_index.syntax.parsing import names_touched

        relative, data = read_source(self.root, path)
        return names_touched(relative, data, before, changed)

    def altered(self, path: str, before: str) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
        """List the functions of the text `before` of a file that read otherwise now or are gone: the qualified name,
        and the line ranges where they were and are."""
        from codeintel_index.syntax.parsing import altered

        relative, data = read_source(self.root, path)
        return altered(relative, data, before.encode("utf-8", "surrogateescape"))

    def definitions_at(self, path: str, start: int, end: int) -> set[str]:
        """List the innermost definitions that hold the lines `start` to `end`: qualified name and first line."""
        from codeintel_index.syntax.parsing import definitions_at

        return definitions_at(*read_source(self.root, path), start, end)

    def names_in_text(self, names: Iterable[str], *, timeout: float = 1.0) -> dict[str, bool]:
        """Tell for each name whether it, or the last part of a qualified one, occurs in the project's text.

        A name that is not an identifier is left out. Raises ToolTimeout.
        """
        from codeintel_index.lookup.references import names_in_text

        return names_in_text(self.root, names, Search(timeout=timeout))

    def names_in_code(self, names: Iterable[str], *, timeout: float = 1.0) -> dict[str, bool]:
        """Tell what `names_in_text` does, outside of tests and comments; a name with `()` must be in code."""
        from codeintel_index.lookup.references import names_in_code

        return names_in_code(self.root, names, Search(timeout=timeout))

    def files_using(self, name: str, *, known: Container[str] = (), limit: int = 5, timeout: float = 1.0) -> list[str]:
        """Find files not in `known` that certainly call or import a symbol in code. Raises ToolTimeout."""
        from codeintel_index.lookup.references import files_using

        search = Search(excluded=self.config.exclude_patterns, timeout=timeout)
        return files_using(self._files, self._reader, name, search, known, limit)

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
        """Search text, one result a pattern, all run at once. `glob` as in `files`; `file_type` is ripgrep's.

        `limit` and `offset` count matches; `timeout` is in seconds. One bad pattern of several is `refused` in its
        result. Raises BadPattern if all are, BadArgument, PathOutsideProject, ToolTimeout.
        """
        from codeintel_index.tools.grep import grep

        search = Search(
            path=path,
            glob=glob,
            file_type=file_type,
            fixed=fixed,
            case_sensitive=case_sensitive,
            context=context_lines,
            timeout=timeout,
            excluded=self.config.exclude_patterns,
        )
        wanted = [patterns] if isinstance(patterns, str) else list(patterns)
        return grep(self.root, wanted, search, max(0, limit), max(0, offset))

    def read_lines(self, path: str, start_line: int = 1, end_line: int | None = None) -> FileLines:
        """Read a range of lines of a text file, secrets masked; at most 1,000, the rest is left to the next call.

        Raises BadArgument for a range that no line of the file is in, NotAFile, PathOutsideProject.
        """
        relative, data = read_source(self.root, path)
        return FileLines.of(relative, lines_of(data), start_line, end_line)

    def files(self, pattern: str, *, limit: int = 200, offset: int = 0) -> Page[str]:
        """List paths that match a glob, in source_dirs or not. `*.py` matches at any depth, `src/*.py` at the root."""
        matches = compile_glob(pattern)
        return Page.of([path for path in self._files.listed() if matches(path)], limit, offset)

    def source_files(self) -> list[str]:
        """List every file that is (or is about to be) indexed, sorted."""
        return sorted(self._files.stats())
