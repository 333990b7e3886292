"""What a change may reach: references, importers, tests, documents and markup around the changed files."""
