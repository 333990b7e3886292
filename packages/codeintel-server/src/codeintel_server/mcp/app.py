"""The MCP server: the registry's rows as tools, the skill as a prompt, prompts as resources, a guard around it all.

Everything behind the first reply is imported when it is needed: a client waits for that reply.

`list_tools` and `call_tool` are overridden so that one table gives both the schema a client sees and
the model its arguments are checked with, and so that unknown arguments are refused by name.
"""

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
from mcp.types import CallToolResult, InputRequiredResult, Resource, Tool as ListedTool

from codeintel_server import __version__
from codeintel_server.mcp.elicitation import ask, can_ask
from codeintel_server.project.host import Host

if TYPE_CHECKING:
    from codeintel_server.mcp.dispatch import Question
    from codeintel_server.verification.runner import Progress
    from codeintel_session import Row

INSTRUCTIONS = (
    "Call start_session with the user's request, follow the instruction of each reply, hand it in with "
    "submit_phase, until the phase is SESSION_COMPLETE. get_session_status tells where you are."
)

KNOWS_CLIENT = frozenset({"start_session", "cleanup_stale_branches"})
"""Tools that compare their arguments with what the user typed to this client."""
ASKS_FIRST = KNOWS_CLIENT | {"submit_phase"}
"""Tools whose arguments may hold what only the user can decide."""
LONG = frozenset({"sync_index", "run_verifier", "submit_phase"})
"""Tools that may take minutes: they report progress to the client, and stop if it cancels the call."""


class CodeIntelServer(MCPServer[None]):
    """The server over one `Host`."""

    def __init__(self, host: Host) -> None:
        super().__init__("code-intel", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
        self._host = host
        self.prompt(name="code", description="Work on a task with codeintel")(_code_prompt)

    async def run_stdio_async(self) -> None:
        """Serve on stdin and stdout; unlike the SDK's own way, a line that cannot be parsed is answered too."""
        from codeintel_index.mcp import answered_stdio

        async with answered_stdio() as (read, write):
            lowlevel = self._lowlevel_server
            await lowlevel.run(read, write, lowlevel.create_initialization_options())

    async def list_tools(self) -> list[ListedTool]:
        """The rows of the registry."""
        from codeintel_server.mcp.registry import TOOLS

        return [tool.listing() for tool in TOOLS.values()]

    async def list_resources(self) -> list[Resource]:
        """The prompts of the project."""
        from codeintel_server.mcp.prompts import paths_of, uri_of

        paths = await anyio.to_thread.run_sync(paths_of, self._host.library())
        return [Resource(uri=uri_of(path), name=path, mime_type="text/markdown") for path in paths]

    async def read_resource(
        self, uri: Any, context: Context[None, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """A prompt of the project."""
        from codeintel_server.mcp.prompts import text_of

        text = await anyio.to_thread.run_sync(text_of, self._host.library(), str(uri))
        if text is None:
            raise ResourceNotFoundError(f"no resource {uri}")
        return [ReadResourceContents(content=text, mime_type="text/markdown")]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool on a worker thread; a cancelled call is abandoned, so the loop and the exit never wait.

        One that may take minutes learns this and ends by itself.
        """
        client = _client_name(context)
        handed: dict[str, object] = {"client": client} if name in KNOWS_CLIENT else {}
        if name in ASKS_FIRST and context is not None and can_ask(context):
            handed["row"], question = await anyio.to_thread.run_sync(
                self._question_before, name, arguments, client, abandon_on_cancel=True
            )
            asked = await ask(context, *question) if question else None
            if isinstance(asked, InputRequiredResult):
                return asked
            handed["answer"] = asked
        over = threading.Event()
        if name in LONG:
            handed |= {"progress": _progress_of(context) if context else None, "stopped": over.is_set}
        try:
            return await anyio.to_thread.run_sync(self._run, name, arguments, handed, abandon_on_cancel=True)
        finally:
            over.set()

    def _question_before(
        self, name: str, arguments: dict[str, Any], client: str
    ) -> "tuple[Row | None, Question | None]":
        from codeintel_server.mcp.dispatch import question_before

        return question_before(self._host, name, arguments, client)

    def _run(self, name: str, arguments: dict[str, Any], handed: dict[str, object]) -> CallToolResult:
        from codeintel_index.mcp import as_call_result
        from codeintel_server.mcp.dispatch import call

        return as_call_result(call(self._host, name, arguments, **handed))


def _client_name(context: Context[None, Any] | None) -> str:
    """Return the name that the client gave itself when it connected, "" if it gave none."""
    params = context.session.client_params if context is not None else None
    return str(params.client_info.name) if params is not None else ""


def _progress_of(context: Context[None, Any]) -> "Progress":
    """Tells a client that asked for it how far a tool has come, from the tool's own thread."""

    def tell(done: int, total: int) -> None:
        # The work continues, even if no client listens any more.
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.RunFinishedError):
            anyio.from_thread.run(context.report_progress, done, total)

    return tell


def _code_prompt(request: str = "") -> str:
    """Return the text of the /code skill, with the request if the client passes one."""
    from codeintel_templates import SKILL, template_body

    text = template_body(SKILL)
    return f"{text}\n## The request\n\n{request}\n" if request.strip() else text
