"""Stems of search terms, by SQLite's Porter stemmer. Index and query use the same function, or nothing is found."""

import sqlite3
import threading
from collections.abc import Iterable
from functools import cache

KEPT = 100_000  # stems that are remembered

_GUARD = threading.Lock()
_KNOWN: dict[str, str] = {}
_TABLES = """
CREATE VIRTUAL TABLE texts USING fts5 (text, content='', tokenize='porter unicode61');
CREATE VIRTUAL TABLE found USING fts5vocab (texts, 'instance');
"""


def stems(terms: Iterable[str]) -> dict[str, str]:
    """Find the stem of each term, "" where a term has no letter or digit."""
    wanted = set(terms)
    with _GUARD:
        if new := [term for term in wanted if term not in _KNOWN]:
            if len(_KNOWN) > KEPT:
                _KNOWN.clear()
                new = [*wanted]
            _KNOWN.update(_made(new))
        return {term: _KNOWN[term] for term in wanted}


def _made(terms: list[str]) -> dict[str, str]:
    connection = _stemmer()
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(terms))
    made = dict.fromkeys(terms, "")
    for place, stem in connection.execute('SELECT doc, term FROM found ORDER BY doc, "offset"').fetchall():
        made[terms[place]] += stem  # a term of several parts is written as one
    connection.execute("ROLLBACK")
    return made


@cache
def _stemmer() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(_TABLES)
    return connection
