"""Where the index is kept: rows in SQLite, vectors in Chroma. Both are derived from the files and may be deleted."""
