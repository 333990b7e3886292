"""Looking at code by meaning: search, the chunks it found, and what a change may affect."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from codeintel_index.index import Index
from codeintel_index.mcp.answers import ToolResult, page, pages, paths_of, plain
from codeintel_index.mcp.arguments import Limit, Offset, Texts
from codeintel_index.mcp.lookups import need, only_indexed
from codeintel_index.results import ImpactItem

IMPACT_LISTS = ("must_verify", "in_targets", "likely_to_change", "should_verify", "tests", "docs", "markup")
MOST_LINES, MOST_SYMBOLS = 20, 10  # of one file
MOST_NAMES = 100  # of the symbols followed


def semantic_search(
    index: Index,
    query: str,
    collection: Literal["auto", "map", "forest"] = "auto",
    n_results: Annotated[int, Field(ge=1, le=50)] = 10,
    offset: Offset = 0,
    *,
    say_dense: Callable[[str], str] = str,
) -> ToolResult:
    """Search code by meaning. map: learned from verified work; forest: all code; auto: map if sure, else forest."""
    need(query, "query")
    found = index.search(query, collection=collection, limit=n_results, offset=offset)
    data = {
        **page(plain(found.hits), found.total, offset, name="hits"),
        **only_indexed(index),
        "shortcut": found.shortcut,
        "fresh_as_of": found.fresh_as_of,
        **({"stale_files": found.stale_files} if found.stale_files else {}),
        **({"dense": say_dense(found.dense)} if found.dense else {}),
    }
    recalled = found.shortcut if collection == "auto" else None
    shown = found.hits[: len(data["hits"])]
    lines = tuple((hit.path, hit.start_line, hit.end_line) for hit in shown)
    return ToolResult(data, shown=paths_of(shown), lines=lines, subject=query, count=found.total, recalled=recalled)


def fetch_chunk_detail(index: Index, chunk_id: str) -> ToolResult:
    """Get the whole chunk of a hit of semantic_search."""
    found = index.chunk(chunk_id)
    lines = ((found.path, found.start_line, found.end_line),)
    return ToolResult({"chunk": plain(found)}, shown=(found.path,), lines=lines, subject=chunk_id, count=1)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a server knows of a change beside the arguments, as `Index.impact` takes it, and documents to leave out."""

    changed: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    about: Sequence[str] = ()
    planned: Sequence[str] = ()
    leaves_out: Callable[[str], bool] = lambda path: False


def analyze_impact(
    index: Index,
    target_files: Texts,
    change_description: str = "",
    symbols: Texts | None = None,
    depth_2: bool = False,
    max_results: Limit = 50,
    offset: Offset = 0,
    *,
    scope: Scope | None = None,
) -> ToolResult:
    """Find what changing these files may affect: files to verify, files likely to change too, tests, documents.

    symbols: the definitions that change. offset pages all lists.
    """
    from codeintel_index.lookup.definitions import split_name

    need("".join(target_files), "target_files")
    known = scope or Scope()
    found = index.impact(
        target_files,
        change_description,
        changed=known.changed,
        symbols=symbols or (),
        about=known.about,
        planned=known.planned,
    )
    lists = {name: _items(known, getattr(found, name)) for name in IMPACT_LISTS}
    must = paths_of(found.must_verify)
    lists["likely_to_change"] = [item for item in lists["likely_to_change"] if item["path"] not in must]
    further: dict[str, list[Any]] = {"depth_2": list(found.depth_2)} if depth_2 else {}
    counts = {name: len(items) for name, items in lists.items()}
    undefined = [name for name in symbols or () if split_name(name)[1] not in found.symbols]
    page = pages({**lists, **further}, offset, max_results)
    named = [item["path"] for name in lists for item in page[name]]
    data = {
        "targets": list(found.targets),
        "mode": found.mode,
        "symbols": list(found.symbols)[:MOST_NAMES],
        **({"not_in_targets": undefined} if undefined else {}),
        **page,
        "counts": {**found.counts, **counts, "must_verify": found.counts["must_verify"], "symbols": len(found.symbols)},
    }
    asked = ", ".join(target_files)
    return ToolResult(
        data,
        listed=tuple(dict.fromkeys(named + page.get("depth_2", []))),
        subject=asked,
        count=len(must),
        must_verify=must,
    )


def _items(scope: Scope, items: Iterable[ImpactItem]) -> list[dict[str, Any]]:
    """The items of a list as data, without documents that the server leaves out."""
    return [_brief(plain(item)) for item in items if item.reason != "docs" or not scope.leaves_out(item.path)]


def _brief(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item with its first lines and symbols, and the totals of truncated ones."""
    cut: dict[str, Any] = {}
    for name, most in (("lines", MOST_LINES), ("symbols", MOST_SYMBOLS)):
        if len(item.get(name, ())) > most:
            cut |= {name: item[name][:most], f"{name}_total": len(item[name])}
    return {**item, **cut}
