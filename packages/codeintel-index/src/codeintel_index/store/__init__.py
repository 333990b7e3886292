"""Where the index keeps its rows: one SQLite file, derived from the project's files; deleting it costs only time."""
