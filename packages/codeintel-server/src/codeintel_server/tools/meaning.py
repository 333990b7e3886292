"""Search by meaning, and what a change may reach."""

from typing import Annotated, Any, Literal

from pydantic import Field

from codeintel_contract.violations import ContractViolation
from codeintel_server.answers import ANSWER_BYTES, Answer, page, paths_of, plain
from codeintel_server.project import Project
from codeintel_server.tools.types import Limit, Offset, Texts

IMPACT_LISTS = ("must_verify", "should_verify", "tests", "docs", "markup")
MOST_LINES, MOST_SYMBOLS = 20, 10  # of one file


def semantic_search(
    project: Project,
    query: str,
    collection: Literal["auto", "map", "forest"] = "auto",
    n_results: Annotated[int, Field(ge=1, le=50)] = 10,
) -> Answer:
    """Search by meaning. map: what verified work taught; forest: all code; auto: map if it is sure, else forest."""
    if not query.strip():
        raise ContractViolation("tool_errors.query.no_query")
    found = project.code.index.search(query, collection=collection, limit=n_results)
    rows = page(plain(found.hits), len(found.hits))
    data = {
        "hits": rows.pop("items"),
        **rows,
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
    return Answer(data, shown=paths_of(found.hits), subject=query, count=len(found.hits), recalled=recalled)


def fetch_chunk_detail(project: Project, chunk_id: str) -> Answer:
    """The whole chunk of a hit."""
    found = project.code.index.chunk(chunk_id)
    return Answer({"chunk": plain(found)}, shown=(found.path,), subject=chunk_id, count=1)


def analyze_impact(
    project: Project,
    target_files: Texts,
    change_description: str = "",
    depth_2: bool = False,
    max_results: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """What a change of these files may reach: files to verify, tests, documents, markup. offset pages all lists."""
    if not target_files:
        raise ContractViolation("tool_errors.query.no_file_path")
    found = project.code.index.impact(target_files, change_description)
    lists: dict[str, list[Any]] = {
        name: [_brief(plain(item)) for item in getattr(found, name)] for name in IMPACT_LISTS
    }
    if depth_2:
        lists["depth_2"] = list(found.depth_2)
    data: dict[str, object] = {"targets": list(found.targets), "mode": found.mode, "symbols": list(found.symbols)[:100]}
    data |= _paged(lists, offset, max_results)
    data["counts"] = {**found.counts, "markup": len(found.markup), "symbols": len(found.symbols)}
    must = paths_of(found.must_verify)
    return Answer(data, subject=", ".join(target_files), count=len(must), must_verify=must)


def _paged(lists: dict[str, list[Any]], offset: int, limit: int) -> dict[str, object]:
    """The same stretch of every list, so that one offset goes on in all of them; as long as all fit the answer."""
    share = ANSWER_BYTES // max(1, sum(len(rows) > offset for rows in lists.values()))
    pages = [page(rows[offset:], len(rows), offset, limit, share) for rows in lists.values()]
    end = min((each["next_offset"] for each in pages if each["truncated"]), default=offset + limit)
    further = any(len(rows) > end for rows in lists.values())
    shown: dict[str, object] = {name: rows[offset:end] for name, rows in lists.items()}
    return {**shown, "truncated": further, **({"next_offset": end} if further else {})}


def _brief(item: dict[str, Any]) -> dict[str, Any]:
    """An item with its first lines and symbols, and how many it has of a kind that is cut."""
    cut: dict[str, Any] = {}
    for name, most in (("lines", MOST_LINES), ("symbols", MOST_SYMBOLS)):
        if len(item.get(name, ())) > most:
            cut |= {name: item[name][:most], f"{name}_total": len(item[name])}
    return {**item, **cut}
