"""File names in a sentence for an agent: always on one line, whatever characters a name contains."""

from collections.abc import Iterable

from codeintel_contract import quote_name

MOST = 20
"""Names that one sentence lists; it ends with the number of the others."""


def names_of(paths: Iterable[str]) -> str:
    """Return the first names in one text, and the number of the others."""
    named = [quote_name(path) for path in paths]
    more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
    return ", ".join(named[:MOST]) + more


MARKUP = (".html", ".htm", ".css", ".scss", ".sass", ".less", ".md")
NOT_MARKUP = (".blade.php", ".vue", ".jsx", ".tsx", ".svelte")
_PROSE = (".md", ".rst", ".txt", ".adoc")


def is_markup(path: str) -> bool:
    """Return True for a file that contains no code, by its name."""
    name = path.lower()
    return name.endswith(MARKUP) and not name.endswith(NOT_MARKUP)


def is_prose(path: str) -> bool:
    """Return True for a document that people read: no verifier's result depends on it."""
    return path.lower().endswith(_PROSE)
