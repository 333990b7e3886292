"""Merging segments of the full text, so that a question looks into few, and chunks that are gone take little room."""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from codeintel_index.store import writer
from codeintel_index.store.database import Database
from codeintel_index.store.schema import COLUMNS

SMALL = 256  # chunks: what an edit or a few write at once
MOST_SMALL = 16
AT_ONCE = 64  # segments
SPARE = 1000  # chunks that are gone but may stay wherever they are
BYTES = 8 * COLUMNS


def merge(database: Database) -> None:
    """Merge small segments once there are many, and those of which most is gone."""
    while True:
        with database.reading() as connection:
            if not _chosen(connection):
                return
        with database.writing() as connection:
            if chosen := _chosen(connection):
                _merge(connection, chosen)


def _chosen(connection: sqlite3.Connection) -> list[int]:
    sizes = dict(connection.execute(f"SELECT id, length(chunks) / {BYTES} FROM segments ORDER BY id").fetchall())
    small = [segment for segment, size in sizes.items() if size < SMALL]
    if len(small) > MOST_SMALL:
        return small[:AT_ONCE]
    (present,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
    if sum(sizes.values()) <= 2 * present + SPARE:
        return []
    kept = _count_present(connection)
    return [segment for segment, size in sizes.items() if 2 * kept.get(segment, 0) <= size][:AT_ONCE]


def _count_present(connection: sqlite3.Connection) -> dict[int, int]:
    import numpy as np  # late: only a merge needs it

    files = np.array([row[0] for row in connection.execute("SELECT id FROM files")], np.int64)
    rows = connection.execute("SELECT id, chunks FROM segments")
    return {segment: int(np.isin(np.frombuffer(packed, np.int64)[1::COLUMNS], files).sum()) for segment, packed in rows}


def _merge(connection: sqlite3.Connection, chosen: Sequence[int]) -> None:
    """Write the chunks that there are still, and their postings, as one segment in place of the chosen ones."""
    import numpy as np

    from codeintel_index.text.postings import NUMBER_BIT

    marks = ",".join("?" * len(chosen))
    files = np.array([row[0] for row in connection.execute("SELECT id FROM files")], np.int64)
    kept, numbers, count = [], {}, 0
    for segment, packed in connection.execute(f"SELECT id, chunks FROM segments WHERE id IN ({marks})", chosen):
        table = np.frombuffer(packed, np.int64).reshape(-1, COLUMNS)
        is_there = np.isin(table[:, 1], files)
        numbers[segment] = np.where(is_there, np.cumsum(is_there) - 1 + count, -1)
        kept.append(table[is_there].tobytes())
        count += int(is_there.sum())
    words: defaultdict[str, bytes] = defaultdict(bytes)
    sql = f"SELECT stem, segment, postings FROM words WHERE segment IN ({marks})"
    for stem, segment, packed in connection.execute(sql, chosen):
        codes = np.frombuffer(packed, np.uint32)
        number = numbers[segment][codes >> NUMBER_BIT]
        beside = codes & ((1 << NUMBER_BIT) - 1)
        words[stem] += (number << NUMBER_BIT | beside)[number >= 0].astype(np.uint32).tobytes()
    connection.execute(f"DELETE FROM words WHERE segment IN ({marks})", chosen)
    connection.execute(f"DELETE FROM segments WHERE id IN ({marks})", chosen)
    if count:
        writer.put_segment(connection, b"".join(kept), sorted((stem, each) for stem, each in words.items() if each))
