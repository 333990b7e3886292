"""Who names a symbol. ripgrep finds the words as the files are now; what each of them is comes from the index where the
file has not changed since, else from its syntax tree.

Code comes first, then strings, comments and documents; the words that are the definitions themselves are left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from codeintel_index import outline
from codeintel_index.errors import NotAFile
from codeintel_index.files import Files
from codeintel_index.languages import row_of
from codeintel_index.lookup import split_name
from codeintel_index.masking import mask_text
from codeintel_index.paths import read_source
from codeintel_index.private import is_private
from codeintel_index.results import Reference, Symbol
from codeintel_index.store.prepared import MAX_LINES_PER_NAME
from codeintel_index.store.reader import Reader
from codeintel_index.tools.grep import cut, lines_naming
from codeintel_index.tools.raw import RawLine, Search

MAX_LINES = 5000
MAX_PARSED = 150  # files read for one answer
ORDER = {"code": 0, "string": 1, "comment": 2, "docs": 3}
_DECORATION = ("@", "#[", "[")


@dataclass(frozen=True, slots=True)
class _Place:
    """The lines of one file that hold the word, and what the index knows of them."""

    path: str
    lines: list[RawLine]
    code: frozenset[int] = frozenset()  # lines known to use the word in code
    known: bool = False  # the file is as the index has it


@dataclass(frozen=True, slots=True)
class _Found:
    """A line that names the word. `symbols` are those of its file, None to be asked of the index."""

    path: str
    line: RawLine
    where: str
    symbols: Sequence[Symbol] | None = None

    @property
    def order(self) -> tuple[int, str, int]:
        return ORDER[self.where], self.path, self.line.number


def references(files: Files, reader: Reader, name: str, search: Search, limit: int) -> tuple[list[Reference], int]:
    """References to a name, and how many there are (a lower bound beyond 5000 lines or 150 parsed files).

    What is code by the index comes first anyway, so other lines are only looked at until the limit is filled.
    """
    word = split_name(name)[1]
    if not word:
        return [], 0
    found: list[_Found] = []
    doubtful: list[_Place] = []
    defined = _by_path(reader.definitions(word))
    for place in _places(files, reader, word, search):
        sure, rest = _sort_out(place, defined.get(place.path, ()))
        found += sure
        doubtful += [rest] if rest.lines else []
    read = 0
    while read < min(len(doubtful), MAX_PARSED) and len(found) < limit:
        found += _in_file(files.root, doubtful[read], word)
        read += 1
    found.sort(key=lambda each: each.order)
    total = len(found) + sum(len(place.lines) for place in doubtful[read:])
    return _told(reader, found[:limit]), total


def _by_path(symbols: Iterable[Symbol]) -> dict[str, list[Symbol]]:
    found: dict[str, list[Symbol]] = {}
    for symbol in symbols:
        found.setdefault(symbol.path, []).append(symbol)
    return found


def _places(files: Files, reader: Reader, word: str, search: Search) -> list[_Place]:
    lines: list[RawLine] = []
    running = lines_naming(files.root, [word], search)
    for line in running:
        if not is_private(line.path):
            lines.append(line)
        if len(lines) >= MAX_LINES:
            running.close()
            break
    lines.sort(key=lambda line: (line.path, line.number))
    uses = {use.path: use.lines for use in reader.uses([word])}
    return [
        _place(files, reader, path, list(group), uses.get(path, ()))
        for path, group in groupby(lines, key=lambda line: line.path)
    ]


def _place(files: Files, reader: Reader, path: str, lines: list[RawLine], code: Sequence[int]) -> _Place:
    row, stat = reader.file(path), files.stat(path)
    current = (
        row is not None
        and stat is not None
        and (row.changed_ns, row.size, row.inode) == (stat.changed_ns, stat.size, stat.inode)
        and len(code) < MAX_LINES_PER_NAME  # of more the index does not know all
    )
    return _Place(path, lines, frozenset(code), True) if current else _Place(path, lines)


def _sort_out(place: _Place, defined: Sequence[Symbol]) -> tuple[list[_Found], _Place]:
    """What is certain from the index, and the lines that must be looked at."""
    if not place.known:
        return [], place
    own = {line.number for line in _definition_lines(defined, place.lines)}
    sure = [_Found(place.path, line, "code") for line in place.lines if line.number in place.code]
    rest = [line for line in place.lines if line.number not in place.code and line.number not in own]
    return sure, _Place(place.path, rest, known=True)


def _in_file(root: Path, place: _Place, word: str) -> list[_Found]:
    try:
        _, data = read_source(root, place.path)
    except NotAFile:
        return []  # too large to be source, or gone since
    symbols = None if place.known else outline.structure(place.path, data).symbols
    points = [(line.number, start) for line in place.lines for start in line.byte_starts]
    kinds = dict(zip(points, outline.classify(place.path, data, points), strict=True))
    own = set() if symbols is None else _definition_points(word, symbols, place.lines, kinds)
    found: list[_Found] = []
    for line in place.lines:
        here = [kinds[line.number, start] for start in line.byte_starts if (line.number, start) not in own]
        if here:
            where = min(here, key=lambda kind: ORDER[kind])
            found.append(_Found(place.path, line, where, symbols))
    return found


def _definition_lines(defined: Iterable[Symbol], lines: Sequence[RawLine]) -> list[RawLine]:
    """The first line of each definition of the word that holds it, and those that begin its further clauses.

    Decorators belong to the range and may hold the same word (`@value.setter`), so their lines do not count.
    """
    found: list[RawLine] = []
    for symbol in defined:
        inside = [line for line in lines if symbol.line <= line.number <= symbol.end_line]
        named = [line for line in inside if not line.text.lstrip().startswith(_DECORATION)]
        row = row_of(symbol.path)
        further = named[1:] if row is not None and row.clauses else []
        found += [*named[:1], *(line for line in further if _before_word(line) == _before_word(named[0]))]
    return found


def _before_word(line: RawLine) -> str:
    return line.text[: line.starts[0]] if line.starts else line.text


def _definition_points(
    word: str, symbols: Sequence[Symbol], lines: Sequence[RawLine], kinds: dict[tuple[int, int], str]
) -> set[tuple[int, int]]:
    """Where the word is the name being defined: its first occurrence as code on such a line."""
    code = [line for line in lines if any(kinds[line.number, start] == "code" for start in line.byte_starts)]
    return {
        (line.number, next(start for start in line.byte_starts if kinds[line.number, start] == "code"))
        for line in _definition_lines([symbol for symbol in symbols if symbol.name == word], code)
    }


def _told(reader: Reader, found: Sequence[_Found]) -> list[Reference]:
    """With the definition around each; the symbols of a file are asked for once."""
    known: dict[str, Sequence[Symbol]] = {each.path: each.symbols for each in found if each.symbols is not None}
    told: list[Reference] = []
    for each in found:
        if each.path not in known:
            known[each.path] = reader.symbols(each.path)
        symbol = outline.innermost(known[each.path], each.line.number)
        around = "" if symbol is None else f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name
        told.append(Reference(each.path, each.line.number, cut(mask_text(each.line.text.strip())), around, each.where))
    return told
