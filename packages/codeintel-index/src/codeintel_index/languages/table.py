"""The registry of languages: a language is a row in `rows/`, listed here, and a query file; order decides nothing.

The node types a row names are those of its grammar; what the grammar's queries can say stands in the `.scm` file.
"""

import re
from pathlib import PurePosixPath

from codeintel_index.languages.row import LanguageRow
from codeintel_index.languages.rows import data, functional, managed, native, scripting, serving, web

__all__ = ["DATA_LANGUAGES", "LANGUAGES", "REPEATS", "LanguageRow", "language_of", "row_for", "row_of"]

LANGUAGES: tuple[LanguageRow, ...] = (
    scripting.PYTHON,
    web.JAVASCRIPT,
    web.TYPESCRIPT,
    web.TSX,
    native.GO,
    native.RUST,
    native.C,
    native.CPP,
    managed.JAVA,
    serving.CSHARP,
    serving.PHP,
    serving.RUBY,
    native.SWIFT,
    native.ZIG,
    managed.KOTLIN,
    managed.SCALA,
    functional.ELIXIR,
    functional.HASKELL,
    scripting.BASH,
    scripting.LUA,
    web.HTML,
    web.CSS,
    data.JSON,
    data.YAML,
    data.TOML,
    data.MARKDOWN,
    data.SQL,
)

DATA_LANGUAGES = tuple(row.id for row in LANGUAGES if row.is_data)
REPEATS = ("extension", "instance")  # kinds of symbols that bear the name of what is defined elsewhere

_BY_SUFFIX = {suffix: row for row in LANGUAGES for suffix in row.suffixes}
_BY_ID = {row.id: row for row in LANGUAGES}
_BY_INTERPRETER = {name: row for row in LANGUAGES for name in row.interpreters}
_SHEBANG = re.compile(rb"#!\s*/\S*?(?:/env\s+(?:-\S+\s+)*)?([a-z]+)[\d.]*(?:\s|$)")
_BY_NAME = {name: row for row in LANGUAGES for name in row.file_names}


def row_of(path: str) -> LanguageRow | None:
    """The row of the language of `path`, by file name, then by suffix in any case; None where no row fits."""
    name = PurePosixPath(path).name
    return _BY_NAME.get(name) or _BY_SUFFIX.get(PurePosixPath(name).suffix.lower())


def row_for(path: str, content: bytes) -> LanguageRow | None:
    """As `row_of`, but with a look into the file where its name may stand for either of two languages or for any."""
    row = row_of(path)
    if row is None:
        return _interpreted(path, content)
    if row.otherwise is None:
        return row
    sign, other = row.otherwise
    return _BY_ID[other] if sign.search(content) else row


def _interpreted(path: str, content: bytes) -> LanguageRow | None:
    """The row of a script without a suffix, by the program that its first line names."""
    named = None if PurePosixPath(path).suffix else _SHEBANG.match(content)
    return _BY_INTERPRETER.get(named[1].decode()) if named else None


def language_of(path: str) -> str:
    """The id of the language of `path`, "" where there is none.

    The name alone decides: a C++ header named `.h` is "c" here and "cpp" in what a parse of it yields.
    """
    row = row_of(path)
    return row.id if row else ""
