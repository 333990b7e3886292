"""Write the report of a session from its records on disk, as a page, as Markdown or as data."""
