"""The tables. A database made with other tables, or whose rows were made in another way, is rebuilt (see `recipe`).

`names` holds one row a file and name, with all its lines, so that a name's users are found by one index range.
`chunk_words` is contentless full text; its rows are taken out by giving it the words they were made of, which are made
again from the chunk. `dead_vectors` are vector ids that must still be deleted from Chroma.
"""

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

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
    source TEXT NOT NULL
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

CREATE VIRTUAL TABLE chunk_words USING fts5 (path, body, content='', tokenize='porter unicode61');

CREATE TABLE dead_vectors (chunk_id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
