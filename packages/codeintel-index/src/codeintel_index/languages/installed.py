"""Which languages' grammars are installed, and what to say of those that are not."""

from collections.abc import Mapping
from importlib.util import find_spec

from codeintel_index.languages.prose import is_prose
from codeintel_index.languages.row import LanguageRow
from codeintel_index.languages.table import LANGUAGES, row_of


def is_installed(row: LanguageRow) -> bool:
    """Whether the wheel of a language's grammar is there."""
    return find_spec(row.grammar[0]) is not None


def has_no_grammar(path: str) -> bool:
    """Whether the file at `path` is code by its name that no grammar here reads."""
    row = row_of(path)
    return not is_prose(path) and (row is None or not is_installed(row))


def missing_grammars(files: Mapping[str, int]) -> list[str]:
    """What to tell a user whose files, counted by language, include some whose grammar is not installed."""
    return [_missing(row, files[row.id]) for row in LANGUAGES if files.get(row.id) and not is_installed(row)]


def _missing(row: LanguageRow, count: int) -> str:
    remedy = f"codeintel-index[{row.extra}]" if row.extra else row.grammar[0].replace("_", "-")
    are = "files are" if count > 1 else "file is"
    return f"{count} {row.suffixes[0]} {are} searched as text; install {remedy}"
