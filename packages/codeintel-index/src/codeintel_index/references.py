"""Who names a symbol. ripgrep finds the words as the files are now; the syntax tree says what each of them is.

Code comes first, then strings, comments and documents; the words that are the definitions themselves are left out.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from codeintel_index import outline
from codeintel_index.errors import NotAFile
from codeintel_index.lookup import split_name
from codeintel_index.paths import confine, read_source
from codeintel_index.private import is_private
from codeintel_index.results import Reference, Symbol
from codeintel_index.tools.grep import cut, lines_naming
from codeintel_index.tools.raw import RawLine, Search

MAX_LINES = 5000
MAX_FILES = 400
ORDER = {"code": 0, "string": 1, "comment": 2, "docs": 3}
_DECORATION = ("@", "#[", "[")


def references(root: Path, name: str, search: Search, limit: int) -> tuple[list[Reference], int]:
    """References to a name below a path and how many there are (a lower bound beyond 5000 lines or 400 files)."""
    word = split_name(name)[1]
    if not word:
        return [], 0
    found: list[Reference] = []
    for path, lines in _candidates(root, word, search):
        found += _in_file(root, path, word, lines)
    found.sort(key=lambda each: (ORDER[each.where], each.path, each.line))
    return found[:limit], len(found)


def _candidates(root: Path, word: str, search: Search) -> list[tuple[str, list[RawLine]]]:
    lines: list[RawLine] = []
    running = lines_naming(root, [word], search)
    for line in running:
        if not is_private(line.path):
            lines.append(line)
        if len(lines) >= MAX_LINES:
            running.close()
            break
    lines.sort(key=lambda line: (line.path, line.number))
    return [(path, list(group)) for path, group in groupby(lines, key=lambda line: line.path)][:MAX_FILES]


def _in_file(root: Path, path: str, word: str, lines: Sequence[RawLine]) -> list[Reference]:
    try:
        _, data = read_source(root, path)
    except NotAFile:
        return []  # too large to be source, or gone since
    points = [(line.number, start) for line in lines for start in line.byte_starts]
    kinds = dict(zip(points, outline.classify(path, data, points), strict=True))
    symbols = outline.structure(path, data).symbols
    own = _definition_points(word, symbols, lines, kinds)
    found: list[Reference] = []
    for line in lines:
        here = [kinds[line.number, start] for start in line.byte_starts if (line.number, start) not in own]
        if here:
            where = min(here, key=lambda kind: ORDER[kind])
            found.append(Reference(path, line.number, cut(line.text.strip()), _enclosing(symbols, line.number), where))
    return found


def _definition_points(
    word: str, symbols: Sequence[Symbol], lines: Sequence[RawLine], kinds: dict[tuple[int, int], str]
) -> set[tuple[int, int]]:
    """Where the word is the name being defined: its first occurrence as code in the definition's own range.

    Decorators belong to the range and may hold the same word (`@value.setter`), so their lines do not count.
    """
    points: set[tuple[int, int]] = set()
    for symbol in symbols:
        if symbol.name != word:
            continue
        inside = (line for line in lines if symbol.line <= line.number <= symbol.end_line)
        for line in inside:
            starts = [start for start in line.byte_starts if kinds[line.number, start] == "code"]
            if starts and not line.text.lstrip().startswith(_DECORATION):
                points.add((line.number, starts[0]))
                break
    return points


def _enclosing(symbols: Sequence[Symbol], line: int) -> str:
    symbol = outline.innermost(symbols, line)
    if symbol is None:
        return ""
    return f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name


def search_below(root: Path, path: str, excluded: tuple[str, ...]) -> Search:
    """The text search behind a look-up below a path."""
    return Search(path=confine(root, path), excluded=excluded)
