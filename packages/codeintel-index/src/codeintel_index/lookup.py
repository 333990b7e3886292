"""Symbols: of a file from the file itself, by name from the index, or from the likely files while there is no index."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from codeintel_index import outline
from codeintel_index.languages import DATA_LANGUAGES, REPEATS, language_of
from codeintel_index.languages.installed import has_no_grammar
from codeintel_index.paths import confine, read_source
from codeintel_index.results import FunctionAt, Structure, Symbol
from codeintel_index.store.reader import Reader
from codeintel_index.tools.ctags import find_ctags, tags_of
from codeintel_index.tools.grep import files_naming
from codeintel_index.tools.raw import Search

COLD_FILES = 300  # files parsed for a name while the index is absent
_DECORATION = ("@", "#[", "[")
_QUALIFIED = re.compile(r"::|->|[.#\\]")


def symbols_of(root: Path, path: str, kind: str = "") -> list[Symbol]:
    """The symbols of one file, by line, of one kind if given. Raises NotAFile, PathOutsideProject."""
    return [symbol for symbol in structure_of(root, path).symbols if kind in ("", symbol.kind)]


def structure_of(root: Path, path: str) -> Structure:
    """The outline of one file. Raises NotAFile, PathOutsideProject."""
    return _outline(root, *read_source(root, path))


def _outline(root: Path, relative: str, data: bytes) -> Structure:
    """The outline of a file, with symbols of ctags where no grammar reads it. Raises ToolTimeout."""
    found = outline.structure(relative, data)
    ctags = find_ctags() if not found.symbols and has_no_grammar(relative) else None
    return replace(found, symbols=tuple(tags_of(ctags, root, [relative]).get(relative, ()))) if ctags else found


def function_at(root: Path, path: str, line: int) -> FunctionAt | None:
    """The innermost definition around a line with its text, None between definitions."""
    relative, data = read_source(root, path)
    symbols = _outline(root, relative, data).symbols
    lines = [text.removesuffix("\r") for text in data.decode("utf-8", "replace").split("\n")]
    symbol = _decorated(symbols, lines, line) or outline.innermost(symbols, line)
    if symbol is None:
        return None
    return FunctionAt(symbol, "\n".join(lines[min(line, symbol.line) - 1 : symbol.end_line]))


def _decorated(symbols: Sequence[Symbol], lines: Sequence[str], line: int) -> Symbol | None:
    """The definition whose decorator or attribute begins on a line: only more of them stand between the two."""
    below = min((symbol for symbol in symbols if symbol.line > line), key=lambda symbol: symbol.line, default=None)
    if below is None or line < 1 or not lines[line - 1].lstrip().startswith(_DECORATION):
        return None
    depth = _depth(lines[below.line - 1])
    between = lines[line - 1 : below.line - 1]
    level = (text.lstrip() for text in between if _depth(text) <= depth)
    return below if all(text.startswith((*_DECORATION, ")", "]")) for text in level) else None


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def split_name(name: str) -> tuple[str, str]:
    """A name as written (`Class.method`, `ns::f`) as dotted parent and last part."""
    parts = [part for part in _QUALIFIED.split(name.strip().removesuffix("()")) if part]
    return ".".join(parts[:-1]), parts[-1] if parts else ""


def indexed_definitions(reader: Reader, name: str, exact: bool) -> list[Symbol]:
    """Definitions by a possibly qualified name. A qualifier may be an enclosing symbol or a module."""
    parent, last = split_name(name)
    if not last:
        return []
    found = reader.definitions(last, exact)
    return [symbol for symbol in found if _within(symbol, parent)] if parent else found


def cold_definitions(root: Path, name: str) -> list[Symbol]:
    """Definitions of an exact name without an index: the files that hold the word are parsed now."""
    parent, last = split_name(name)
    if not last:
        return []
    paths = files_naming(root, [last], Search())[:COLD_FILES]
    found: list[Symbol] = []
    for path in paths:
        found += outline.structure(*read_source(root, path)).symbols
    unread = [path for path in paths if has_no_grammar(path)]
    ctags = find_ctags() if unread else None
    for symbols in tags_of(ctags, root, unread).values() if ctags else ():
        found += symbols
    named = [symbol for symbol in found if symbol.name == last and (not parent or _within(symbol, parent))]
    return sorted(named, key=_is_second)


def _is_second(symbol: Symbol) -> bool:
    """Whether real definitions come before this one, as they do in an index."""
    return language_of(symbol.path) in DATA_LANGUAGES or symbol.kind in REPEATS


def narrowed(root: Path, symbols: list[Symbol], path: str, kind: str) -> list[Symbol]:
    """Those of a kind and below a path, either of them "" for any."""
    below = confine(root, path) if path else ""
    return [
        symbol
        for symbol in symbols
        if kind in ("", symbol.kind) and (not below or symbol.path == below or symbol.path.startswith(f"{below}/"))
    ]


def _within(symbol: Symbol, parent: str) -> bool:
    module = symbol.path.rpartition(".")[0].replace("/", ".")
    scopes = (symbol.parent, f"{module}.{symbol.parent}".rstrip("."))
    return any(f".{scope}".endswith(f".{parent}") for scope in scopes)
