"""All tools, one row each: the list a client sees, the phases a tool is allowed in, and nothing else.

The function's signature is the schema, its docstring the description. A tool that is not in `TOOLS`
does not exist.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp.types import Tool as ListedTool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, create_model

from codeintel_contract import Key, Phase
from codeintel_server.mcp.tool_result import ToolResult
from codeintel_server.mcp.tools import implementation, maintenance, search, semantic, session
from codeintel_session import PHASES_THAT_ADD_FILES, STEPS

ARGUMENT_BYTES = 64 * 1024
PAYLOAD_BYTES = 128 * 1024
"""Maximum size of a submission: a plan of two hundred tasks fits, and a checkpoint holds it."""

_KEYS = [row.key for row in STEPS]
SEARCH_PHASES = frozenset(
    row.phase for row in STEPS[_KEYS.index(Key.EXPLORATION) : _KEYS.index(Key.READY_COMPLETE) + 1]
)
"""The phases of semantic search: from EXPLORATION to READY."""


@dataclass(frozen=True)
class Tool:
    """A tool. `phases` None means always; with phases it is also open while no session runs if `outside`.

    `most_bytes` is the size of all its arguments, as JSON.
    """

    function: Callable[..., ToolResult]
    read_only: bool = True
    phases: frozenset[Phase] | None = None
    outside: bool = False
    destructive: bool = False
    most_bytes: int = ARGUMENT_BYTES

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def looks_up(self) -> bool:
        """Whether it searches or reads code, which reading files whole would do, too."""
        return self.function.__module__ in (search.__name__, semantic.__name__)

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model its arguments are checked with; unknown ones are refused."""
        parameters = [
            parameter
            for parameter in list(inspect.signature(self.function, eval_str=True).parameters.values())[1:]
            if parameter.kind is not parameter.KEYWORD_ONLY  # what the server passes itself
        ]
        fields: dict[str, Any] = {
            parameter.name: (parameter.annotation, ... if parameter.default is parameter.empty else parameter.default)
            for parameter in parameters
        }
        return create_model(f"{self.name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)

    def listing(self) -> ListedTool:
        """The row of `tools/list`."""
        return ListedTool(
            name=self.name,
            description=" ".join((inspect.getdoc(self.function) or "").split()),
            input_schema=_lean(self.arguments.model_json_schema()),
            annotations=ToolAnnotations(
                read_only_hint=self.read_only, destructive_hint=self.destructive or None, open_world_hint=False
            ),
        )


def _lean(schema: Any) -> Any:
    """Drop what costs tokens and says nothing: titles that repeat the names, defaults that are empty."""
    if isinstance(schema, dict):
        return {key: _lean(value) for key, value in schema.items() if not _says_nothing(key, value)}
    return [_lean(value) for value in schema] if isinstance(schema, list) else schema


def _says_nothing(key: str, value: Any) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and not value)


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(session.start_session, read_only=False),
        Tool(session.submit_phase, read_only=False, most_bytes=PAYLOAD_BYTES),
        Tool(session.get_session_status, read_only=False),
        Tool(search.search_text),
        Tool(search.search_files),
        Tool(search.find_definitions),
        Tool(search.find_references),
        Tool(search.get_symbols),
        Tool(search.analyze_structure),
        Tool(search.get_function_at_line),
        Tool(search.read_lines),
        Tool(search.query),
        Tool(semantic.semantic_search, phases=SEARCH_PHASES, outside=True),
        Tool(semantic.fetch_chunk_detail, phases=SEARCH_PHASES, outside=True),
        Tool(semantic.analyze_impact),
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
