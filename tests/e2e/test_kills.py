"""A server killed at every step of a session: it goes on where it stood, and nothing is done twice."""

import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError

from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import connected, find_change

pytestmark = pytest.mark.anyio

STEPS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19]
MAX_DELAY_S = 0.15
"""Long enough that kills fall before, into and after a submission."""


def kill_server(repo: Path) -> None:
    holder = json.loads((repo / ".code-intel/sessions/session.holder.json").read_text(encoding="utf-8"))
    os.kill(holder["pid"], signal.SIGKILL)


class KilledMidway:
    """Hands calls through until the submission, then kills the server a moment into it."""

    def __init__(self, client: Any, repo: Path, delay: float) -> None:
        self.client, self.repo, self.delay = client, repo, delay

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        if name != "submit_phase":
            return await self.client.call_tool(name, arguments)
        async with anyio.create_task_group() as group:
            group.start_soon(self._kill_soon)
            return await self.client.call_tool(name, arguments)

    async def _kill_soon(self) -> None:
        await anyio.sleep(self.delay)
        kill_server(self.repo)


async def visit(repo: Path, change: Change, killed: set[int], delay: float) -> bool:
    """Resume and work on to the first step at which no server was killed yet: this one is, amid its submission.

    Returns True if the session has ended.
    """
    try:
        async with connected(repo) as client:
            for _ in STEPS:
                player = Player(client, change, Script())
                player.reply = await player.tool("get_session_status")
                if not player.reply["success"]:
                    return True
                step = player.reply["step"]
                if step not in killed:
                    killed.add(step)
                    player.client = KilledMidway(client, repo, delay)  # type: ignore[assignment]
                player.written = int(step > 12)
                await player.one_step()
    except* (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        pass  # what a client sees of a server that is gone
    return False


@pytest.mark.slow
async def test_a_session_survives_a_kill_in_every_submission(repo: Path, git: Callable[..., str]) -> None:
    chance, change = random.Random(20261121), find_change(repo)
    async with connected(repo) as client:
        await Player(client, change, Script(stop_before=STEPS[0])).play()
    killed: set[int] = set()
    visits = 0
    while not await visit(repo, change, killed, chance.uniform(0, MAX_DELAY_S)):
        visits += 1
        assert visits <= len(STEPS) + 2, f"no progress: {killed}"
    assert sorted(killed) == STEPS
    assert git(repo, "branch", "--list") == "* main"
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "diff", "--name-only", "main~1", "main") == "src/stats.py"
    trailers = git(repo, "log", "--format=%(trailers:key=Code-Intel-Session,valueonly)").split()
    assert len(trailers) == 2, "one commit and one merge, whatever was killed"
