"""The lookup tools as a server of their own over stdio: `codeintel-index serve`. No phases, no state but the index.

A fault of the index is answered as data that says what to do. Whatever else is raised becomes the SDK's own error.
"""

import os
import threading
from pathlib import Path
from typing import Any

import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult, Tool as ListedTool

from codeintel_index import mcp as tools
from codeintel_index.errors import (
    ArgumentsRefused,
    BadArgument,
    BadPattern,
    IndexFault,
    NotAFile,
    PathOutsideProject,
    ToolTimeout,
    UnknownChunk,
)
from codeintel_index.index import Index
from codeintel_index.mcp.answers import bounded
from codeintel_index.mcp.stdio import answered_stdio, end_with_parent
from codeintel_index.mcp.tool import ToolFunction, as_call_result

INSTRUCTIONS = (
    "Looks at one project's code. find_definitions and find_references for names, search_text for text, "
    "semantic_search for questions, analyze_impact before a change. Paths are relative to the project."
)
TOOLS: dict[str, ToolFunction] = {
    tool.name: tool
    for tool in (
        ToolFunction(tools.search_text),
        ToolFunction(tools.search_files),
        ToolFunction(tools.find_definitions),
        ToolFunction(tools.find_references),
        ToolFunction(tools.get_symbols),
        ToolFunction(tools.analyze_structure),
        ToolFunction(tools.get_function_at_line),
        ToolFunction(tools.read_lines),
        ToolFunction(tools.semantic_search),
        ToolFunction(tools.fetch_chunk_detail),
        ToolFunction(tools.analyze_impact),
    )
}
CLOSE_WAIT_S = 2.0
TRUNCATED = "The reply was too long and its lists are truncated. Ask for less."
NEXT_STEPS: dict[type[IndexFault], tuple[str, str]] = {
    PathOutsideProject: ("path_outside_project", "Pass a path inside the project."),
    NotAFile: ("not_a_file", "Find paths with search_files."),
    BadPattern: ("bad_pattern", "Correct it, or pass fixed true if it is plain text."),
    BadArgument: ("invalid_arguments", "Correct it and call again."),
    ArgumentsRefused: ("invalid_arguments", "Correct them and call again."),
    UnknownChunk: ("unknown_chunk", "Search again."),
    ToolTimeout: ("tool_timeout", "Narrow the search with path or glob."),
}
"""For each fault its code and what to do about it; any other fault is `index_unavailable`."""


class IndexServer(MCPServer[None]):
    """The server over one index."""

    def __init__(self, index: Index, version: str) -> None:
        super().__init__("code-index", version=version, instructions=INSTRUCTIONS, log_level="WARNING")
        self._index = index

    async def run_stdio_async(self) -> None:
        """Serve on stdin and stdout; unlike the SDK's own way, a line that cannot be parsed is answered too."""
        async with answered_stdio() as (read, write):
            lowlevel = self._lowlevel_server
            await lowlevel.run(read, write, lowlevel.create_initialization_options())

    async def list_tools(self) -> list[ListedTool]:
        """The rows of `TOOLS`."""
        return [tool.listing() for tool in TOOLS.values()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool on a worker thread; a cancelled call is abandoned, so the loop and the exit never wait."""
        reply = await anyio.to_thread.run_sync(call, self._index, name, arguments, abandon_on_cancel=True)
        return as_call_result(reply)


def call(index: Index, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool by name. `success` tells how it went."""
    tool = TOOLS.get(name)
    if tool is None:
        return _refusal("unknown_tool", f"there is no tool {name[:80]!r}; known are {', '.join(TOOLS)}")
    try:
        tool.check_form(arguments)
        result = tool.function(index, **tool.read_arguments(arguments))
    except IndexFault as fault:
        code, step = next(
            (NEXT_STEPS[kind] for kind in type(fault).__mro__ if kind in NEXT_STEPS), ("index_unavailable", "")
        )
        return _refusal(code, f"{fault}. {step}".strip())
    return bounded({"success": True, **result.data}, TRUNCATED)


def _refusal(code: str, message: str) -> dict[str, Any]:
    return {"success": False, "error": code, "message": message}


def serve(root: Path, version: str) -> None:
    """Serve the project at `root` on stdio until the client goes. Blocks."""
    index = Index.open(root)
    end_with_parent(lambda: _leave(index))
    try:
        IndexServer(index, version).run("stdio")
    finally:
        _leave(index)


def _leave(index: Index) -> None:
    """Close the index and go: neither threads of abandoned calls nor a long sync must keep the process."""
    closing = threading.Thread(target=index.close, daemon=True)
    closing.start()
    closing.join(CLOSE_WAIT_S)
    os._exit(0)
