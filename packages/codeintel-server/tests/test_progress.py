"""A client that asks for it is told how far the index has come; one that goes away stops it."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from codeintel_index import Index
from codeintel_index.results import SyncReport
from codeintel_server.demo.change import Change
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import Caller, play_to
from codeintel_server.verification import runner
from codeintel_server.verification.trust import trust

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]

FILES = 300
SLOW = "---\nmatch: ['**']\ncommand: sleep 50\ntimeout_s: 50\n---\nRun it.\n"


@pytest.fixture
def repo(repo: Path) -> Path:
    """The repository with more files than are written at once."""
    for number in range(FILES):
        (repo / "src" / f"module_{number}.py").write_text(f"def f_{number}():\n    return {number}\n", encoding="utf-8")
    return repo


async def test_a_synchronization_tells_how_far_it_has_come(call: Caller) -> None:
    told: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    result = await call.client.call_tool("sync_index", {"force": True}, progress_callback=hear)
    assert result.is_error is False
    with anyio.fail_after(10):
        while not told or told[-1][0] != FILES + 1:  # a notification may arrive after the answer
            await anyio.sleep(0.01)
    assert told == sorted(told)
    assert {total for _, total in told} == {FILES + 1}
    assert len(told) > 1


async def test_a_client_that_does_not_ask_gets_the_answer_alone(call: Caller) -> None:
    assert (await call("sync_index", force=True))["files"] == FILES + 1


async def test_a_synchronization_that_nobody_waits_for_ends(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = threading.Event(), threading.Event()

    def sync(index: Index, force: bool, progress: object, stopped: Callable[[], bool]) -> SyncReport:
        began.set()
        while not stopped():
            time.sleep(0.01)
        ended.set()
        return index._syncer.sync()

    monkeypatch.setattr(Index, "sync", sync)
    async with anyio.create_task_group() as group:
        group.start_soon(call.client.call_tool, "sync_index", {})
        assert await anyio.to_thread.run_sync(began.wait, 10)
        group.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(ended.wait, 10)


async def test_a_verifier_tells_that_it_still_runs_and_ends_when_nobody_waits(
    call: Caller, change: Change, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LOOK_UP_S", 0.05)
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/verifiers/slow.md").write_text(SLOW, encoding="utf-8")
    trust(ProjectLibrary(repo))
    await play_to(call, change, 15, flags=["--fast"])
    before = {*runner._running}  # that of the base, for which nobody waits
    heard = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total == 50
        assert 0 <= progress < 50, "whole seconds: more than none on a machine that is busy"
        heard.set()

    async def run() -> None:
        await call.client.call_tool("run_verifier", {"name": "slow"}, progress_callback=hear)

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        with anyio.fail_after(20):
            await heard.wait()
        assert runner._running - before
        group.cancel_scope.cancel()
    with anyio.fail_after(20):
        while runner._running - before:
            await anyio.sleep(0.01)
    assert not (await call("get_session_status")).get("receipts")
