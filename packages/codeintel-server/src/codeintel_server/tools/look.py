"""Looking at code: text, files, definitions, references, outlines. Works with and without a session."""

from codeintel_contract.violations import ContractViolation
from codeintel_server.answers import Answer, page, paths_of, plain
from codeintel_server.project import Project
from codeintel_server.tools.types import Limit, Line, Offset, Patterns


def _need(value: str, code: str) -> str:
    if not value.strip():
        raise ContractViolation(f"tool_errors.query.{code}")
    return value.strip()


def search_text(
    project: Project,
    pattern: Patterns,
    path: str = "",
    glob: str = "",
    file_type: str = "",
    fixed: bool = False,
    case_sensitive: bool = True,
    context_lines: int = 0,
    max_results: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Search file contents with a regular expression (fixed: plain text). Up to 5 patterns at once."""
    for text in pattern:
        _need(text, "no_pattern")
    found = project.code.index.grep(
        pattern,
        path=path,
        glob=glob,
        file_type=file_type,
        fixed=fixed,
        case_sensitive=case_sensitive,
        context_lines=min(max(context_lines, 0), 20),
        limit=max_results,
        offset=offset,
    )
    share = 22_000 // len(found)
    results = []
    for one in found:
        rows = page(plain(one.matches), one.total, offset, budget=share)
        results.append({"pattern": one.pattern, "matches": rows.pop("items"), **rows, "engine": one.engine})
    matches = [match for one in found for match in one.matches]
    return Answer({"results": results}, shown=paths_of(matches), subject=" ".join(pattern), count=len(matches))


def search_files(project: Project, pattern: str, max_results: Limit = 200) -> Answer:
    """Find files by glob, e.g. **/*_test.go."""
    paths, total = project.code.index.files(_need(pattern, "no_pattern"), limit=max_results)
    rows = page(list(paths), total)
    return Answer({"files": rows.pop("items"), **rows}, listed=tuple(paths), subject=pattern, count=len(paths))


def find_definitions(project: Project, symbol: str, path: str = "", kind: str = "", exact: bool = True) -> Answer:
    """Where a symbol is defined. exact false: names that contain it."""
    found = project.code.index.definitions(_need(symbol, "no_symbol"), path=path, kind=kind, exact=exact)
    rows = page(plain(found), len(found))
    return Answer(
        {"definitions": rows.pop("items"), **rows}, shown=paths_of(found), subject=symbol.strip(), count=len(found)
    )


def find_references(project: Project, symbol: str, path: str = "", max_results: Limit = 100) -> Answer:
    """Where a symbol is used: code first, then strings, comments and documents."""
    name = _need(symbol, "no_symbol")
    found, total = project.code.index.references(name, path=path, limit=max_results)
    items = [
        {"path": one.path, "line": one.line, "text": one.text, "enclosing": one.enclosing, "in": one.where}
        for one in found
    ]
    rows = page(items, total)
    return Answer({"references": rows.pop("items"), **rows}, shown=paths_of(found), subject=name, count=total)


def get_symbols(project: Project, path: str, kind: str = "") -> Answer:
    """The symbols of one file, nested."""
    found = project.code.index.symbols(_need(path, "no_file_path"), kind=kind)
    rows = page(nested(plain(found)), len(found))
    name = project.relative(path)
    return Answer({"path": name, "symbols": rows.pop("items"), **rows}, shown=(name,), subject=name, count=len(found))


def nested(symbols: list[dict[str, object]]) -> list[dict[str, object]]:
    """Symbols as a tree by their parents; the path and parent stand once, not on every row."""
    known: dict[str, dict[str, object]] = {}
    top: list[dict[str, object]] = []
    for symbol in symbols:
        parent = str(symbol.pop("parent", ""))
        symbol.pop("path", None)
        symbol.pop("source", None)
        home = known.get(parent)
        children = home.setdefault("children", []) if home is not None else top
        assert isinstance(children, list)
        children.append(symbol)
        known[f"{parent}.{symbol['name']}" if parent else str(symbol["name"])] = symbol
    return top


def analyze_structure(project: Project, path: str) -> Answer:
    """The outline of one file: imports, exports, definitions with ranges and their documentation's first line."""
    outline = outline_of(project, _need(path, "no_file_path"))
    return Answer(outline, shown=(str(outline["path"]),), subject=str(outline["path"]), count=1)


def outline_of(project: Project, path: str) -> dict[str, object]:
    """The outline of a file as data, bounded."""
    found = project.code.index.structure(path)
    outline: dict[str, object] = {"path": found.path, "language": found.language, "lines": found.lines}
    if found.doc:
        outline["doc"] = found.doc
    outline["imports"] = [one.module for one in found.imports][:80]
    outline["exports"] = list(found.exports)[:80]
    rows = page(nested(plain(found.symbols)), len(found.symbols), budget=16_000)
    return {**outline, "symbols": rows.pop("items"), **rows}


def get_function_at_line(project: Project, path: str, line: Line) -> Answer:
    """The innermost definition around a line, with its text."""
    found = project.code.index.function_at(_need(path, "no_file_path"), line)
    name = project.relative(path)
    if found is None:
        return Answer({"path": name, "line": line, "definition": None}, shown=(name,), subject=name)
    data = {"path": name, "definition": plain(found.symbol), "text": found.text[:20_000]}
    return Answer(data, shown=(name,), subject=name, count=1)


def query(project: Project, query: str) -> Answer:
    """Ask in plain words: names are looked up, quoted text is searched, the rest goes to lexical search."""
    found = project.code.index.ask(_need(query, "no_query"))
    return Answer(plain_deep(found), shown=tuple(_paths(found)), subject=query, count=len(_paths(found)))


def plain_deep(value: object) -> dict[str, object]:
    """The answer of `ask` as JSON data."""
    assert isinstance(value, dict)
    return {str(key): plain(inner) for key, inner in value.items()}


def _paths(value: object) -> list[str]:
    """Every path in an answer, each once, in order."""
    if isinstance(value, dict):
        own = [value["path"]] if isinstance(value.get("path"), str) else []
        return list(dict.fromkeys([*own, *_paths(list(value.values()))]))
    if isinstance(value, list):
        return list(dict.fromkeys(path for inner in value for path in _paths(inner)))
    return []
