"""Read requests from stdin so that each of them gets an answer, whatever the line holds.

The SDK drops a line that its parser refuses: half a surrogate pair, data nested 200 deep, a number of 5,000 digits. The
client then waits for an answer that never comes. Here the id is looked for in the line itself, and an error is sent to
it. A line is held in memory up to the size of an HTTP request and read past that.

A client that closes stdin ends the run in the ordinary way. One that was killed may leave stdin open in another
process, so the parent is watched as well.
"""

import os
import re
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, BinaryIO, Protocol, cast

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

LINE_BYTES = 4 * 1024 * 1024
TAIL_BYTES = 4096
WATCH_EVERY_S = 1.0
_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)"?|([{}\[\]])', re.DOTALL)
_COLON = re.compile(rb"\s*:\s*")
_ID = re.compile(rb'(-?\d{1,18})(?![\d.eE])|"([^"\\]{1,200})"')
_AT_THE_END = re.compile(
    rb'[,{]\s*"id"\s*:\s*(?:(-?\d{1,18})|"([^"\\]{1,200})")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$'
)
"""The id of a line whose beginning and end alone were kept: some clients write it last."""


class Answers(Protocol):
    """Where answers are sent."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send one message to the client."""


class Lines:
    """The lines of a stream, for the SDK to parse; those that it would drop are answered and left out."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.answers: Answers | None = None

    def __aiter__(self) -> "Lines":
        return self

    async def __anext__(self) -> str:
        """Return the next line that can be parsed."""
        while True:
            line, tail = await anyio.to_thread.run_sync(self._line, abandon_on_cancel=True)
            if not line:
                raise StopAsyncIteration
            if not (why := _fault(line, is_cut=tail is not None)):
                return line.decode("utf-8")
            if line.strip() and (answer := await self._refuse(line, tail or b"", why)):
                return answer

    def _line(self) -> tuple[bytes, bytes | None]:
        """Read a line; of a longer one than is read, the beginning and the end."""
        line = self._stream.readline(LINE_BYTES + 1)
        if len(line) <= LINE_BYTES:
            return line, None
        tail = part = line
        while part and not part.endswith(b"\n"):
            part = self._stream.readline(1 << 20)
            tail = (tail + part)[-TAIL_BYTES:]
        return line[:LINE_BYTES], tail

    async def _refuse(self, line: bytes, tail: bytes, why: str) -> str:
        """Answer a request; of a response, return what tells the waiting server that there is none."""
        keys = _outer_keys(line)
        error = types.ErrorData(code=types.PARSE_ERROR, message=f"The message cannot be read: {why}. Correct it.")
        refusal = types.JSONRPCError(jsonrpc="2.0", id=_id_in(keys, tail), error=error)
        if keys.keys() & {b"result", b"error"} and b"method" not in keys:
            return refusal.model_dump_json(by_alias=True, exclude_unset=True)
        assert self.answers is not None
        await self.answers.send(SessionMessage(refusal))
        return ""


def _fault(line: bytes, *, is_cut: bool) -> str:
    """Say why the SDK would drop a line or answer nothing to it; "" if it would not."""
    if is_cut:
        return f"it is longer than {LINE_BYTES} bytes"
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return _reason(error)
    if isinstance(message, types.JSONRPCNotification) and b"id" in _outer_keys(line):
        return "its id must be a text or a whole number"
    return ""


def _reason(error: ValidationError) -> str:
    """Say in one line what is wrong with a message; the parser's position in the line is of use, the rest is not."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] != "json_invalid":
        return "it is not a JSON-RPC 2.0 message"
    said = str(first["msg"]).removeprefix("Invalid JSON: ")
    if "hex escape" in said or "surrogate" in said:
        return f"half of a surrogate pair does not make a character ({said})"
    return f"it is nested too deeply ({said})" if "recursion" in said else f"it is not JSON ({said})"


def _outer_keys(line: bytes) -> dict[bytes, re.Match[bytes] | None]:
    """Find the keys of the outermost object, each with its value if that could be an id; the line may be any bytes."""
    found: dict[bytes, re.Match[bytes] | None] = {}
    depth = 0
    for token in _TOKEN.finditer(line):
        if bracket := token[2]:
            depth += 1 if bracket in b"{[" else -1
        elif depth == 1 and (colon := _COLON.match(line, token.end())):
            found[token[1]] = _ID.match(line, colon.end())
    return found


def _id_in(keys: dict[bytes, re.Match[bytes] | None], tail: bytes) -> types.RequestId | None:
    found = keys.get(b"id") or _AT_THE_END.search(tail)
    if found is None:
        return None
    return int(found[1]) if found[1] is not None else found[2].decode("utf-8", "replace")


@asynccontextmanager
async def answered_stdio() -> AsyncIterator[tuple[Any, Any]]:
    """Serve on stdin and stdout as the SDK does, with an answer to every line.

    What the server starts must not read the client's requests, so stdin is moved away from its descriptor.
    """
    stream = _own_stdin()
    lines = Lines(stream)
    async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (read, write):
        lines.answers = write  # the reader takes its first line at the next await
        yield read, write


def _own_stdin() -> BinaryIO:
    if sys.platform == "win32":  # every process is started there with a stdin of its own
        return sys.stdin.buffer
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return os.fdopen(own, "rb", closefd=False)


def end_with_parent(leave: Callable[[], None]) -> None:
    """Call `leave` on a thread of its own once the process that started this one is gone."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_EVERY_S)
        leave()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
