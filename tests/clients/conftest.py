"""A model on loopback that says what a test tells it to, so that the real clients run without network or account.

It speaks the two interfaces that Claude Code and Codex use. What it is to do is a list of tool calls, made one after
another: how many were made it reads off the conversation it is sent, as a real model would.
"""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from codeintel_session.testing import make_repo
from codeintel_templates import apply, plan

Call = tuple[str, Any]
Events = list[tuple[str, dict[str, Any]]]


@dataclass
class ScriptedModel:
    """Makes `calls` (a tool's name and its input) in turn, then says it is done. `heard` is what it was sent."""

    calls: list[Call] = field(default_factory=list)
    heard: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    def results(self) -> str:
        """Everything the client told the model so far, as text."""
        return json.dumps(self.heard, ensure_ascii=False)

    def messages(self, body: dict[str, Any]) -> Events:
        """The events of Anthropic's interface."""
        blocks = [block for message in body["messages"] for block in _listed(message["content"])]
        call = self._next(sum(block.get("type") == "tool_result" for block in blocks), bool(body.get("tools")))
        made = {"type": "tool_use", "id": f"toolu_{len(self.heard)}", "name": call[0], "input": {}} if call else None
        block = made or {"type": "text", "text": ""}
        text = {"type": "text_delta", "text": "done"}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])} if call else text
        usage = {"input_tokens": 1, "output_tokens": 1}
        head = {"id": "msg", "type": "message", "role": "assistant", "model": body["model"], "content": []}
        return [
            ("message_start", {"message": {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}}),
            ("content_block_start", {"index": 0, "content_block": block}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": "tool_use" if call else "end_turn"}, "usage": usage}),
            ("message_stop", {}),
        ]

    def responses(self, body: dict[str, Any]) -> Events:
        """The events of OpenAI's interface. A name `a/b` is tool b of the namespace a."""
        call = self._next(sum(str(item.get("type")).endswith("_call_output") for item in body["input"]), True)
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        item: dict[str, Any] = {"type": "message", "role": "assistant", "id": "m"}
        item["content"] = [{"type": "output_text", "text": "done"}]
        if call:
            space, _, name = call[0].rpartition("/")
            item = {
                "call_id": f"c{len(self.heard)}",
                "id": "i",
                "name": name,
                **({"namespace": space} if space else {}),
            }
            free = isinstance(call[1], str)
            item |= {"type": "custom_tool_call", "input": call[1]} if free else {"type": "function_call"}
            item |= {} if free else {"arguments": json.dumps(call[1])}
        return [
            ("response.created", {"response": {"id": "r"}}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": {"id": "r", "usage": usage}}),
        ]

    def _next(self, made: int, able: bool) -> Call | None:
        return self.calls[made] if able and made < len(self.calls) else None


def _listed(content: object) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """The model, listening for as long as the test runs."""
    scripted = ScriptedModel()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            scripted.heard.append(body)
            answers: dict[str, Callable[[dict[str, Any]], Events]]
            answers = {"/v1/messages": scripted.messages, "/v1/responses": scripted.responses}
            answer = answers.get(self.path.partition("?")[0])
            events = answer(body) if answer else []
            lines = (f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in events)
            self.send_response(200 if answer else 404)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(lines).encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scripted.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield scripted
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository that was set up for every client."""
    root = make_repo(tmp_path / "project", {"src/app.py": "def add(a, b):\n    return a + b\n"}).root
    apply(plan(root, clients=["all"]))
    return root
