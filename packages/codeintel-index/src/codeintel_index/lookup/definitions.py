"""Symbols: of a file from the file itself, by name from the index, or from the likely files while there is no index."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import accumulate
from pathlib import Path

from codeintel_index.errors import BadArgument
from codeintel_index.files import Files
from codeintel_index.languages.table import has_no_grammar, language_id
from codeintel_index.paths import read_source
from codeintel_index.results import FunctionAt, Page, Structure, Symbol, lines_of
from codeintel_index.store.reader import BY_KIND_ONLY, Reader
from codeintel_index.store.rows import rank_of
from codeintel_index.syntax.parsing import innermost, structure
from codeintel_index.tools.ctags import tags_of
from codeintel_index.tools.grep import files_naming
from codeintel_index.tools.ripgrep import Search

COLD_FILES = 300  # files parsed for a name while the index is absent
COLD_S = 4.0  # after that what is parsed is the answer
_QUALIFIED = re.compile(r"::|->|[.#\\/]")
_ARGUMENTS = re.compile(r"(?<=\w)(?:\(.*|<.*>)", re.DOTALL)
_OPERATOR = re.compile(r"\boperator\b\s*(?:\(\)|[^\w\s(].*|\w.*)$")
_UNTOLD = frozenset({"prototype", "this", "self", "cls", "super"})  # say nothing of who the parent is
_SIGILS = ("#", "@", "@@")  # of private members in JavaScript and variables of instances in Ruby, often left out
LAST_NAME, INHERITED, DATA = "last_name", "inherited", "data"
_CLOSES = re.compile(r"[})\]]|end\b")
MOST_LIKE = 5
MOST_NAMED = 20_000  # definitions of one name among which a qualified one is looked for


def structure_of(root: Path, path: str) -> Structure:
    """Outline one file. Raises NotAFile, PathOutsideProject."""
    return _outline(root, *read_source(root, path))


def _outline(root: Path, relative: str, data: bytes) -> Structure:
    """The outline of a file, with symbols of ctags where no grammar reads it. Raises ToolTimeout."""
    found = structure(relative, data)
    if found.symbols or not has_no_grammar(relative):
        return found
    tags, lines = tags_of(root, [relative]).get(relative, ()), lines_of(data)
    return replace(found, symbols=tuple(replace(each, end_line=_end_of(each, lines)) for each in tags))


def _end_of(symbol: Symbol, lines: Sequence[str]) -> int:
    """Return where a symbol ends; where ctags does not say it, with what is indented more, and its closing line."""
    if symbol.end_line > symbol.line or symbol.line > len(lines):
        return symbol.end_line
    own, last = _indent(lines[symbol.line - 1]), symbol.line
    for number, text in enumerate(lines[symbol.line :], symbol.line + 1):
        if text.strip() and _indent(text) <= own and not text.lstrip().startswith("{"):
            return number if last > symbol.line and _CLOSES.match(text.lstrip()) else last
        last = number if text.strip() else last
    return last


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def is_as_indexed(files: Files, reader: Reader, path: str) -> bool:
    """Whether the file is as the index has it, so that its rows need no parse."""
    row = reader.file(path)
    return row is not None and row.stat == files.stat(path)


def function_at(files: Files, reader: Reader, path: str, line: int, max_chars: int) -> FunctionAt | None:
    """Find the innermost definition around a line, its decorators included; None between definitions.

    A file that is as the index has it is not parsed. Raises BadArgument for a line that the file does not have,
    NotAFile, PathOutsideProject.
    """
    relative, data = read_source(files.root, path)
    lines = lines_of(data)
    if not 1 <= line <= max(1, len(lines)):
        raise BadArgument(
            "line", f"must be between 1 and {max(1, len(lines))}, the last line of {relative}, not {line}"
        )
    known = reader.symbols(relative) if is_as_indexed(files, reader, relative) else []
    symbols = known or _outline(files.root, relative, data).symbols
    symbol = innermost(symbols, line)
    if symbol is None:
        return None
    start = symbol.first_line
    text = lines[start - 1 : symbol.end_line]
    ends = accumulate(len(each) + 1 for each in text)
    kept = [each for each, end in zip(text, ends, strict=True) if end <= max_chars + 1]
    around = [each for each in symbols if _encloses(each, symbol)]
    around.sort(key=lambda each: (each.line, -each.end_line))
    return FunctionAt(symbol, "\n".join(kept), start, len(kept) < len(text), tuple(around))


def _encloses(outer: Symbol, inner: Symbol) -> bool:
    return outer is not inner and outer.first_line <= inner.first_line and inner.end_line <= outer.end_line


def split_name(name: str) -> tuple[str, str]:
    """Split a name as written (`Class.method`, `ns::f`, `@app.route(...)`) into its dotted parent and its last part."""
    text = name.strip().strip("`'\"")
    operator = _OPERATOR.search(text)
    last = "".join(operator[0].split()) if operator else ""
    text = text[: operator.start()] if operator else _ARGUMENTS.sub("", text)
    text = text.lstrip("@&*") if _QUALIFIED.search(text) else text
    parts = [part for part in _QUALIFIED.split(text) if part] + ([last] if last else [])
    if not parts:  # an operator: `/`, `..`
        return "", text
    return ".".join(part for part in parts[:-1] if part not in _UNTOLD), parts[-1]


def indexed_definitions(
    reader: Reader, name: str, exact: bool, path: str, kind: str, limit: int, offset: int
) -> Page[Symbol]:
    """Find definitions by a name as people write it.

    A qualifier may be folders, modules, namespaces and enclosing symbols, some of them left out, or a type that
    inherits the member (`matched` is then `inherited`). Where none fits, the last part alone counts (`last_name`).
    What no code defines is looked for among the keys and headings of data and documents (`data`).
    """
    parent, last = split_name(name)
    if not last:
        return Page((), 0)
    if not parent:
        found = reader.definitions(last, exact, path, (kind,) if kind else (), limit, offset)
        is_part = offset or len(found) == limit
        count = reader.count_named(last, exact, path, (kind,) if kind else ()) if is_part else len(found)
        if count:
            return Page(found, count)
    wanted = parent.rpartition(".")[2]
    for kinds in ((kind,),) if kind else ((), BY_KIND_ONLY):
        for spelled in (last, *(f"{sigil}{last}" for sigil in _SIGILS)) if exact else (last,):
            if named := reader.definitions(spelled, exact, path, kinds, MOST_NAMED):
                if len(named) == MOST_NAMED:  # then at least those are among them that the qualifier may mean
                    named = reader.definitions(spelled, exact, path, kinds, MOST_NAMED, within=wanted)
                fitting, matched = _fitting(named, parent, reader.ancestors) if parent else (named, "")
                return Page.of(fitting, limit, offset, DATA if kinds == BY_KIND_ONLY else matched)
    return Page((), 0, nearest=_nearest(last, reader.names_like(last)) if exact else ())


def _fitting(
    named: Sequence[Symbol], parent: str, ancestors: Callable[[str], frozenset[str]]
) -> tuple[Sequence[Symbol], str]:
    """Those of the symbols of one name that a qualifier means, and how they are matched."""
    wanted = parent.split(".")
    if found := [symbol for symbol in named if _within(symbol, parent)]:
        return found, ""
    if found := [symbol for symbol in named if _is_below(wanted, symbol, direct=True)]:
        return found, ""
    above = ancestors(wanted[-1])
    if found := [symbol for symbol in named if symbol.parent.rpartition(".")[2] in above]:
        return found, INHERITED
    found = [symbol for symbol in named if _is_below(wanted, symbol, direct=False)]
    return (found, "") if found else (named, LAST_NAME)


def _is_below(wanted: Sequence[str], symbol: Symbol, direct: bool) -> bool:
    """Whether the parts of a qualifier stand in this order among folders, file and parents, some perhaps left out.

    `direct`: the last of them is what holds the symbol, or its file or folder where nothing does.
    """
    parents = symbol.parent.split(".") if symbol.parent else []
    if direct and parents and parents[-1] != wanted[-1]:
        return False
    places = [*symbol.path.rpartition(".")[0].split("/"), *parents]
    rest = iter(map(folded, places))
    return all(folded(part) in rest for part in wanted)


def folded(part: str) -> str:
    """Return a part of a name as it is compared: in lower case, with `_` for `-`."""
    return part.lower().replace("-", "_")


def _nearest(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """The names most like one that nothing bears."""
    spelled = {folded(each).replace("_", ""): each for each in reversed(known)}
    return tuple(spelled[each] for each in get_close_matches(folded(name).replace("_", ""), spelled, MOST_LIKE, 0.7))


def cold_definitions(root: Path, name: str, path: str, kind: str, limit: int, offset: int) -> Page[Symbol]:
    """Find definitions of an exact name without an index: the files that hold the word are parsed now.

    Parsing ends after some seconds; then the total is a minimum.
    """
    until = time.monotonic() + COLD_S
    parent, last = split_name(name)
    if not last:
        return Page((), 0)
    paths = files_naming(root, [last], Search(path=path))[:COLD_FILES]
    found: list[Symbol] = []
    late = False
    for at, each in enumerate(paths):
        if late := at > 0 and time.monotonic() > until:
            break
        found += structure(*read_source(root, each)).symbols
    for symbols in tags_of(root, filter(has_no_grammar, paths)).values():
        found += symbols
    named = [symbol for symbol in found if symbol.name == last and kind in ("", symbol.kind)]
    named.sort(key=lambda symbol: rank_of(symbol.path, language_id(symbol.path), symbol.kind))
    code = [symbol for symbol in named if kind or symbol.kind not in BY_KIND_ONLY]
    is_data = bool(named) and not code
    fitting, matched = _fitting(code or named, parent, lambda _: frozenset()) if parent else (code or named, "")
    answered = Page.of(fitting, limit, offset, DATA if is_data else matched)
    answered.total_is_minimum = late
    return answered


def _within(symbol: Symbol, parent: str) -> bool:
    module = symbol.path.rpartition(".")[0].replace("/", ".")
    scopes = (symbol.parent, f"{module}.{symbol.parent}".rstrip("."))
    return any(f".{scope}".endswith(f".{parent}") for scope in scopes)
