"""Define the tools of semantic search and impact analysis."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from codeintel_contract import ContractViolation
from codeintel_server.mcp.tool_result import ToolResult, page, pages, paths_of, plain
from codeintel_server.mcp.tools.search import only_indexed
from codeintel_server.mcp.tools.types import Limit, Offset, Texts
from codeintel_server.project.documents import is_left_out
from codeintel_server.project.project import Project
from codeintel_session import change_scope

IMPACT_LISTS = ("must_verify", "in_targets", "likely_to_change", "should_verify", "tests", "docs", "markup")
MOST_LINES, MOST_SYMBOLS = 20, 10  # of one file
MOST_NAMES = 100  # of the symbols followed


def semantic_search(
    project: Project,
    query: str,
    collection: Literal["auto", "map", "forest"] = "auto",
    n_results: Annotated[int, Field(ge=1, le=50)] = 10,
    offset: Offset = 0,
) -> ToolResult:
    """Search code by meaning, from EXPLORATION to READY or with no session. map: learned from verified work;
    forest: all code; auto: map if sure, else forest."""
    if not query.strip():
        raise ContractViolation("tool_errors.query.no_query")
    found = project.code.index.search(query, collection=collection, limit=n_results, offset=offset)
    data = {
        **page(plain(found.hits), found.total, offset, name="hits"),
        **only_indexed(project),
        "shortcut": found.shortcut,
        "fresh_as_of": found.fresh_as_of,
        **({"stale_files": found.stale_files} if found.stale_files else {}),
    }
    if found.dense:
        contract = project.session.contract
        data["dense"] = contract.message(
            "tool_errors.semantic_search.chromadb_not_available", {"why": found.dense}
        ).message
    recalled = found.shortcut if collection == "auto" else None
    shown = found.hits[: len(data["hits"])]
    lines = tuple((hit.path, hit.start_line, hit.end_line) for hit in shown)
    return ToolResult(data, shown=paths_of(shown), lines=lines, subject=query, count=found.total, recalled=recalled)


def fetch_chunk_detail(project: Project, chunk_id: str) -> ToolResult:
    """Get the whole chunk of a hit; allowed where semantic_search is."""
    found = project.code.index.chunk(chunk_id)
    lines = ((found.path, found.start_line, found.end_line),)
    return ToolResult({"chunk": plain(found)}, shown=(found.path,), lines=lines, subject=chunk_id, count=1)


def analyze_impact(
    project: Project,
    target_files: Texts,
    change_description: str = "",
    symbols: Texts | None = None,
    depth_2: bool = False,
    max_results: Limit = 50,
    offset: Offset = 0,
) -> ToolResult:
    """Find what changing these files may affect: files to verify, files likely to change too, tests, documents.

    symbols: the definitions that change. offset pages all lists.
    """
    if not target_files:
        raise ContractViolation("tool_errors.query.no_file_path")
    scope = change_scope(project.session)
    found = project.code.index.impact(
        target_files,
        change_description,
        changed=scope.lines,
        symbols=symbols or (),
        about=scope.symbols,
        planned=scope.paths,
    )
    lists = {name: _items(project, getattr(found, name)) for name in IMPACT_LISTS}
    must = paths_of(found.must_verify)
    lists["likely_to_change"] = [item for item in lists["likely_to_change"] if item["path"] not in must]
    further: dict[str, list[Any]] = {"depth_2": list(found.depth_2)} if depth_2 else {}
    counts = {name: len(items) for name, items in lists.items()}
    data = {
        "targets": list(found.targets),
        "mode": found.mode,
        "symbols": list(found.symbols)[:MOST_NAMES],
        **pages({**lists, **further}, offset, max_results),
        "counts": {**found.counts, **counts, "must_verify": found.counts["must_verify"], "symbols": len(found.symbols)},
    }
    return ToolResult(data, subject=", ".join(target_files), count=len(must), must_verify=must)


def _items(project: Project, items: Iterable[Any]) -> list[dict[str, Any]]:
    """The items of a list as data, without documents that context.yml leaves out."""
    context = project.library.context
    return [_brief(plain(item)) for item in items if item.reason != "docs" or not is_left_out(context, item.path)]


def _brief(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item with its first lines and symbols, and the totals of truncated ones."""
    cut: dict[str, Any] = {}
    for name, most in (("lines", MOST_LINES), ("symbols", MOST_SYMBOLS)):
        if len(item.get(name, ())) > most:
            cut |= {name: item[name][:most], f"{name}_total": len(item[name])}
    return {**item, **cut}
