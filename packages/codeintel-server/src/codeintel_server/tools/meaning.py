"""Search by meaning, and what a change may reach."""

from typing import Annotated, Literal

from pydantic import Field

from codeintel_contract.violations import ContractViolation
from codeintel_server.answers import Answer, page, paths_of, plain
from codeintel_server.project import Project
from codeintel_server.tools.types import Texts


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
    project: Project, target_files: Texts, change_description: str = "", depth_2: bool = False
) -> Answer:
    """What a change of these files may reach: files to verify, tests, documents, markup."""
    if not target_files:
        raise ContractViolation("tool_errors.query.no_file_path")
    found = project.code.index.impact(target_files, change_description)
    lists = ("must_verify", "should_verify", "tests", "docs", "markup")
    data: dict[str, object] = {"targets": list(found.targets), "mode": found.mode, "symbols": list(found.symbols)[:100]}
    data |= {name: plain(getattr(found, name)) for name in lists}
    data["counts"] = found.counts
    if depth_2:
        data["depth_2"] = list(found.depth_2)
    must = paths_of(found.must_verify)
    return Answer(data, subject=", ".join(target_files), count=len(must), must_verify=must)
