"""A server killed at every step of a session, twice each: it goes on where it stood, and nothing is done twice."""

import json
import os
import random
import signal
from collections import Counter
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


async def visit(repo: Path, change: Change, kills: int, delay: float) -> int:
    """Resume and work at one step: the first visit is killed idle, the second midway. 20 is the end."""
    step = 20
    try:
        async with connected(repo) as client:
            caller = KilledMidway(client, repo, delay) if kills == 1 else client
            player = Player(caller, change, Script())
            player.reply = await player.tool("get_session_status")
            if not player.reply["success"]:
                return step
            step = player.reply["step"]
            player.written = int(step > 12)
            if kills == 0:
                kill_server(repo)
            await player.one_step()
    except* (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        pass  # what a client sees of a server that is gone
    return step


@pytest.mark.slow
async def test_a_session_survives_a_kill_at_every_step_twice(repo: Path, git: Callable[..., str]) -> None:
    chance, change = random.Random(20261121), find_change(repo)
    async with connected(repo) as client:
        await Player(client, change, Script(stop_before=STEPS[0])).play()
    visits: Counter[int] = Counter()
    step = STEPS[0]
    while step != 20:
        step = await visit(repo, change, visits[step], chance.uniform(0, MAX_DELAY_S))
        visits[step] += 1
        assert visits[step] <= 4, f"no progress: {visits}"
    assert sorted(visits) == [*STEPS, 20]
    assert git(repo, "branch", "--list") == "* main"
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "diff", "--name-only", "main~1", "main") == "src/stats.py"
    trailers = git(repo, "log", "--format=%(trailers:key=Code-Intel-Session,valueonly)").split()
    assert len(trailers) == 2, "one commit and one merge, whatever was killed"
