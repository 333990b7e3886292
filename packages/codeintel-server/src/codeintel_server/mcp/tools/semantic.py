"""What a session adds to semantic search and impact analysis: the contract's words, and what it knows of the change."""

from functools import partial
from typing import Any

from codeintel_index.mcp import Scope
from codeintel_server.project.documents import is_left_out
from codeintel_server.project.project import Project
from codeintel_session import change_scope


def add_words(project: Project) -> dict[str, Any]:
    """Say in the contract's words why vectors take no part."""
    contract = project.session.contract

    def say(why: str) -> str:
        return contract.message("tool_errors.semantic_search.chromadb_not_available", {"why": why}).message

    return {"say_dense": say}


def add_scope(project: Project) -> dict[str, Any]:
    """Say what the session changes, and which documents context.yml leaves out."""
    known = change_scope(project.session)
    leaves_out = partial(is_left_out, project.library.context)
    return {"scope": Scope(known.lines, known.symbols, known.paths, leaves_out)}
