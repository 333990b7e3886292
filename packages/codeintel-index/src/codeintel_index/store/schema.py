"""The tables, and the number that identifies how their rows are made.

`names` holds one row a file and name, with all its lines, so that a name's users are found by one index range.
`symbols.rank` orders the definitions of one name (see `rows.rank_of`); `bases` says what a type derives from or mixes
in.
`words` is the full text (`text/postings.py`): a segment holds the chunks of files that were written together, each with
six numbers in `segments.chunks`. Nothing is taken out of a segment: a chunk whose file is gone is passed over, and
segments that are small or hold little else are merged. `meta.generation` counts the transactions, `meta.made` tells
one database from another that takes its place.
`vectors` and `question_vectors` are those of chunks and learned questions, packed (`vectors/local.py`), unless a Chroma
server holds them; an id there is never used again, so what is new is what lies behind the last one read.
`spare_vectors` are those of the file that this one has replaced, for chunks that come back as they were.

Another schema, other code, other grammars or settings give another number, and a database with another number is
rebuilt. That keeps rows made by different code apart without anybody having to raise a version.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from codeintel_index.languages.table import LANGUAGES

COLUMNS = 6  # numbers of a chunk in a segment: id, file, first and last line, whether it bears a name, size
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', '0'), ('made', hex(randomblob(8)));

CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    changed_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    hashed_at INTEGER NOT NULL,
    digest BLOB NOT NULL,
    language TEXT NOT NULL,
    skipped TEXT NOT NULL
);

CREATE TABLE symbols (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    parent TEXT NOT NULL,
    signature TEXT NOT NULL,
    doc TEXT NOT NULL,
    source TEXT NOT NULL,
    start_line INTEGER,
    rank INTEGER NOT NULL
);
CREATE INDEX symbols_file ON symbols (file_id);
CREATE INDEX symbols_name ON symbols (name);
CREATE INDEX symbols_fold ON symbols (name COLLATE NOCASE);

CREATE TABLE names (
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (file_id, name)
) WITHOUT ROWID;
CREATE INDEX names_name ON names (name);

CREATE TABLE imports (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    module TEXT NOT NULL,
    names TEXT NOT NULL,
    line INTEGER NOT NULL
);
CREATE INDEX imports_file ON imports (file_id);

CREATE TABLE bases (
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    base TEXT NOT NULL
);
CREATE INDEX bases_file ON bases (file_id);
CREATE INDEX bases_name ON bases (name);

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk_id TEXT NOT NULL UNIQUE,
    file_id INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    kind TEXT NOT NULL,
    symbol TEXT NOT NULL,
    parent TEXT NOT NULL,
    text TEXT NOT NULL,
    vector_of TEXT NOT NULL DEFAULT ''
);
CREATE INDEX chunks_file ON chunks (file_id);
CREATE INDEX chunks_vector ON chunks (vector_of);

CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, chunks BLOB NOT NULL);

CREATE TABLE words (
    segment INTEGER NOT NULL,
    stem TEXT NOT NULL,
    postings BLOB NOT NULL,
    PRIMARY KEY (segment, stem)
) WITHOUT ROWID;

CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk INTEGER NOT NULL UNIQUE,
    packed BLOB NOT NULL
);

CREATE TABLE spare_vectors (chunk_id TEXT PRIMARY KEY, model TEXT NOT NULL, packed BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE question_vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    packed BLOB NOT NULL
);
"""


PACKAGE = Path(__file__).parents[1]
MAKERS = (
    "languages",
    "store/rows.py",
    "store/schema.py",
    "sync/worker.py",
    "syntax",
    "text",
)


@cache
def fingerprint(chunk_max_tokens: int) -> int:
    """Compute the number for rows made by this code, 31 bits. Reads some dozens of small files the first time."""
    digest = hashlib.sha256(str(chunk_max_tokens).encode())
    for place in _sources():
        digest.update(place.read_bytes())
    for module in sorted({row.grammar[0] for row in LANGUAGES} | {"tree_sitter"}):
        digest.update(f"{module} {_installed(module)}".encode())
    return int.from_bytes(digest.digest()[:4], "big") >> 1


def _sources() -> Iterator[Path]:
    for maker in MAKERS:
        place = PACKAGE / maker
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        yield from (each for each in found if each.suffix in {".py", ".scm"})


def _installed(module: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # late: it loads the modules of e-mail

    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        return "absent"
