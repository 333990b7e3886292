"""Helpers for tests of the server: a client connected in memory, and replies read."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

from mcp import Client
from mcp.client.session import ElicitationFnT

from codeintel_server.app import CodeIntelServer
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.host import Host


class Environment(Protocol):
    """What `own_world` needs of pytest's monkeypatch."""

    def delenv(self, name: str, raising: bool = True) -> None:
        """Take a variable away."""

    def setenv(self, name: str, value: str, prepend: str | None = None) -> None:
        """Set a variable."""


def own_world(environment: Environment, state: Path) -> None:
    """No configuration of the machine reaches a test, and none of a test reaches the machine."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "CODEINTEL_", "CLAUDE_"))]:
        environment.delenv(name)
    environment.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    environment.setenv("GIT_CONFIG_NOSYSTEM", "1")
    environment.setenv("XDG_STATE_HOME", str(state))


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
    root: Path, mode: Literal["auto", "legacy"] = "auto", user: ElicitationFnT | None = None
) -> AsyncIterator[Caller]:
    """A server on `root` and a client of it in one process; closed at the end. `user` answers what is asked."""
    host = Host(root)
    try:
        async with Client(CodeIntelServer(host), mode=mode, elicitation_callback=user) as client:
            yield Caller(client)
    finally:
        host.close()


async def play_to(call: Caller, change: Change, step: int, **settings: Any) -> Player:
    """Have the scripted agent play a session up to a step; `settings` are those of its `Script`."""
    player = Player(call.client, change, Script(stop_before=step, **settings))
    await player.play()
    assert player.reply["step"] == step
    return player
