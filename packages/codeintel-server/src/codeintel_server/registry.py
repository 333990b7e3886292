"""All tools, one row each: the list a client sees, the phases a tool is allowed in, and nothing else.

The function's signature is the schema, its docstring the description. A tool that is not in `TOOLS`
does not exist.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp.types import Tool as ListedTool
from mcp.types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, create_model

from codeintel_contract.names import Key, Phase
from codeintel_server.answers import Answer
from codeintel_server.tools import keep, look, meaning, session, work
from codeintel_session.access import ADDING
from codeintel_session.machine.steps import STEPS

ARGUMENT_BYTES = 64 * 1024
PAYLOAD_BYTES = 128 * 1024
"""Size of what submit_phase may hand in: a plan of two hundred tasks fits, and a checkpoint holds it."""

SEARCH_PHASES = frozenset({Phase.SEMANTIC, Phase.READY})


@dataclass(frozen=True)
class Tool:
    """A tool. `phases` None means always; with phases it is also open while no session runs if `outside`.

    `most_bytes` is the size of all its arguments, as JSON.
    """

    function: Callable[..., Answer]
    read_only: bool = True
    phases: frozenset[Phase] | None = None
    outside: bool = False
    destructive: bool = False
    most_bytes: int = ARGUMENT_BYTES

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model its arguments are checked with; unknown ones are refused."""
        parameters = [
            parameter
            for parameter in list(inspect.signature(self.function, eval_str=True).parameters.values())[1:]
            if parameter.kind is not parameter.KEYWORD_ONLY  # what the server hands in itself
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
    """A schema without the titles pydantic derives from names: they repeat what stands there already."""
    if isinstance(schema, dict):
        return {key: _lean(value) for key, value in schema.items() if not (key == "title" and isinstance(value, str))}
    return [_lean(value) for value in schema] if isinstance(schema, list) else schema


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(session.start_session, read_only=False),
        Tool(session.submit_phase, read_only=False, most_bytes=PAYLOAD_BYTES),
        Tool(session.get_session_status, read_only=False),
        Tool(look.search_text),
        Tool(look.search_files),
        Tool(look.find_definitions),
        Tool(look.find_references),
        Tool(look.get_symbols),
        Tool(look.analyze_structure),
        Tool(look.get_function_at_line),
        Tool(look.query),
        Tool(meaning.semantic_search, phases=SEARCH_PHASES, outside=True),
        Tool(meaning.fetch_chunk_detail, phases=SEARCH_PHASES, outside=True),
        Tool(meaning.analyze_impact),
        Tool(work.check_write_target),
        Tool(work.add_explored_files, read_only=False),
        Tool(work.review_changes),
        Tool(work.run_verifier, read_only=False, phases=frozenset({Phase.READY, Phase.POST_IMPL_VERIFY})),
        Tool(keep.sync_index, read_only=False),
        Tool(keep.update_context, read_only=False),
        Tool(keep.cleanup_stale_branches, read_only=False, destructive=True),
        Tool(keep.record_outcome, read_only=False),
    )
}


def callable_in() -> dict[str, frozenset[Key]]:
    """For every tool that is not open in all phases, the contract keys it may be called in."""
    phases = {tool.name: tool.phases for tool in TOOLS.values() if tool.phases is not None}
    phases |= {"review_changes": frozenset({Phase.PRE_COMMIT}), "add_explored_files": frozenset(ADDING)}
    return {name: frozenset(row.key for row in STEPS if row.phase in open_in) for name, open_in in phases.items()}
