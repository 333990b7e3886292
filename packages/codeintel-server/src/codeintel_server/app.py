"""The MCP server: the registry's rows as tools, the skill as a prompt, prompts as resources, a guard around it all.

Everything behind the first reply is imported when it is needed: a client waits for that reply.

`list_tools` and `call_tool` are overridden so that one table gives both the schema a client sees and
the model its arguments are checked with, and so that unknown arguments are refused by name.
"""

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio.from_thread
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.types import CallToolResult, InputRequiredResult, Resource, TextContent
from mcp.types import Tool as ListedTool

from codeintel_server import __version__
from codeintel_server.asking import ask, can_ask
from codeintel_server.host import Host

if TYPE_CHECKING:
    from codeintel_server.tools.types import Progress
    from codeintel_session.questions import Answer

INSTRUCTIONS = (
    "Call start_session with the user's request, follow the instruction of each reply, hand it in with "
    "submit_phase, until the phase is SESSION_COMPLETE. get_session_status tells where you are."
)

LONG = frozenset({"sync_index", "run_verifier"})
"""Tools that may take minutes: a client is told that they go on, and one that gives up ends them."""


class CodeIntelServer(MCPServer[None]):
    """The server over one `Host`."""

    def __init__(self, host: Host) -> None:
        super().__init__("code-intel", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
        self._host = host
        self.prompt(name="code", description="Work on a task with codeintel")(_code_prompt)

    async def list_tools(self) -> list[ListedTool]:
        """The rows of the registry."""
        from codeintel_server.registry import TOOLS

        return [tool.listing() for tool in TOOLS.values()]

    async def list_resources(self) -> list[Resource]:
        """The prompts of the project."""
        from codeintel_server.prompts import paths_of, uri_of

        paths = await anyio.to_thread.run_sync(paths_of, self._host.library())
        return [Resource(uri=uri_of(path), name=path, mime_type="text/markdown") for path in paths]

    async def read_resource(
        self, uri: Any, context: Context[None, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """A prompt of the project."""
        from codeintel_server.prompts import text_of

        text = await anyio.to_thread.run_sync(text_of, self._host.library(), str(uri))
        if text is None:
            raise ResourceNotFoundError(f"no resource {uri}")
        return [ReadResourceContents(content=text, mime_type="text/markdown")]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool on a worker thread; a cancelled call is abandoned, so the loop and the exit never wait.

        One that may take minutes is told so and ends by itself.
        """
        answer: Answer | None = None
        if name == "submit_phase" and context is not None and can_ask(context):
            question = await anyio.to_thread.run_sync(self._host.question, arguments, abandon_on_cancel=True)
            asked = await ask(context, *question) if question else None
            if isinstance(asked, InputRequiredResult):
                return asked
            answer = asked
        over = threading.Event()
        handed: dict[str, object] = {"answer": answer}
        if name in LONG:
            handed |= {"progress": _progress_of(context) if context else None, "stopped": over.is_set}
        try:
            return await anyio.to_thread.run_sync(self._run, name, arguments, handed, abandon_on_cancel=True)
        finally:
            over.set()

    def _run(self, name: str, arguments: dict[str, Any], handed: dict[str, object]) -> CallToolResult:
        from codeintel_server.guarded import call

        return _result(call(self._host, name, arguments, **handed))


def _progress_of(context: Context[None, Any]) -> "Progress":
    """Tells a client that asked for it how far a tool has come, from the tool's own thread."""

    def tell(done: int, total: int) -> None:
        # The work goes on, whether or not there is still someone to be told.
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.RunFinishedError):
            anyio.from_thread.run(context.report_progress, done, total)

    return tell


def _result(reply: dict[str, Any]) -> CallToolResult:
    """One compact JSON, as text and as structuredContent: clients show the model one or the other."""
    text = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
    safe = text.encode("utf-8", "replace").decode()  # names that are not UTF-8 cannot travel as they are
    return CallToolResult(
        content=[TextContent(type="text", text=safe)],
        structured_content=reply if safe == text else json.loads(safe),
        is_error=reply.get("success") is False,
    )


def _code_prompt(request: str = "") -> str:
    """The text of the /code skill, and what it is to be done for where the client hands that on."""
    from codeintel_templates import texts

    text = texts.body(texts.SKILL)
    return f"{text}\n## The request\n\n{request}\n" if request.strip() else text
