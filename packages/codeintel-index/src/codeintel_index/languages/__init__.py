"""Languages: a row in `rows/`, listed in `table.py`, and a query in `queries/` make one; nothing else names one.

Everything here is pure: bytes in, values out. A language whose grammar is not installed counts as unknown.
"""

from codeintel_index.languages.table import DATA_LANGUAGES, LANGUAGES, REPEATS, LanguageRow, language_of, row_of

__all__ = ["DATA_LANGUAGES", "LANGUAGES", "REPEATS", "LanguageRow", "language_of", "row_of"]
