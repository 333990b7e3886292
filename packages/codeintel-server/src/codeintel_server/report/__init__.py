"""The report of a session: gathered from what it left on disk, shown as a page, as Markdown or as data."""
