"""The registry of languages: a language is a file of this folder and a row of the table; order decides nothing.

The node types a language names are those of its grammar; its `.scm` file holds the queries. A language whose grammar
is not installed counts as unknown.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import PurePosixPath

from codeintel_index.languages import (
    bash,
    c,
    csharp,
    css,
    ecmascript,
    elixir,
    go,
    haskell,
    html,
    java,
    json,
    kotlin,
    lua,
    markdown,
    php,
    python,
    ruby,
    rust,
    scala,
    sql,
    swift,
    toml,
    yaml,
    zig,
)
from codeintel_index.languages.file_kinds import is_prose
from codeintel_index.languages.language import Language

LANGUAGES: tuple[Language, ...] = (
    python.PYTHON,
    ecmascript.JAVASCRIPT,
    ecmascript.TYPESCRIPT,
    ecmascript.TSX,
    go.GO,
    rust.RUST,
    c.C,
    c.CPP,
    java.JAVA,
    csharp.CSHARP,
    php.PHP,
    ruby.RUBY,
    swift.SWIFT,
    zig.ZIG,
    kotlin.KOTLIN,
    scala.SCALA,
    elixir.ELIXIR,
    haskell.HASKELL,
    bash.BASH,
    lua.LUA,
    html.HTML,
    css.CSS,
    json.JSON,
    yaml.YAML,
    toml.TOML,
    markdown.MARKDOWN,
    sql.SQL,
)

DATA_LANGUAGES = tuple(each.id for each in LANGUAGES if each.is_data)
SECONDARY_KINDS = ("extension", "instance")  # kinds of symbols that bear the name of what is defined elsewhere

_BY_SUFFIX = {suffix: each for each in LANGUAGES for suffix in each.suffixes}
_BY_ID = {each.id: each for each in LANGUAGES}
_BY_INTERPRETER = {name: each for each in LANGUAGES for name in each.interpreters}
_BY_NAME = {name: each for each in LANGUAGES for name in each.file_names}
_SHEBANG = re.compile(rb"#!\s*/\S*?(?:/env\s+(?:-\S+\s+)*)?([a-z]+)[\d.]*(?:\s|$)")


def find_language(path: str) -> Language | None:
    """Find the language of `path` by file name, then by suffix in any case; None where none fits."""
    name = path.rpartition("/")[2]
    stem, _, suffix = name.rpartition(".")
    return _BY_NAME.get(name) or (_BY_SUFFIX.get(f".{suffix.lower()}") if stem else None)


def detect_language(path: str, content: bytes) -> Language | None:
    """Find the language as `find_language`, and look into the file where its name leaves a doubt."""
    language = find_language(path)
    if language is None:
        return _interpreted(path, content)
    if language.alternative is None:
        return language
    sign, other = language.alternative
    return _BY_ID[other] if sign.search(content) else language


def _interpreted(path: str, content: bytes) -> Language | None:
    """The language of a script without a suffix, by the program that its first line names."""
    named = None if PurePosixPath(path).suffix else _SHEBANG.match(content)
    return _BY_INTERPRETER.get(named[1].decode()) if named else None


def language_id(path: str) -> str:
    """Return the id of the language of `path`, "" where there is none.

    The name alone decides: a C++ header named `.h` is "c" here and "cpp" in what a parse of it yields.
    """
    language = find_language(path)
    return language.id if language else ""


def family_of(path: str) -> str:
    """Return the name shared by all languages whose files a file may import, "" where no language fits."""
    language = find_language(path)
    return language.family if language else ""


def is_installed(language: Language) -> bool:
    """Whether the wheel of a language's grammar is installed."""
    return find_spec(language.grammar[0]) is not None


def has_no_grammar(path: str) -> bool:
    """Whether the file at `path` is code by its name that no installed grammar reads."""
    language = find_language(path)
    return not is_prose(path) and (language is None or not is_installed(language))


def missing_grammars(files: Mapping[str, int]) -> list[str]:
    """Say which of a user's files, counted by language id, have a grammar that is not installed."""
    return [_missing(each, files[each.id]) for each in LANGUAGES if files.get(each.id) and not is_installed(each)]


def _missing(language: Language, count: int) -> str:
    remedy = f"codeintel-index[{language.extra}]" if language.extra else language.grammar[0].replace("_", "-")
    are = "files are" if count > 1 else "file is"
    return f"{count} {language.suffixes[0]} {are} searched as text; install {remedy}"


def structured() -> list[str]:
    """List the ids of the languages of code whose grammar is installed."""
    return [each.id for each in LANGUAGES if not each.is_data and is_installed(each)]


def say_text_only(paths: Sequence[str]) -> list[str]:
    """Say which files of code have no structure in the index, though there is a grammar for them."""
    if not paths:
        return []
    named = ", ".join(repr(path[:80]) for path in paths[:3])
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return [
        f"{named}{more}: searched as text, without definitions; parsing took over 2 s or failed, or lines are over"
        " 20,000 bytes or begin at over 120 columns"
    ]
