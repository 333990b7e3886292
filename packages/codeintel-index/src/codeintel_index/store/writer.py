"""All statements that change the index. Each function leaves the rows of one file whole, so any set of calls may share
a transaction, and none may be split over two; the full text of a batch of files is written after them, in the same one.
"""

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from codeintel_index.store.reader import VECTOR_RESETS
from codeintel_index.store.rows import Batch, Prepared


def replace(connection: sqlite3.Connection, new: Prepared) -> None:
    """Put the file's rows in, in place of those it had. A chunk that stays as it was keeps its vector, unless all come
    with the file.
    """
    kept = [] if new.vectors else _vectors(connection, new)
    remove(connection, new.stat.path)
    file_id = _insert_file(connection, new)
    connection.executemany(
        "INSERT INTO symbols (file_id, name, kind, line, end_line, parent, signature, doc, source,"
        " start_line, rank) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(file_id, *row) for row in new.symbols],
    )
    connection.executemany("INSERT INTO names VALUES (?, ?, ?)", [(file_id, *row) for row in new.names])
    connection.executemany(
        "INSERT INTO imports (file_id, module, names, line) VALUES (?, ?, ?, ?)",
        [(file_id, *row) for row in new.imports],
    )
    connection.executemany("INSERT INTO bases VALUES (?, ?, ?)", [(file_id, *row) for row in new.bases])
    _insert_chunks(connection, file_id, new)
    connection.executemany("UPDATE chunks SET vector_of = ? WHERE chunk_id = ?", [each[:2] for each in kept])
    connection.executemany(
        "INSERT INTO vectors (chunk, packed) SELECT id, ? FROM chunks WHERE chunk_id = ?",
        [(packed, chunk_id) for _, chunk_id, packed in kept if packed is not None],
    )


def _vectors(connection: sqlite3.Connection, new: Prepared) -> list[tuple[str, str, bytes | None]]:
    """(model, chunk id, vector; None if it is on a server) of the file's chunks that stay as they were, called as
    before.
    """
    rows = connection.execute(
        "SELECT c.vector_of, c.chunk_id, v.packed, c.symbol, c.parent FROM chunks c JOIN files f ON f.id = c.file_id"
        " LEFT JOIN vectors v ON v.chunk = c.id WHERE f.path = ? AND c.vector_of != ''",
        (new.stat.path,),
    )
    present = {(row[0], row[4], row[5]) for row in new.chunks}
    return [row[:3] for row in rows if (row[1], *row[3:]) in present]


def _insert_file(connection: sqlite3.Connection, new: Prepared) -> int:
    cursor = connection.execute(
        "INSERT INTO files (path, changed_ns, size, inode, hashed_at, digest, language, skipped)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*new.stat, new.hashed_at, new.digest, new.language, new.skipped),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _insert_chunks(connection: sqlite3.Connection, file_id: int, new: Prepared) -> None:
    first = last_chunk(connection) + 1
    connection.executemany(
        "INSERT INTO chunks (id, file_id, chunk_id, start_line, end_line, kind, symbol, parent, text, vector_of)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, file_id, *row, new.vector_of) for number, row in enumerate(new.chunks, first)],
    )
    connection.executemany("INSERT INTO vectors (chunk, packed) VALUES (?, ?)", enumerate(new.vectors, first))


def last_chunk(connection: sqlite3.Connection) -> int:
    """Find the id of the chunk that was inserted last; the next ones have higher ids."""
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
    return int(last[0]) if last else 0


def put_words(connection: sqlite3.Connection, batches: Sequence[Batch], after: int) -> None:
    """Write the full text of batches whose files have been written as one segment; their chunks are those after
    `after`.
    """
    parts = [(batch.words, len(batch.sizes)) for batch in batches if batch.words is not None]
    if not parts:
        return
    from codeintel_index.text.postings import joined  # late: it loads numpy

    rows = connection.execute(
        "SELECT id, file_id, start_line, end_line, symbol != '' FROM chunks WHERE id > ? ORDER BY id", (after,)
    )
    sizes = chain.from_iterable(batch.sizes for batch in batches)
    chunks = array("q", chain.from_iterable((*row, size) for row, size in zip(rows, sizes, strict=True)))
    put_segment(connection, chunks.tobytes(), joined(parts).each())


def put_segment(connection: sqlite3.Connection, chunks: bytes, words: Iterable[tuple[str, bytes]]) -> None:
    """Write a segment: (id, file, first and last line, whether it bears a name, size) of its chunks; its postings."""
    segment = connection.execute("INSERT INTO segments (chunks) VALUES (?)", (chunks,)).lastrowid
    connection.executemany("INSERT INTO words VALUES (?, ?, ?)", [(segment, *each) for each in words])


def remove(connection: sqlite3.Connection, path: str) -> None:
    """Delete all rows of the file, its vectors too; those on a server stay, as others may need them."""
    found = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
    if found is None:
        return
    connection.execute("DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE file_id = ?)", found)
    for table in ("chunks", "symbols", "names", "imports", "bases"):
        connection.execute(f"DELETE FROM {table} WHERE file_id = ?", found)
    connection.execute("DELETE FROM files WHERE id = ?", found)


def touch(connection: sqlite3.Connection, same: Prepared) -> None:
    """Record a new stat triple for a file whose content has not changed."""
    stat = same.stat
    connection.execute(
        "UPDATE files SET changed_ns = ?, size = ?, inode = ?, hashed_at = ? WHERE path = ?",
        (stat.changed_ns, stat.size, stat.inode, same.hashed_at, stat.path),
    )


def put_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Set one value of the `meta` table."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def mark_vectors(connection: sqlite3.Connection, embedder: str, rowids: Iterable[int]) -> None:
    """Record that these chunks (rows) have their vector; some may be gone meanwhile."""
    connection.executemany("UPDATE chunks SET vector_of = ? WHERE id = ?", [(embedder, rowid) for rowid in rowids])


def put_vectors(connection: sqlite3.Connection, embedder: str, made: Mapping[int, bytes]) -> None:
    """Keep the vectors of chunks, by row; some may be gone meanwhile."""
    mark_vectors(connection, embedder, made)
    connection.executemany(
        "INSERT OR REPLACE INTO vectors (chunk, packed) SELECT id, ? FROM chunks WHERE id = ?",
        [(packed, rowid) for rowid, packed in made.items()],
    )


def unmark_vectors(connection: sqlite3.Connection, rowids: Iterable[int]) -> None:
    """Record that these chunks (rows) have no vector after all."""
    connection.executemany("UPDATE chunks SET vector_of = '' WHERE id = ?", [(rowid,) for rowid in rowids])


def unmark_unkept(connection: sqlite3.Connection) -> None:
    """Record that chunks whose vector is not kept here have none: it was put on a server that is used no more."""
    connection.execute(
        "UPDATE chunks SET vector_of = '' WHERE vector_of != '' AND id NOT IN (SELECT chunk FROM vectors)"
    )


def forget_others(connection: sqlite3.Connection, embedder: str) -> None:
    """Delete the vectors that another model made."""
    kept = "SELECT id FROM chunks WHERE vector_of = ?"
    if not connection.execute(f"DELETE FROM vectors WHERE chunk NOT IN ({kept})", (embedder,)).rowcount:
        return
    last = connection.execute("SELECT value FROM meta WHERE key = ?", (VECTOR_RESETS,)).fetchone()
    put_meta(connection, VECTOR_RESETS, str(int(last[0]) + 1 if last else 1))


def forget_spare(connection: sqlite3.Connection) -> None:
    """Delete the vectors of the file before that no chunk has asked for."""
    connection.execute("DELETE FROM spare_vectors")


def put_questions(connection: sqlite3.Connection, model: str, made: Iterable[tuple[str, bytes]]) -> None:
    """Keep the vectors of learned questions."""
    connection.executemany(
        "INSERT OR REPLACE INTO question_vectors (key, model, packed) VALUES (?, ?, ?)",
        [(key, model, packed) for key, packed in made],
    )


def forget_questions(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Delete the vectors of learned questions that are gone."""
    connection.executemany("DELETE FROM question_vectors WHERE key = ?", [(key,) for key in keys])
