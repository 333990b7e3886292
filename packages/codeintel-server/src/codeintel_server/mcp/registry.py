"""All tools, one row each: the list a client sees, the phases a tool is allowed in, what a session adds to a lookup.

Lookups are the index's own functions; the rest are in `tools/`. A tool that is not in `TOOLS` does not exist.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from codeintel_contract import Key, Phase
from codeintel_index import mcp as lookups
from codeintel_index.mcp import ToolFunction, ToolResult
from codeintel_server.mcp.tools import implementation, maintenance, session
from codeintel_server.project.documents import is_left_out
from codeintel_server.project.project import Project
from codeintel_session import PHASES_THAT_ADD_FILES, STEPS, change_scope

PAYLOAD_BYTES = 128 * 1024
"""Maximum size of a submission: a plan of two hundred tasks fits, and a checkpoint holds it."""

_KEYS = [row.key for row in STEPS]
SEARCH_PHASES = frozenset(
    row.phase for row in STEPS[_KEYS.index(Key.DOCUMENT_RESEARCH) : _KEYS.index(Key.READY_COMPLETE) + 1]
)
"""The phases of semantic search: from DOCUMENT_RESEARCH to READY."""
_OPEN = "Open until READY ends and with no session."


@dataclass(frozen=True)
class Tool(ToolFunction):
    """A tool. `phases` None means always; with phases it is also open while no session runs if `outside`."""

    phases: frozenset[Phase] | None = None
    outside: bool = False

    @property
    def looks_up(self) -> bool:
        """Whether it searches or reads code, which reading files whole would do, too."""
        return False

    def run(self, project: Project, arguments: Mapping[str, Any], handed: Mapping[str, Any]) -> ToolResult:
        """Call the function with checked arguments and what the server passes."""
        return self.function(project, **arguments, **handed)


@dataclass(frozen=True)
class LookUp(Tool):
    """A tool of the index; `adds` says what the session adds to it."""

    adds: Callable[[Project], Mapping[str, Any]] = lambda project: {}
    looks_up = True

    def run(self, project: Project, arguments: Mapping[str, Any], handed: Mapping[str, Any]) -> ToolResult:
        """Call the function with the project's index."""
        return self.function(project.code.index, **arguments, **self.adds(project))


def _add_words(project: Project) -> dict[str, Any]:
    """Say in the contract's words why vectors take no part."""
    contract = project.session.contract

    def say(why: str) -> str:
        return contract.message("tool_errors.semantic_search.chromadb_not_available", {"why": why}).message

    return {"say_dense": say}


def _add_scope(project: Project) -> dict[str, Any]:
    """Say what the session changes, and which documents context.yml leaves out."""
    known = change_scope(project.session)
    leaves_out = partial(is_left_out, project.library.context)
    return {"scope": lookups.Scope(known.lines, known.symbols, known.paths, leaves_out)}


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(session.start_session, read_only=False),
        Tool(session.submit_phase, read_only=False, most_bytes=PAYLOAD_BYTES),
        Tool(session.get_session_status, read_only=False),
        LookUp(lookups.search_text),
        LookUp(lookups.search_files),
        LookUp(lookups.find_definitions),
        LookUp(lookups.find_references),
        LookUp(lookups.get_symbols),
        LookUp(lookups.analyze_structure),
        LookUp(lookups.get_function_at_line),
        LookUp(lookups.read_lines),
        LookUp(lookups.query),
        LookUp(lookups.semantic_search, phases=SEARCH_PHASES, outside=True, note=_OPEN, adds=_add_words),
        LookUp(lookups.fetch_chunk_detail, phases=SEARCH_PHASES, outside=True),
        LookUp(lookups.analyze_impact, adds=_add_scope),
        Tool(implementation.check_write_target),
        Tool(implementation.add_explored_files, read_only=False),
        Tool(implementation.review_changes),
        Tool(implementation.run_verifier, read_only=False, phases=frozenset({Phase.READY, Phase.POST_IMPL_VERIFY})),
        Tool(maintenance.sync_index, read_only=False),
        Tool(maintenance.update_context, read_only=False),
        Tool(maintenance.cleanup_stale_branches, read_only=False, destructive=True),
        Tool(maintenance.record_outcome, read_only=False),
    )
}


def callable_in() -> dict[str, frozenset[Key]]:
    """For every tool that is not open in all phases, the contract keys it may be called in."""
    phases = {tool.name: tool.phases for tool in TOOLS.values() if tool.phases is not None}
    phases |= {"review_changes": frozenset({Phase.PRE_COMMIT}), "add_explored_files": frozenset(PHASES_THAT_ADD_FILES)}
    return {name: frozenset(row.key for row in STEPS if row.phase in open_in) for name, open_in in phases.items()}
