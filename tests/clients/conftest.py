"""A model on loopback that says what a test tells it to, so that the real clients run without network or account.

It speaks the interfaces that the clients use: Anthropic's, OpenAI's two, and Gemini's. What it is to do is a list of
tool calls, made one after another: how many were made it reads off the conversation it is sent, as a real model would.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import find_change
from codeintel_server.testing import in_memory
from codeintel_session.testing import make_repo
from codeintel_templates import apply, find_client, plan

Call = tuple[str, Any]
Events = list[tuple[str, dict[str, Any]]]
Run = Callable[..., str]
SOURCES = {"src/app.py": "def add(a, b):\n    return a + b\n"}
NAMES = ("claude", "codex", "gemini", "qwen")
PROGRAMS = {name: os.environ.get(f"CODEINTEL_TRY_{name.upper()}", "") for name in NAMES}
"""Read here: no test sees variables of this prefix."""


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

    def completions(self, body: dict[str, Any]) -> Events:
        """The chunks of OpenAI's older interface, which have no names."""
        made = sum(message["role"] == "tool" for message in body["messages"])
        call = self._next(made, bool(body.get("tools")))
        delta: dict[str, Any] = {"role": "assistant", "content": None if call else "done"}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            delta["tool_calls"] = [{"index": 0, "id": f"c{len(self.heard)}", "type": "function", "function": function}]
        head = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}
        return [
            ("", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
            ("", {**head, "choices": [end], "usage": usage}),
        ]

    def contents(self, body: dict[str, Any]) -> Events:
        """The one chunk of Gemini's interface."""
        parts = [part for content in body["contents"] for part in content.get("parts", ())]
        call = self._next(sum("functionResponse" in part for part in parts), bool(body.get("tools")))
        said = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"content": {"role": "model", "parts": [said]}, "finishReason": "STOP", "index": 0}
        return [("", {"candidates": [candidate], "usageMetadata": usage})]

    def answer(self, path: str, body: dict[str, Any]) -> Events | None:
        """Answer a request, None for a path that it does not serve."""
        if path.endswith(":streamGenerateContent"):
            return self.contents(body)
        answers = {
            "/v1/messages": self.messages,
            "/v1/responses": self.responses,
            "/v1/chat/completions": self.completions,
        }
        return answers[path](body) if path in answers else None

    def _next(self, made: int, able: bool) -> Call | None:
        return self.calls[made] if able and made < len(self.calls) else None


def _listed(content: object) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _line(event: tuple[str, dict[str, Any]]) -> str:
    name, data = event
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" if name else f"data: {json.dumps(data)}\n\n"


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
            events = scripted.answer(self.path.partition("?")[0], body)
            lines = map(_line, events or ())
            self.send_response(404 if events is None else 200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(lines).encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scripted.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))  # seconds until it sees that it ends
    thread.start()
    yield scripted
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository that was set up for every client."""
    make = {"make.py": 'open("src/app.py", "a").write("x = 1")'}
    root = make_repo(tmp_path / "project", SOURCES | make).root
    apply(plan(root, clients=["all"]))
    return root


@pytest.fixture
def bare_project(tmp_path: Path) -> Path:
    """A repository without any file of ours."""
    return make_repo(tmp_path / "project", SOURCES).root


class Recorder:
    """Keeps the calls of a player."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def called(self, tool: str, arguments: dict[str, Any], reply: dict[str, Any]) -> None:
        self.calls.append((tool, arguments))

    def note(self, text: str) -> None: ...


@pytest.fixture
async def question(tmp_path: Path) -> list[tuple[str, Any]]:
    """The calls of a session that answers a question, as they were made in a copy of the project."""
    copy, recorder = make_repo(tmp_path / "copy", SOURCES).root, Recorder()
    async with in_memory(copy) as call:
        script = Script(intent="QUESTION", flags={"only_explore": True})
        end = await Player(call.client, find_change(copy), script, recorder).play()
    assert end["phase"] == "SESSION_COMPLETE"
    return recorder.calls


def environment(home: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a client with a home of its own, in which our programs are on PATH."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        **variables,
    }


FILES_SERVER = """
from pathlib import Path
from mcp.server.mcpserver import MCPServer
server = MCPServer("fs")
@server.tool()
def write_file(path: str, text: str) -> str:
    Path(path).write_text(text)
    return "written"
server.run()
"""


@pytest.fixture
def files_server(project: Path, tmp_path: Path) -> Callable[[str], None]:
    """Enter another server, `fs`, whose tool writes files, beside ours in a client's configuration."""
    script = tmp_path / "files_server.py"
    script.write_text(FILES_SERVER, encoding="utf-8")

    def enter(client: str) -> None:
        file, known = project / find_client(client).entry_file, find_client(client).entry_keys[0]
        settings = json.loads(file.read_text(encoding="utf-8"))
        ours = settings[known]["code-intel"]
        start = [sys.executable, str(script)]
        is_list = isinstance(ours["command"], list)
        settings[known]["fs"] = {
            **ours,
            **({"command": start} if is_list else {"command": start[0], "args": start[1:]}),
        }
        file.write_text(json.dumps(settings), encoding="utf-8")

    return enter


@pytest.fixture
def run_client(project: Path, tmp_path: Path) -> Run:
    """Run a client in the project, with a home of its own and more variables; returns what it printed."""

    def run(words: Sequence[str], variables: Mapping[str, str]) -> str:
        done = subprocess.run(
            words,
            cwd=project,
            env=environment(tmp_path, variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


def program(name: str) -> str:
    """Return the program of a client; skip the test where none is named."""
    if not PROGRAMS[name]:
        pytest.skip(f"CODEINTEL_TRY_{name.upper()} names no {name} to try")
    return PROGRAMS[name]


@pytest.fixture
def claude(run_client: Run, model: ScriptedModel) -> Run:
    """Run claude in the project; returns what it printed."""
    words = [program("claude")]
    variables = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",  # or the first turn may come before the server on a busy machine
        "MCP_CONNECT_TIMEOUT_MS": "60000",
    }
    return lambda *more: run_client([*words, *more], variables)


@pytest.fixture
def gemini(run_client: Run, tmp_path: Path, model: ScriptedModel) -> Run:
    """Run gemini in the project, which it trusts; returns what it printed."""
    words = [program("gemini")]
    (tmp_path / ".gemini").mkdir()
    settings = '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
    (tmp_path / ".gemini/settings.json").write_text(settings, encoding="utf-8")
    variables = {
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    }
    return lambda *more: run_client([*words, *more], variables)


@pytest.fixture
def qwen(run_client: Run, model: ScriptedModel) -> Run:
    """Run qwen in the project; returns what it printed."""
    words = [program("qwen")]
    variables = {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "m"}
    return lambda *more: run_client([*words, *more], variables)


CODEX_CONFIG = """
model_provider = "fake"
model = "gpt-5.6-sol"
mcp_optional_startup_grace_ms = 60000
[projects."PROJECT"]
trust_level = "trusted"
[model_providers.fake]
name = "fake"
base_url = "URL/v1"
wire_api = "responses"
"""


@pytest.fixture
def start_codex(project: Path, tmp_path: Path, model: ScriptedModel) -> Callable[..., "subprocess.Popen[str]"]:
    """Start codex in the project, which it trusts."""
    words, home = [program("codex")], tmp_path / "codex"
    home.mkdir()
    config = CODEX_CONFIG.replace("PROJECT", str(project)).replace("URL", model.url)
    (home / "config.toml").write_text(config, encoding="utf-8")
    given = environment(tmp_path, {"CODEX_HOME": str(home)})
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return lambda *more: subprocess.Popen([*words, *more], cwd=project, env=given, text=True, **pipes)


@pytest.fixture
def codex(start_codex: Callable[..., "subprocess.Popen[str]"]) -> Run:
    """Run codex to its end; returns what it printed."""

    def run(*words: str) -> str:
        with start_codex(*words) as process:
            said, _ = process.communicate(timeout=240)
        assert process.returncode == 0, said
        return said

    return run
