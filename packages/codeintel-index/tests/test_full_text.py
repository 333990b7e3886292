"""The full text scores chunks as SQLite's BM25 does, follows every edit, and stays in few segments."""

import contextlib
import math
import sqlite3
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.search.lexical import lexical
from codeintel_index.store.chunks import chunks_of
from codeintel_index.store.segments import MOST_SMALL
from codeintel_index.testing import full_text, wanted_full_text, write_files
from codeintel_index.text.tokens import path_tokens, tokens

pytestmark = pytest.mark.draws(18)
WORDS = ("receipt", "prices", "cart", "handled")


@pytest.fixture
def written(index: Index) -> Index:
    """Some files of which each holds some of the words, more than once."""
    for at in range(40):
        held = [word for place, word in enumerate(WORDS) if at % (place + 3) == 0]
        write_files(
            index.root, {f"lib/{'_'.join(held) or 'none'}_{at}.txt": f"{' '.join(held * (at % 4))} line {at}\n"}
        )
    index.sync()
    return index


def rows_of(index: Index) -> sqlite3.Connection:
    return sqlite3.connect(index.root / ".code-intel/index.db")


def test_a_chunk_has_the_score_of_sqlite_but_for_the_rarity_of_the_term(written: Index) -> None:
    with contextlib.closing(rows_of(written)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.says USING fts5 (path, body, tokenize='porter unicode61')")
        sql = "SELECT c.id, path, symbol, parent, text FROM chunks c JOIN files f ON f.id = c.file_id"
        for row, path, *texts in connection.execute(sql).fetchall():
            says = " ".join(path_tokens(path)), " ".join(tokens(" ".join(texts)))
            connection.execute("INSERT INTO says (rowid, path, body) VALUES (?, ?, ?)", (row, *says))
        for word in WORDS:
            ranked = "SELECT rowid, -bm25(says, 3.0, 0.25) FROM says WHERE says MATCH ?"
            wanted = dict(connection.execute(ranked, (word,)))
            found = lexical(written._reader, {word: 1.0}, (3.0, 0.25), 1000)
            scores = {int(found.chunks.row[number]): score for number, score in found.scores.items()}
            total, count = written.stats().chunks, len(wanted)
            rarity = math.log((total - count + 0.5) / (count + 0.5))
            assert scores.keys() == wanted.keys()
            for row, score in scores.items():
                assert score / found.rarity[word] == pytest.approx(wanted[row] / rarity)


def test_edits_leave_few_segments_that_hold_what_the_files_hold(written: Index, always_look: None) -> None:
    for at in range(MOST_SMALL + 4):
        write_files(written.root, {f"edited_{at % 3}.py": f"def singular_{at}(given):\n    return given + {at}\n"})
        assert written.search(f"singular_{at}", "forest").hits[0].symbol == f"singular_{at}"
        assert written._updater.wait(20)
    with contextlib.closing(rows_of(written)) as connection:
        assert connection.execute("SELECT count(*) FROM segments").fetchone()[0] <= MOST_SMALL
        assert full_text(connection) == wanted_full_text(connection)
    assert not [hit for hit in written.search("singular_3", "forest").hits if hit.symbol == "singular_3"]


def test_segments_of_files_that_are_gone_are_taken_out(written: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeintel_index.store.segments.SPARE", 5)
    for place in sorted(Path(written.root).rglob("lib/*.txt"))[2:]:
        place.unlink()
    written.sync()
    assert written._updater.wait(20)
    with contextlib.closing(rows_of(written)) as connection:
        chunks = [len(packed) // 48 for (packed,) in connection.execute("SELECT chunks FROM segments")]
        assert sum(chunks) == connection.execute("SELECT count(*) FROM chunks").fetchone()[0]
        assert full_text(connection) == wanted_full_text(connection)
    assert chunks_of(written._reader).total == sum(chunks)
    assert written.search("receipt prices", "forest").hits
