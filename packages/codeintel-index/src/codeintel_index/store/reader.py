"""All statements that read the index. Each answers in result types; an absent or damaged index answers with nothing."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from codeintel_index.results import Chunk, Import, Symbol
from codeintel_index.store.database import Database, is_damage
from codeintel_index.store.rows import IS_SECOND, FileStat

_FILE = "SELECT path, changed_ns, size, inode, hashed_at, digest, skipped FROM files"
_CHUNK = (
    "SELECT c.id, c.chunk_id, f.path, c.start_line, c.end_line, c.kind, c.symbol, c.parent, f.language, c.text"
    " FROM chunks c JOIN files f ON f.id = c.file_id"
)
_SYMBOL = (
    "SELECT s.name, s.kind, f.path, s.line, s.end_line, s.parent, s.signature, s.doc, s.source, s.start_line"
    " FROM symbols s JOIN files f ON f.id = s.file_id"
)
BY_KIND_ONLY = ("key", "section")
VECTOR_RESETS = "vector_resets"  # in meta: how often all vectors were lost
FOREST, MAP = KEPT = ("forest", "map")
"""The two kinds of vectors, by the names of their collections in Chroma."""
_KEPT = {
    FOREST: ("c.chunk_id", "vectors v CROSS JOIN chunks c ON c.id = v.chunk WHERE c.vector_of = ?"),
    MAP: ("v.key", "question_vectors v WHERE v.model = ?"),
}
MOST_ANCESTORS = 200
LINE_BY_HAND = 200  # bytes of a line of code, on average over a file, more than people write
BATCH = 500  # values in one IN (...)
T = TypeVar("T")


class FileRow(NamedTuple):
    """What is on record about a file."""

    stat: FileStat
    hashed_at: int
    digest: bytes
    skipped: str


class Use(NamedTuple):
    """The lines of one file that use a name in code."""

    name: str
    path: str
    lines: tuple[int, ...]


class Reader:
    """Queries over a Database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: tuple[str, dict[Hashable, Any]] = ("", {})

    def generation(self) -> str:
        """Tell which state of the rows this is: another text after every change."""
        return self._database.once_in_snapshot(lambda: f"{self._database.inode()} {self.meta('generation')}")

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` found in this state of the rows, made when first asked for."""
        generation, kept = self._kept  # read at once, as other threads may ask for another state
        if generation != (now := self.generation()):
            _, kept = self._kept = now, {}
        if key not in kept:
            kept[key] = make()
        found: T = kept[key]
        return found

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        """Have all that this thread reads within the block be of one state of the rows."""
        return self._database.snapshot()

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple]:  # type: ignore[type-arg]
        try:
            with self._database.reading() as connection:
                return connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._database.condemn()
            return []

    def _number(self, sql: str, values: Sequence[object] = ()) -> int:
        rows = self._rows(sql, values)
        return int(rows[0][0]) if rows else 0

    def meta(self, key: str) -> str:
        """Read a value of the `meta` table, "" if unset."""
        rows = self._rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def files(self) -> dict[str, FileRow]:
        """List every file on record by path."""
        return {row[0]: FileRow(FileStat(*row[:4]), *row[4:]) for row in self._rows(_FILE)}

    def file(self, path: str) -> FileRow | None:
        """Find one file on record."""
        rows = self._rows(f"{_FILE} WHERE path = ?", (path,))
        return FileRow(FileStat(*rows[0][:4]), *rows[0][4:]) if rows else None

    def languages(self) -> dict[str, int]:
        """Count the files of each language, "" for those of none."""
        return dict(self._rows("SELECT language, count(*) FROM files WHERE skipped = '' GROUP BY language"))

    def text_only(self, languages: Sequence[str]) -> list[str]:
        """List the files of some languages whose chunks are runs of lines, as no tree was made of them."""
        marks = ", ".join("?" * len(languages))
        first = "(SELECT kind FROM chunks WHERE file_id = files.id LIMIT 1)"
        return [
            row[0]
            for row in self._rows(
                f"SELECT path FROM files WHERE language IN ({marks}) AND {first} = 'text' ORDER BY path", languages
            )
        ]

    def paths(self) -> list[str]:
        """List the paths of all files that have rows, sorted."""
        return [row[0] for row in self._rows("SELECT path FROM files WHERE skipped = '' ORDER BY path")]

    def counts(self) -> tuple[int, int, int]:
        """Count files, chunks and symbols."""
        files = self._number("SELECT count(*) FROM files WHERE skipped = ''")
        return files, self._number("SELECT count(*) FROM chunks"), self._number("SELECT count(*) FROM symbols")

    def chunk(self, chunk_id: str) -> Chunk | None:
        """Find a chunk by its id."""
        return next((chunk for _, chunk in self._chunks("c.chunk_id = ?", (chunk_id,))), None)

    def chunks(self, rows: Sequence[int]) -> dict[int, Chunk]:
        """Find those of the chunks that exist, by row."""
        return dict(self._chunks(f"c.id IN ({_marks(rows)})", rows))

    def _chunks(self, where: str, values: Sequence[object]) -> list[tuple[int, Chunk]]:
        return [(row[0], Chunk(*row[1:])) for row in self._rows(f"{_CHUNK} WHERE {where}", values)]

    def rows_of(self, chunk_ids: Iterable[str]) -> dict[str, int]:
        """Find the rows of those of the ids that are chunks of the index."""
        ids = list(chunk_ids)
        parts = [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
        sql = "SELECT chunk_id, id FROM chunks WHERE chunk_id IN"
        return {row[0]: row[1] for part in parts for row in self._rows(f"{sql} ({_marks(part)})", part)}

    def chunk_at(self, path: str, line: int) -> Chunk | None:
        """Find the chunk that holds a line."""
        where = "f.path = ? AND c.start_line <= ? AND c.end_line >= ? ORDER BY c.end_line - c.start_line LIMIT 1"
        return next((chunk for _, chunk in self._chunks(where, (path, line, line))), None)

    def definers(self, names: Sequence[str]) -> list[tuple[str, str, int]]:
        """Find (name, kind, row of the chunk) of definitions of these names, in any case; those as written come first.

        Keys and headings are none, nor extensions and instances, unless there is nothing else.
        """
        if not (part := list(names)[:BATCH]):
            return []
        rows = self._rows(
            f"SELECT {IS_SECOND}, s.name, s.kind, c.id FROM symbols s"
            " JOIN chunks c ON c.file_id = s.file_id AND s.line BETWEEN c.start_line AND c.end_line"
            f" WHERE s.name COLLATE NOCASE IN ({_marks(part)})"
            f" ORDER BY {IS_SECOND}, s.name NOT IN ({_marks(part)}), s.id LIMIT 200",
            (*part, *part),
        )
        return [row[1:] for row in rows if row[0] == rows[0][0]]

    def users(self, paths: Sequence[str]) -> dict[str, int]:
        """Count the files that use the best known definition of each file of code, up to 64."""
        known: dict[str, int] = self.once("users", dict)
        if new := [path for path in paths if path not in known]:
            users = "(SELECT count(*) FROM (SELECT 1 FROM names n WHERE n.name = s.name LIMIT 64))"
            rows = self._rows(
                f"SELECT f.path, max({users}) FROM symbols s JOIN files f ON f.id = s.file_id"
                f" WHERE f.path IN ({_marks(new)}) AND s.parent = '' AND NOT {IS_SECOND} GROUP BY f.path",
                new,
            )
            known.update(dict.fromkeys(new, 0) | dict(rows))
        return {path: known[path] for path in paths}

    def minified(self, paths: Iterable[str]) -> set[str]:
        """Select the files whose lines are longer than people write them: bundles, and what a program has made."""
        wanted = sorted(paths)
        sql = "SELECT f.path FROM files f JOIN chunks c ON c.file_id = f.id WHERE f.path IN"
        longest = f"GROUP BY f.id HAVING f.size > {LINE_BY_HAND} * max(c.end_line)"
        parts = [wanted[start : start + BATCH] for start in range(0, len(wanted), BATCH)]
        return {row[0] for part in parts for row in self._rows(f"{sql} ({_marks(part)}) {longest}", part)}

    def segments(self) -> list[tuple[int, bytes]]:
        """List the segments of the full text (id, chunks), those of files that are gone among them."""
        return self._rows("SELECT id, chunks FROM segments ORDER BY id")

    def paths_by_id(self) -> dict[int, str]:
        """List the paths of all files by their number."""
        return dict(self._rows("SELECT id, path FROM files"))

    def postings(self, stems: Sequence[str]) -> list[tuple[str, int, bytes]]:
        """Find the postings (stem, segment, postings) of stems."""
        # Without the cross join SQLite would read all stems of a segment.
        sql = "SELECT w.stem, s.id, w.postings FROM segments s CROSS JOIN words w ON w.segment = s.id AND w.stem IN"
        return self._rows(f"{sql} ({_marks(stems)})", stems)

    def definitions(
        self,
        name: str,
        exact: bool = True,
        path: str = "",
        kinds: Sequence[str] = (),
        limit: int = -1,
        offset: int = 0,
        within: str = "",
    ) -> list[Symbol]:
        """Find symbols of this name, or whose name contains it in any case, by rank; keys and headings by kind only.

        Those whose path or parent holds `within` come first.
        """
        where, values = _named(name, exact, path, kinds)
        first = "instr(lower(f.path || ' ' || s.parent), lower(?)) = 0, " if within else ""
        sql = f"{_SYMBOL} WHERE {where} ORDER BY {first}s.rank, f.path, s.line LIMIT ? OFFSET ?"
        return [Symbol(*row) for row in self._rows(sql, (*values, *([within] if within else ()), limit, offset))]

    def ancestors(self, name: str) -> frozenset[str]:
        """Collect the last names of all that types of this name derive from or mix in, some 200 at most."""
        return self._linked("base", "name", [name])

    def relatives(self, names: Iterable[str]) -> frozenset[str]:
        """Collect the last names of the types from which these types derive, and of those derived from them."""
        wanted = sorted(names)[:BATCH]
        return self._linked("base", "name", wanted) | self.derived(wanted)

    def derived(self, names: Iterable[str]) -> frozenset[str]:
        """Collect the last names of the types that derive from these."""
        return self._linked("name", "base", sorted(names)[:BATCH])

    def _linked(self, column: str, by: str, level: list[str]) -> frozenset[str]:
        """Follow `bases` from one of its columns to the other until nothing new is found."""
        found: set[str] = set()
        most = MOST_ANCESTORS * len(level)
        while level and len(found) < most:
            rows = self._rows(f"SELECT DISTINCT {column} FROM bases WHERE {by} IN ({_marks(level)})", level)
            level = [row[0] for row in rows if row[0] not in found][:BATCH]
            found.update(level)
        return frozenset(found)

    def imports_of(self, path: str) -> list[Import]:
        """List the imports of one file."""
        sql = "SELECT i.module, i.names, i.line FROM imports i JOIN files f ON f.id = i.file_id WHERE f.path = ?"
        return [Import(module, tuple(json.loads(names)), line) for module, names, line in self._rows(sql, (path,))]

    def names_like(self, name: str) -> list[str]:
        """List names of code that begin as this one does, in any case, at most 5,000."""
        start = name[:2]
        rows = self._rows(
            "SELECT DISTINCT name FROM symbols s WHERE name COLLATE NOCASE >= ? AND name COLLATE NOCASE < ?"
            " AND rank < 100 LIMIT 5000",
            (start, f"{start}\U0010ffff"),
        )
        return [row[0] for row in rows]

    def count_named(self, name: str, exact: bool = True, path: str = "", kinds: Sequence[str] = ()) -> int:
        """Count the symbols that `definitions` finds without a limit."""
        where, values = _named(name, exact, path, kinds)
        return self._number(f"SELECT count(*) FROM symbols s JOIN files f ON f.id = s.file_id WHERE {where}", values)

    def symbols(self, path: str) -> list[Symbol]:
        """List the symbols of one file by line."""
        rows = self._rows(f"{_SYMBOL} WHERE f.path = ? ORDER BY s.line, s.end_line DESC", (path,))
        return [Symbol(*row) for row in rows]

    def uses(self, names: Iterable[str], path: str = "") -> list[Use]:
        """Find where these names are used in code, of all files or one, definitions of them left out."""
        wanted = list(names)
        rows: list[tuple] = []  # type: ignore[type-arg]
        for start in range(0, len(wanted), BATCH):
            part = wanted[start : start + BATCH]
            where = f"WHERE n.name IN ({_marks(part)}) AND (? = '' OR f.path = ?) LIMIT 5000"
            rows += self._rows(
                f"SELECT n.name, f.path, n.lines FROM names n JOIN files f ON f.id = n.file_id {where}",
                (*part, path, path),
            )
        return [Use(name, path, tuple(map(int, lines.split(",")))) for name, path, lines in rows]

    def defined_for(self, path: str) -> list[str]:
        """Find files with the only definition of a name that a file uses, those with most such names first."""
        once = (
            "SELECT min(s.file_id) AS home FROM files f JOIN names n ON n.file_id = f.id"
            " JOIN symbols s ON s.name = n.name WHERE f.path = ? GROUP BY n.name HAVING count(*) = 1"
        )
        sql = f"SELECT h.path, count(*) FROM ({once}) JOIN files h ON h.id = home GROUP BY h.path ORDER BY 2 DESC, 1"
        return [row[0] for row in self._rows(sql, (path,))]

    def count_users(self, name: str) -> int:
        """Count the files that use a name, up to 64."""
        return self._number("SELECT count(*) FROM (SELECT 1 FROM names WHERE name = ? LIMIT 64)", (name,))

    def count_definitions(self, name: str, limit: int = 64) -> int:
        """Count the places of code that define a name, up to `limit`; a prototype only announces the definition."""
        found = "SELECT 1 FROM symbols s JOIN files f ON f.id = s.file_id WHERE s.name = ? AND s.kind <> 'prototype' "
        found += f"AND NOT {IS_SECOND} LIMIT ?"
        return self._number(f"SELECT count(*) FROM ({found})", (name, limit))

    def imports(self, containing: Sequence[str], modules: Sequence[str] = ()) -> list[tuple[str, Import]]:
        """Find imports (path, import) whose module or names contain any of the texts, in any case, or whose module is
        given.

        At most 80 texts and 80 modules.
        """
        texts = [text.lower() for text in containing[:80]]
        where = " OR ".join(
            ["instr(lower(i.module || ' ' || i.names), ?)"] * len(texts) + [f"i.module IN ({_marks(modules[:80])})"]
        )
        rows = self._rows(
            f"SELECT f.path, i.module, i.names, i.line FROM imports i JOIN files f ON f.id = i.file_id WHERE {where}",
            (*texts, *modules[:80]),
        )
        return [(row[0], Import(row[1], tuple(json.loads(row[2])), row[3])) for row in rows]

    def pending(self, embedder: str, limit: int) -> list[tuple[int, Chunk]]:
        """List chunks (row id, chunk) without a vector of this embedder."""
        within = "SELECT id FROM chunks WHERE vector_of < ? OR vector_of > ? LIMIT ?"
        return self._chunks(f"c.id IN ({within})", (embedder, embedder, limit))

    def count_pending(self, embedder: str) -> int:
        """Count the chunks that wait for their vector."""
        return self._number("SELECT count(*) FROM chunks WHERE vector_of < ? OR vector_of > ?", (embedder, embedder))

    def count_vectors(self, embedder: str) -> int:
        """Count the chunks that have their vector."""
        return self._number("SELECT count(*) FROM chunks WHERE vector_of = ?", (embedder,))

    def has_vectors(self, embedder: str) -> bool:
        """Whether any chunk has its vector."""
        return bool(self._rows("SELECT 1 FROM chunks WHERE vector_of = ? LIMIT 1", (embedder,)))

    def marked(self, embedder: str, after: int, limit: int) -> list[tuple[int, str]]:
        """List chunks (row id, chunk id) that have their vector, by row id from the one after `after` on."""
        where = "WHERE vector_of = ? AND id > ? ORDER BY id LIMIT ?"
        return self._rows(f"SELECT id, chunk_id FROM chunks {where}", (embedder, after, limit))

    def vector_generation(self) -> tuple[str, int]:
        """Tell what the vectors here belong to, another text once all were lost, and how many there are."""
        resets = f"{self._database.inode()} {self.meta(VECTOR_RESETS) or 0}"
        return resets, self._number("SELECT count(*) FROM vectors")

    def packed_vectors(self, after: int, limit: int) -> list[tuple[int, int, bytes]]:
        """List vectors (id, row of the chunk, packed) in the order in which they were made, from the one
        after `after` on.
        """
        return self._rows("SELECT id, chunk, packed FROM vectors WHERE id > ? ORDER BY id LIMIT ?", (after, limit))

    def spare_vectors(self, model: str, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """List those of the vectors that the file before had, by the id of the chunk."""
        parts = [chunk_ids[start : start + BATCH] for start in range(0, len(chunk_ids), BATCH)]
        sql = "SELECT chunk_id, packed FROM spare_vectors WHERE model = ? AND chunk_id IN"
        return {row[0]: row[1] for part in parts for row in self._rows(f"{sql} ({_marks(part)})", (model, *part))}

    def kept(self, kind: str, model: str, after: int, limit: int) -> list[tuple[int, str, bytes]]:
        """List vectors of a kind (id, key in Chroma, packed) by id, from the one after `after` on."""
        key, rows = _KEPT[kind]
        sql = f"SELECT v.id, {key}, v.packed FROM {rows} AND v.id > ? ORDER BY v.id LIMIT ?"
        return self._rows(sql, (model, after, limit))

    def kept_state(self, kind: str, model: str, after: int = 0) -> tuple[int, int]:
        """Tell the last id and the number of the vectors of a kind behind an id: one changes whenever they do."""
        sql = f"SELECT ifnull(max(v.id), 0), count(*) FROM {_KEPT[kind][1]} AND v.id > ?"
        return next(iter(self._rows(sql, (model, after))), (0, 0))


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _named(name: str, exact: bool, path: str, kinds: Sequence[str]) -> tuple[str, tuple[object, ...]]:
    """The condition for symbols of a name, below a path ("" for any) and of given kinds, or of any but keys and
    headings; and its values.
    """
    where, values = ("s.name = ?" if exact else "instr(lower(s.name), lower(?)) > 0"), [name]
    if not kinds:
        where += f" AND s.kind NOT IN {BY_KIND_ONLY}"
    else:
        where, values = f"{where} AND s.kind IN ({_marks(kinds)})", [*values, *kinds]
    if path:
        where = f"{where} AND (f.path = ? OR substr(f.path, 1, length(?)) = ?)"
        values = [*values, path, f"{path}/", f"{path}/"]
    return where, tuple(values)
