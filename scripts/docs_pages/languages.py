"""docs/languages.md: the table of what is read, between its two marks, from the languages themselves."""

from collections.abc import Iterator
from pathlib import Path

from codeintel_index.languages.language import Language
from codeintel_index.languages.table import LANGUAGES
from docs_pages import between_marks, cell


def languages(page: Path) -> str:
    """The page with its table written again."""
    return between_marks(page, _table())


def _table() -> Iterator[str]:
    yield "| language | files | symbols |"
    yield "|---|---|---|"
    for each in LANGUAGES:
        yield f"| {each.name}{' ✚' if each.extra else ''} | {_files(each)} | {cell(each.finds)} |"


def _files(language: Language) -> str:
    names = [f"`{name}`" for name in language.file_names]
    by_content = " (a `.h` by its content)" if language.alternative else ""
    return ", ".join([f"`{' '.join(language.suffixes)}`{by_content}", *names])
