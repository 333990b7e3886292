"""What `/code` with a request does, without a model: the scripted agent plays a session in the folder it stands in."""

from pathlib import Path

import anyio

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import connected, find_change


async def main() -> None:
    """Play one session to its end, with the project's own tests run by the server."""
    root = Path.cwd()
    async with connected(root) as client:
        end = await Player(client, find_change(root), Script(answers=False, verifier="tests.md")).play()
    if end.get("phase") != "SESSION_COMPLETE":
        raise SystemExit(str(end))


anyio.run(main)
