"""Helpers for tests of the server: a client connected in memory, and replies read."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.types import Implementation

from codeintel_contract import GATE_FILE, Gate, WritePolicy, load_contract
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.mcp.app import CodeIntelServer
from codeintel_server.project.host import Host

if TYPE_CHECKING:
    import pytest


def write_gate(root: Path, policy: WritePolicy, pid: int | None = None) -> Path:
    """Write the gate file of a session `s1`, by default one of this process; returns its path."""
    words = {key: message.message for key, message in load_contract(None).messages.items()}
    path = root / GATE_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    document = Gate("s1", os.getpid() if pid is None else pid, policy, words).dump()
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8", errors="surrogatepass")
    return path


GUARDED = """
 src/a.py src/b.py src/c.py src/b.js build/out.o docs/guide.md README.md package.json pyproject.toml Cargo.toml
go.mod Gemfile Pipfile composer.json tsconfig.json setup.cfg Makefile CMakeLists.txt BUILD data.json data.yml
data.xml data.toml data.sql a.css run.sh default.nix main.go main.rs main.c main.rb main.php main.swift main.ex
main.tf main.lua main.dart Main.kt Main.java Main.scala .claude/settings.json .mcp.json
"""
"""The files of a project to try the guard on; `build/` is ignored."""


def make_guarded(root: Path) -> Path:
    """Make a repository with `GUARDED` committed and `build/` ignored; returns its root."""
    git = ["git", "-C", str(root), "-c", "user.name=Guard", "-c", "user.email=guard@example.org"]
    for name in GUARDED.split():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n")
    (root / ".gitignore").write_text("build/\n.code-intel/\nnode_modules/\n.venv/\ndist/\n*.pyc\n.env\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *words], check=True)
    return root


def guarded_work(is_open: bool = True, **said: Any) -> WritePolicy:
    """Return a policy for that project: src/a.py explored, src/planned.py planned; what is `said` replaces a part."""
    policy = {
        "phase": "READY (implement)" if is_open else "EXPLORATION",
        "is_open": is_open,
        "explored": ["src/a.py"],
        "folders": ["src"],
        "plan": ["Make src/planned.py"],
    }
    return WritePolicy(**{**policy, **said})


def command_lines(path: Path) -> list[str]:
    """Return the command lines of a file, one a line; `\\n` in it is a new line, `# ` begins a heading."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n\\t", "\n\t").replace("\\n", "\n") for line in lines if not line.startswith("# ")]


def own_world(environment: "pytest.MonkeyPatch", state: Path) -> None:
    """No configuration of the machine reaches a test, and none of a test reaches the machine.

    No folder of Chroma follows the index: each would start a process that imports Chroma.
    """
    for name in [name for name in os.environ if name.startswith(("GIT_", "CODEINTEL_", "CLAUDE_"))]:
        environment.delenv(name)
    environment.setenv("CODEINTEL_CHROMA_MODE", "off")
    environment.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    environment.setenv("GIT_CONFIG_NOSYSTEM", "1")
    environment.setenv("XDG_STATE_HOME", str(state))
    home = state / "home"
    home.mkdir(parents=True, exist_ok=True)
    for name in ("HOME", "USERPROFILE"):
        environment.setenv(name, str(home))


def install_programs(environment: "pytest.MonkeyPatch", folder: Path) -> None:
    """Put our programs into a folder that is first on PATH, as an installation does: a client finds them there."""
    folder.mkdir(exist_ok=True)
    for name in ("codeintel", "codeintel-guard", "codeintel-index"):
        if not (folder / name).exists():
            (folder / name).symlink_to(Path(sys.executable).parent / name)
    environment.setenv("PATH", str(folder), prepend=os.pathsep)


class Caller:
    """Calls tools and reads their answers, checking that both forms of an answer agree."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; returns its answer."""
        return await self.call(tool, arguments)

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool with arguments that Python could not spell."""
        result = await self.client.call_tool(tool, arguments)
        text = getattr(result.content[0], "text", "")
        reply: dict[str, Any] = json.loads(text)
        assert reply == result.structured_content
        assert result.is_error == (reply["success"] is False)
        return reply


@asynccontextmanager
async def in_memory(
    root: Path,
    mode: Literal["auto", "legacy"] = "auto",
    user: ElicitationFnT | None = None,
    also: tuple[Path, ...] = (),
    name: str = "mcp",
) -> AsyncIterator[Caller]:
    """A server on `root` and a client of it in one process; closed at the end.

    `user` answers what is asked, `name` is what the client calls itself.
    """
    host, info = Host(root, also=also), Implementation(name=name, version="1")
    try:
        server = CodeIntelServer(host)
        async with Client(server, mode=mode, elicitation_callback=user, client_info=info) as client:
            yield Caller(client)
    finally:
        host.close()


async def play_to(call: Caller, change: Change, step: int, **settings: Any) -> Player:
    """Have the scripted agent play a session up to a step; `settings` are those of its `Script`."""
    player = Player(call.client, change, Script(stop_before=step, **settings))
    await player.play()
    assert player.reply["step"] == step
    return player


_SERVE = [sys.executable, "-m", "codeintel_server", "serve"]
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
ANSWER_S = 60


class Wire:
    """A server process and the lines that go to and fro."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [*_SERVE, *options], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._early: list[dict[str, Any]] = []
        self._number = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.answer(self.request("initialize", json.dumps(_HELLO)))
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(json.loads(line))

    def send(self, line: bytes) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: str) -> int:
        """Send a request whose parameters are any text; returns its id."""
        self._number += 1
        line = f'{{"jsonrpc":"2.0","id":{self._number},"method":"{method}","params":{params}}}'
        self.send(line.encode("utf-8", "surrogatepass"))
        return self._number

    def call(self, tool: str, arguments: str) -> int:
        """Call a tool with arguments of any text; returns the id of the request."""
        return self.request("tools/call", f'{{"name":{json.dumps(tool)},"arguments":{arguments}}}')

    def answer(self, request: int | str | None) -> dict[str, Any]:
        """Wait for the answer to a request; raises queue.Empty if there is none."""
        for known in self._early:
            if known.get("id") == request:
                self._early.remove(known)
                return known
        while True:
            found = self._answers.get(timeout=ANSWER_S)
            if found.get("id") == request and "method" not in found:
                return found
            self._early.append(found)

    def close(self) -> None:
        """Leave, and wait until the server has ended."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
