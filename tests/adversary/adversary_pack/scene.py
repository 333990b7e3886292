"""A stage set up: a repository, a server on stdio, agents that begin anew on the repository as it was."""

import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from codeintel_server.demo.stage import connected, find_change
from codeintel_session.testing import Repo

from . import repository
from .agent import Agent
from .snapshot import Snapshot
from .stages import Stage

COMMAND_S = 300  # what only a hanging command reaches, on a busy machine too
Payload = dict[str, Any]


class Scene:
    """What a cheat can reach: the repository, the connection, the agent of the running session."""

    def __init__(self, repo: Repo, stage: Stage) -> None:
        self.repo = repo
        self.root = repo.root
        self.stage = stage
        self.pristine = Snapshot(repo.root)
        self.agent: Agent
        self._server = AsyncExitStack()

    async def serve(self) -> None:
        """Start a server and connect to it."""
        self.client = await self._server.enter_async_context(connected(self.root))

    async def stop(self) -> None:
        """End the server as a client does that goes away."""
        await self._server.aclose()

    async def begin(self) -> Agent:
        """A session of this stage at its first phase, on the repository as it was before all sessions."""
        self.pristine.restore()
        self.agent = Agent(
            self.client, find_change(self.root), self.stage.script(), second=self.stage.second, opens=self.stage.opens
        )
        reply = await self.agent.start()
        if not reply["success"]:
            raise AssertionError(f"no session: {reply}")
        return self.agent

    async def resumed(self, tamper: Callable[[], None]) -> Payload:
        """What a new server says of the session, after something was done while none was running."""
        await self.stop()
        tamper()
        await self.serve()
        self.agent.client = self.client
        return await self.agent.tool("get_session_status")

    def run(self, command: str) -> None:
        """Run a shell command as an agent would, whatever comes of it."""
        subprocess.run(["bash", "-c", command], cwd=self.root, capture_output=True, check=False, timeout=COMMAND_S)


@asynccontextmanager
async def scene(folder: Path, stage: Stage) -> AsyncIterator[Scene]:
    """A fresh repository and server of a stage; the server goes at the end."""
    repo = repository.make(folder / "my project", verifier=stage.verifier, suite=stage.suite)
    if stage.stale:
        for name in ("llm_task_20200101_000000_beef_from_main", "llm_task_20200102_000000_cafe_from_main"):
            repo.git("branch", name)
    stand = Scene(repo, stage)
    await stand.serve()
    try:
        yield stand
    finally:
        await stand.stop()
