"""A session played over stdio by the SDK's own client."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import connected, find_change

Play = Callable[..., Awaitable[tuple[Player, dict[str, Any]]]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def mode() -> str:
    """The era of the protocol; a test of both overrides it."""
    return "auto"


@pytest.fixture
def play(repo: Path, mode: str) -> Play:
    """Play a script on the repository from the first call to where it ends; returns player and last reply."""

    async def run(script: Script | None = None, **settings: Any) -> tuple[Player, dict[str, Any]]:
        async with connected(repo, mode) as client:  # type: ignore[arg-type]
            assert client.protocol_version == ("2026-07-28" if mode == "auto" else "2025-11-25")
            player = Player(client, find_change(repo), script or Script(**settings))
            return player, await player.play()

    return run
