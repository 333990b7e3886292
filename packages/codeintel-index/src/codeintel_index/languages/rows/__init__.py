"""The rows, grouped by kinship: languages that share node types or expressions share a file. `table.py` lists them."""
