"""Looking at code: text, files, definitions, references, outlines."""

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from codeintel_index.errors import BadArgument, EmptyArgument, NotAFile
from codeintel_index.index import Index
from codeintel_index.mcp.answers import READ_BYTES, ToolResult, excerpt, excerpts, fitting, page, pages, paths_of, plain
from codeintel_index.mcp.arguments import Context, LastLine, Limit, Line, Offset, OneOrMore, Patterns
from codeintel_index.paths import confine
from codeintel_index.results import FileLines

MOST_ROWS = 1000
MOST_LINES = 200  # of a definition's text
WHOLE = 1_000_000  # characters: no file that is read has more
_LINES = re.compile(r"(?P<path>.+?):(?P<start>[1-9]\d{0,6})(?:[-:](?P<end>[1-9]\d{0,6}))?")
NEAR = 10  # lines on either side of one between definitions


def need(value: str, argument: str) -> str:
    """Return a text without blanks around it. Raises EmptyArgument if nothing is left."""
    if not value.strip():
        raise EmptyArgument(argument)
    return value.strip()


def search_text(
    index: Index,
    pattern: Patterns,
    path: str = "",
    glob: str = "",
    file_type: str = "",
    fixed: bool = False,
    case_sensitive: bool = True,
    context_lines: Context = 0,
    max_results: Limit = 100,
    offset: Offset = 0,
) -> ToolResult:
    """Search file contents with a regular expression (fixed: plain text). Up to 5 patterns at once."""
    for text in pattern:
        need(text, "pattern")
    found = index.grep(
        pattern,
        path=path,
        glob=glob,
        file_type=file_type,
        fixed=fixed,
        case_sensitive=case_sensitive,
        context_lines=context_lines,
        limit=max_results,
        offset=offset,
    )
    count = fitting([plain(one.matches) for one in found])  # the same of each pattern: one offset pages all
    shown = [match for one in found for match in one.matches[:count]]
    results = [
        {
            "pattern": one.pattern,
            **page(plain(one.matches[:count]), one.total, offset, name="matches", is_minimum=one.total_is_minimum),
            **({} if one.engine == "ripgrep" else {"engine": one.engine}),
        }
        if not one.refused
        else {"pattern": one.pattern, "matches": [], "refused": one.refused}
        for one in found
    ]
    if not context_lines:
        _list_once(results)
    is_searched = any(one.total for one in found) or _is_listed(index, path)
    note = {} if is_searched else {"note": f"no file of {path} is searched: git ignores them, or they are left out"}
    searched = " ".join(one.pattern for one in found if not one.refused)
    return ToolResult({"results": results, **note}, shown=paths_of(shown), subject=searched, count=len(shown))


def _is_listed(index: Index, path: str) -> bool:
    """Return True if text searches read a file at this path or below it."""
    inside = confine(index.root, path)
    listed = index.files("**", limit=sys.maxsize) if inside else ()
    return not inside or any(each == inside or each.startswith(f"{inside}/") for each in listed)


def _list_once(results: Iterable[dict[str, Any]]) -> None:
    """Leave out lines that an earlier pattern lists, and count them as `listed_above`."""
    known: set[tuple[str, int]] = set()
    for result in results:
        rows = {(match["path"], match["line"]): match for match in result["matches"]}
        if above := rows.keys() & known:
            result |= {"matches": [rows[place] for place in rows if place not in above], "listed_above": len(above)}
        known |= rows.keys()


def search_files(index: Index, pattern: str, max_results: Limit = 200, offset: Offset = 0) -> ToolResult:
    """Find files of the project by glob, e.g. **/*_test.go."""
    found = index.files(need(pattern, "pattern"), limit=max_results, offset=offset)
    data = page(list(found), found.total, offset, name="files")
    return ToolResult(data, listed=tuple(data["files"]), subject=pattern, count=found.total)


def find_definitions(
    index: Index, symbol: str, path: str = "", kind: str = "", exact: bool = True, offset: Offset = 0
) -> ToolResult:
    """Find where a symbol is defined. exact false: names that contain it."""
    found = index.definitions(need(symbol, "symbol"), path=path, kind=kind, exact=exact, limit=MOST_ROWS, offset=offset)
    data = {
        **page(plain(found), found.total, offset, name="definitions", is_minimum=found.total_is_minimum),
        **({"matched": found.matched} if found.matched else {}),
        **({"nearest": list(found.nearest)} if found.nearest else {}),
        **only_indexed(index),
    }
    shown = found[: len(data["definitions"])]
    return ToolResult(data, shown=paths_of(shown), subject=symbol.strip(), count=found.total)


def only_indexed(index: Index) -> dict[str, list[str]]:
    """Return what an answer from the index adds if the index covers only some folders."""
    folders = index.config.source_dirs
    return {"source_dirs": list(folders)} if folders else {}


def find_references(
    index: Index, symbol: str, path: str = "", max_results: Limit = 100, offset: Offset = 0
) -> ToolResult:
    """Find where a symbol is used: code first, then strings, comments and documents."""
    name = need(symbol, "symbol")
    found = index.references(name, path=path, limit=max_results, offset=offset)
    items = [
        {"path": one.path, "line": one.line, "text": one.text, "enclosing": one.enclosing, "in": one.where}
        | ({"certainty": one.certainty} if one.certainty else {})
        for one in found
    ]
    data = page(items, found.total, offset, name="references", is_minimum=found.total_is_minimum)
    shown = found[: len(data["references"])]
    return ToolResult(data, shown=paths_of(shown), subject=name, count=found.total)


def get_symbols(index: Index, path: str, kind: str = "", offset: Offset = 0) -> ToolResult:
    """List the symbols of one file, nested."""
    name = confine(index.root, need(path, "path"))
    found = index.symbols(name, kind=kind)
    data = {"path": name, **pages({"symbols": _slim(found)}, offset)}
    data["symbols"] = _nested(data["symbols"])
    return ToolResult(data, shown=(name,), subject=name, count=len(found))


def analyze_structure(index: Index, path: str, offset: Offset = 0) -> ToolResult:
    """Outline one file: imports, exports, definitions with ranges and their documentation's first line."""
    outline = outline_of(index, need(path, "path"), offset)
    return ToolResult(outline, shown=(str(outline["path"]),), subject=str(outline["path"]), count=1)


def outline_of(index: Index, path: str, offset: int = 0, budget: int = 0) -> dict[str, object]:
    """Return a page of a file's outline as data, at most `budget` bytes of it."""
    found = index.structure(path)
    lists: dict[str, list[Any]] = {
        "imports": [one.module for one in found.imports],
        "exports": list(found.exports),
        "symbols": _slim(found.symbols),
    }
    head = {
        "path": found.path,
        "language": found.language,
        "lines": found.lines,
        **({"doc": found.doc} if found.doc else {}),
    }
    outline = {
        **head,
        **pages(lists, offset, budget=budget),
        "counts": {name: len(rows) for name, rows in lists.items()},
    }
    return outline | {"symbols": _nested(outline["symbols"])}


def _slim(symbols: Iterable[object]) -> list[dict[str, Any]]:
    """Symbols of one file as data; the answer gives the path once, not on every row."""
    return [{key: value for key, value in plain(each).items() if key not in ("path", "source")} for each in symbols]


def _nested(symbols: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Arrange the symbols of a page as a tree; those whose parent is on another page name it."""
    known: dict[str, dict[str, Any]] = {}
    top: list[dict[str, Any]] = []
    for symbol in symbols:
        parent = symbol.get("parent", "")
        known[f"{parent}.{symbol['name']}" if parent else symbol["name"]] = symbol
        home = known.get(parent)
        if home is None or home is symbol:
            top.append(symbol)
        else:
            del symbol["parent"]
            home.setdefault("children", []).append(symbol)
    return top


def get_function_at_line(index: Index, path: str, line: Line) -> ToolResult:
    """Get the innermost definition around a line, its numbered text and the definitions that enclose it."""
    name = confine(index.root, need(path, "path"))
    found = index.function_at(name, line, max_chars=WHOLE)
    if found is None:
        near = index.read_lines(name, max(1, line - NEAR), line + NEAR)
        text = excerpt(near.lines, near.start_line, near.end_line)
        return ToolResult({"path": name, "definition": None, **text}, shown=(name,), subject=name)
    definition, *around = _slim([found.symbol, *found.enclosing])
    enclosing = [{key: each[key] for key in ("name", "kind", "line", "end_line")} for each in around]
    data = {
        "path": name,
        "definition": definition,
        "enclosing": enclosing,
        **_around(found.text.split("\n"), found.start_line, line),
    }
    lines = ((name, data["start_line"], data["end_line"]),)
    return ToolResult(data, shown=(name,), lines=lines, subject=name, count=1)


def _around(lines: Sequence[str], start: int, line: int) -> dict[str, Any]:
    """Number the text of a definition that begins with line `start`; of a long one the part that holds `line`."""
    for first in (start, max(start, line - MOST_LINES // 4), line):
        text = excerpt(lines[first - start :][:MOST_LINES], first, start + len(lines) - 1)
        if text["end_line"] >= line:
            break
    return text | {"truncated": text["truncated"] or first > start}


def read_lines(index: Index, path: OneOrMore, start_line: Line = 1, end_line: LastLine = None) -> ToolResult:
    """Read numbered lines, at most 1,000 a file and 32 KB. path: one, or a list: ["a.py:10-40"]."""
    names = [path] if isinstance(path, str) else path
    found: list[FileLines] = []
    faults: dict[str, NotAFile | BadArgument] = {}
    for each in names:
        try:
            found.append(_lines(index, each, start_line, end_line))
        except (NotAFile, BadArgument) as fault:
            faults[each] = fault
    if not found:
        raise next(iter(faults.values()))
    texts = excerpts([(each.lines, each.start_line, each.last) for each in found], READ_BYTES)
    read = [{"path": each.path, **text, "total": each.total} for each, text in zip(found, texts, strict=True)]
    lines = tuple((each["path"], each["start_line"], each["end_line"]) for each in read)
    shown = tuple(dict.fromkeys(name for name, _, _ in lines))
    count = sum(last - first + 1 for _, first, last in lines)
    not_read = {"not_read": {name: fault.why for name, fault in faults.items()}} if faults else {}
    data = read[0] if isinstance(path, str) else {"files": read, **not_read}
    return ToolResult(data, shown=shown, lines=lines, subject=", ".join(names), count=count)


def _lines(index: Index, path: str, start: int, end: int | None) -> FileLines:
    """Read a range of a file; one that the path itself names comes first."""
    named = _LINES.fullmatch(path)
    if named and not (index.root / path).exists():
        path, start, end = named["path"], int(named["start"]), int(named["end"] or named["start"])
    return index.read_lines(need(path, "path"), start, end)


def query(index: Index, query: str) -> ToolResult:
    """Ask in plain words: names are looked up, quoted text is searched, the rest goes to lexical search."""
    found = index.ask(need(query, "query"))
    data = {key: plain(value) for key, value in found.items()}
    total = sum(each["found"] for each in data["ran"])
    shown = sum(len(data[name]) for name in ("definitions", "matches", "hits"))
    paths = tuple(dict.fromkeys(each["path"] for name in ("definitions", "matches", "hits") for each in data[name]))
    return ToolResult({**data, "total": total, "truncated": shown < total}, shown=paths, subject=query, count=shown)
