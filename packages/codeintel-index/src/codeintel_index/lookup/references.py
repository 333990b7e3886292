"""Where a name is used. ripgrep finds the words in the files as they are now; the index classifies those of unchanged
files, a syntax tree the others.

Code comes first, what likely means the symbol before what possibly does, then strings, comments and documents; the
definitions themselves are left out.
"""

import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path

from codeintel_index.errors import NotAFile
from codeintel_index.files import Files
from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.languages.table import find_language
from codeintel_index.lookup.certainty import Judge
from codeintel_index.lookup.definitions import indexed_definitions, is_as_indexed, split_name
from codeintel_index.paths import read_source
from codeintel_index.results import Page, Reference, Symbol
from codeintel_index.store.reader import Reader
from codeintel_index.store.rows import MAX_LINES_PER_NAME
from codeintel_index.syntax.definitions import MEMBERS
from codeintel_index.syntax.parsing import classify, innermost, structure
from codeintel_index.text.redaction import is_private, mask_text
from codeintel_index.tools.grep import cut_line, lines_naming, text_lines
from codeintel_index.tools.ripgrep import RawLine, Search

MAX_LINES = 5000
MAX_PARSED = 150  # files unknown to the index that are parsed before anything is answered
PARSING_S = 5.0  # after that what is parsed is the answer, but for one file more
JUDGING_S = 8.0  # after that lines are possible without a look at them
BLOCK = 40  # files parsed at a time, and sorted, once those are done
MAX_PARSED_FOR_USERS = 20  # files parsed to name a few that use a symbol
_IMPORTING = r"\b(?:import|from|use|require|include|using|export)\b.*"
_PASSING_ON = re.compile(r"(?:^|/)(?:__init__\.pyi?|index\.[cm]?[jt]sx?|mod\.rs)$")
_EXPORTS_AGAIN = re.compile(r"\s*(?:export\s*(?:type\s*)?[{*]|pub(?:\([\w: ]+\))?\s+use\b)")
"""A line that passes on what another file defines."""
ORDER = {"code": 0, "string": 1, "comment": 2, "docs": 3}
_DECORATION = ("@", "#[", "[")
_IDENTIFIER = re.compile(r"[\w$-]+[?!]?")


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
    certainty: str = ""

    @property
    def order(self) -> tuple[int, str, str, int]:
        return ORDER[self.where], self.certainty, self.path, self.line.number  # "likely" < "possible"


def references(files: Files, reader: Reader, name: str, search: Search, limit: int, offset: int) -> Page[Reference]:
    """Find the references to a name, each judged.

    Code comes first among what the index knows and the first files parsed for it.
    Lines that the index knows not to be code are parsed file by file, in an order that does not depend on the page,
    until the page is filled. The total is a minimum where that leaves files unparsed that the index does not know, and
    beyond 5000 lines. Parsing ends after some seconds; then the total is a minimum too.
    """
    began = time.monotonic()
    word = split_name(name)[1]
    if not word:
        return Page((), 0)
    meant = indexed_definitions(reader, name, True, "", "", MAX_LINES, 0)
    named = reader.definitions(word, limit=MAX_LINES)
    targets = {*meant}
    judge = Judge(files.root, reader, meant, [each for each in named if each not in targets])
    found: list[_Found] = []
    known: list[_Place] = []
    unknown: list[_Place] = []
    places, complete = _places(files, reader, word, search, max(MAX_LINES, offset + limit))
    defined = _definers(reader, word, named)
    for place in places:
        sure, rest = _sort_out(place, defined(place.path))
        found += sure
        if rest.lines:
            (known if rest.known else unknown).append(rest)
    left = [*unknown, *known]
    first = max(BLOCK, min(len(unknown), MAX_PARSED))
    until = began + PARSING_S
    if unknown or len(found) < offset + limit:
        parsed, late = _parsed(files.root, left[:first], word, until)
        found += parsed
        left = [*late, *left[first:]]
    found = _judged(judge, found, word, began + JUDGING_S)
    found.sort(key=lambda each: each.order)
    while left and len(found) < offset + limit and time.monotonic() < until:
        parsed, late = _parsed(files.root, left[:BLOCK], word, until)
        found += sorted(_judged(judge, parsed, word, began + JUDGING_S), key=lambda each: each.order)
        left = [*late, *left[BLOCK:]]
    total = len(found) + sum(len(place.lines) for place in left if place.known)
    is_exact = complete and all(place.known for place in left) and (not left or len(found) >= offset + limit)
    return Page(_with_enclosing(reader, found[offset : offset + limit]), total, not is_exact)


def _judged(judge: Judge, found: Iterable[_Found], word: str, until: float) -> list[_Found]:
    return [replace(each, certainty=_certainty(judge, each, word, until)) for each in found]


def _certainty(judge: Judge, found: _Found, word: str, until: float) -> str:
    if found.where != "code":
        return ""
    if time.monotonic() > until:
        return "possible"
    return judge.certainty(found.path, found.line.number, found.line.text, found.line.starts, word)


def _parsed(root: Path, places: Sequence[_Place], word: str, until: float) -> tuple[list[_Found], Sequence[_Place]]:
    """Parse places, the first one in any case; returns what is found and the places that are left."""
    found: list[_Found] = []
    for at, place in enumerate(places):
        if at and time.monotonic() > until:
            return found, places[at:]
        found += _in_file(root, place, word)
    return found, ()


def names_in_text(root: Path, names: Iterable[str], search: Search) -> dict[str, bool]:
    """Return for each name whether it, or the last part of a qualified one, occurs in any file of the project.

    One search covers all names and ends as soon as each is found. A name that is not an identifier is left out.
    """
    words = {name: split_name(name)[1] for name in names}
    open_words = {word for word in words.values() if _IDENTIFIER.fullmatch(word)}
    found = dict.fromkeys(open_words, False)
    running = text_lines(root, sorted(open_words), replace(search, fixed=True)) if open_words else iter(())
    for line in running:
        here = {word for word in open_words if word in line.text}
        found |= dict.fromkeys(here, True)
        open_words -= here
        if not open_words:
            break
    return {name: found[word] for name, word in words.items() if word in found}


def names_in_code(root: Path, names: Iterable[str], search: Search) -> dict[str, bool]:
    """Return for each name whether a file that is not a test holds it outside of comments.

    What is written as a call, `name()`, must be in code; any other name may be in a string, a document or data as well.
    A name that is not an identifier is left out.
    """
    words = {name: split_name(name)[1] for name in names}
    return {name: _is_held(root, name, word, search) for name, word in words.items() if _IDENTIFIER.fullmatch(word)}


def _is_held(root: Path, name: str, word: str, search: Search) -> bool:
    kinds = {"code"} if name.endswith("()") else {"code", "string", "docs"}
    running = lines_naming(root, [word], replace(search, ordered=True))
    own = (line for line in islice(running, MAX_LINES) if kind_of(line.path) != "test")
    for path, lines in groupby(own, key=lambda line: line.path):
        points = [(line.number, start) for line in lines for start in line.byte_starts]
        try:
            _, data = read_source(root, path)
        except NotAFile:
            return True  # nobody can tell
        if kinds & {*classify(path, data, points)}:
            running.close()
            return True
    return False


def files_using(
    files: Files, reader: Reader, name: str, search: Search, known: Container[str], limit: int
) -> list[str]:
    """Find at most `limit` files that call or import a symbol in code and are not in `known`.

    Only certain uses count, in code that others run: tests and examples use what is public, which tells nothing.
    Where several definitions share the last part of the name, or none is known of a qualified one, a use is written as
    the name is. A member is not imported: what bears its name is a module. A file that only passes it on (an import in
    `__init__.py`, `index.ts`, `mod.rs`, an `export` of what another file defines) does not use it.
    """
    parent, word = split_name(name)
    if not _IDENTIFIER.fullmatch(word):
        return []
    defined = [symbol for symbol in reader.definitions(word, limit=MAX_LINES) if _is_code(symbol.path)]
    if len(defined) > 1 and not parent:
        return []
    spelled = word if len(defined) == 1 or not parent else name.strip().removesuffix("()")
    call = rf"(?<![\w$]){re.escape(spelled)}!?\("
    is_member = all(each.kind in ("method", "property", *MEMBERS) for each in defined) if defined else bool(parent)
    imported = rf"{_IMPORTING}(?<![\w$]){re.escape(word)}(?![\w$])(?!\S*\s+import\b)"  # not a module of its name
    use = re.compile(call if is_member else f"{call}|{imported}")
    running = lines_naming(files.root, [word], search)
    lines = [line for line in islice(running, MAX_LINES) if line.path not in known and use.search(line.text)]
    running.close()
    lines.sort(key=lambda line: (line.path, line.number))
    found: list[str] = []
    by_file = groupby((line for line in lines if _is_product_code(line.path)), key=lambda line: line.path)
    for path, uses in islice(by_file, MAX_PARSED_FOR_USERS):
        places = [line for line in uses if re.search(call, line.text) or not _passes_on(path, line.text)]
        if any(each.where == "code" for each in _in_file(files.root, _Place(path, places), word)):
            found.append(path)
        if len(found) == limit:
            break
    return found


def _passes_on(path: str, line: str) -> bool:
    return _PASSING_ON.search(path) is not None or _EXPORTS_AGAIN.match(line) is not None


def _is_code(path: str) -> bool:
    language = find_language(path)
    return language is not None and not language.is_data


def _is_product_code(path: str) -> bool:
    return _is_code(path) and kind_of(path) not in ("test", "example", "docs", "generated", "vendored")


def _definers(reader: Reader, word: str, named: Sequence[Symbol]) -> Callable[[str], Sequence[Symbol]]:
    """Look up the definitions of a word in a file: among all of them, or in the file where there are more."""
    if len(named) >= MAX_LINES:
        return lambda path: [each for each in reader.symbols(path) if each.name == word]
    found: dict[str, list[Symbol]] = {}
    for symbol in named:
        found.setdefault(symbol.path, []).append(symbol)
    return lambda path: found.get(path, ())


def _places(files: Files, reader: Reader, word: str, search: Search, most: int) -> tuple[list[_Place], bool]:
    """The places of a word by path, and whether these are all: of more lines than `most` the first by path are kept."""
    lines, complete = _lines(files.root, word, search, most)
    if not complete:
        lines, complete = _lines(files.root, word, replace(search, ordered=True), most)
    lines.sort(key=lambda line: (line.path, line.number))
    uses = {use.path: use.lines for use in reader.uses([word])}
    places = [
        _place(files, reader, path, list(group), uses.get(path, ()))
        for path, group in groupby(lines, key=lambda line: line.path)
    ]
    return places, complete


def _lines(root: Path, word: str, search: Search, most: int) -> tuple[list[RawLine], bool]:
    lines: list[RawLine] = []
    running = lines_naming(root, [word], search)
    for line in running:
        if len(lines) >= most:
            running.close()
            return lines, False
        if not is_private(line.path):
            lines.append(line)
    return lines, True


def _place(files: Files, reader: Reader, path: str, lines: list[RawLine], code: Sequence[int]) -> _Place:
    current = len(code) < MAX_LINES_PER_NAME and is_as_indexed(files, reader, path)  # of more it does not know all
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
    symbols = None if place.known else structure(place.path, data).symbols
    points = [(line.number, start) for line in place.lines for start in line.byte_starts]
    kinds = dict(zip(points, classify(place.path, data, points), strict=True))
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
    numbers = [line.number for line in lines]
    for symbol in defined:
        inside = lines[bisect_left(numbers, symbol.line) : bisect_right(numbers, symbol.end_line)]
        named = [line for line in inside if not line.text.lstrip().startswith(_DECORATION)]
        language = find_language(symbol.path)
        further = named[1:] if language is not None and language.multi_clause else []
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


def _with_enclosing(reader: Reader, found: Sequence[_Found]) -> list[Reference]:
    """With the definition around each; the symbols of a file are asked for once."""
    known: dict[str, Sequence[Symbol]] = {each.path: each.symbols for each in found if each.symbols is not None}
    answered: list[Reference] = []
    for each in found:
        if each.path not in known:
            known[each.path] = reader.symbols(each.path)
        symbol = innermost(known[each.path], each.line.number)
        around = "" if symbol is None else f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name
        text = cut_line(mask_text(each.line.text.strip()))
        answered.append(Reference(each.path, each.line.number, text, around, each.where, each.certainty))
    return answered
