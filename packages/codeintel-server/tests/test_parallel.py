"""Calls that arrive at the same time: one session, one truth."""

from pathlib import Path

import anyio
import pytest

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import find_change
from codeintel_server.testing import Caller

pytestmark = pytest.mark.anyio


async def test_look_ups_in_parallel_are_all_recorded(call: Caller, repo: Path) -> None:
    player = Player(call.client, find_change(repo), Script(stop_before=5))
    await player.play()
    tools = {
        "find_definitions": {"symbol": "count_all"},
        "find_references": {"symbol": "count_all"},
        "search_text": {"pattern": "values"},
        "get_symbols": {"path": "src/stats.py"},
        "analyze_structure": {"path": "src/stats.py"},
        "search_files": {"pattern": "**/*.py"},
    }
    async with anyio.create_task_group() as group:
        for name, arguments in tools.items():
            group.start_soon(call.call, name, arguments)
    reply = await player.submit(
        "Looked in parallel.", explored_files=["src/stats.py"], findings=["all of it"], tools_used=list(tools)
    )
    assert reply["phase"] == "Q1"


async def test_the_same_submission_sent_eight_times_at_once_counts_once(call: Caller, repo: Path) -> None:
    player = Player(call.client, find_change(repo), Script(stop_before=6))
    await player.play()
    data = {
        "needs_more_information": True,
        "reason": "Something is still open.",
        "summary": "Open.",
        "compaction_count": 0,
    }
    replies = []

    async def submit() -> None:
        replies.append(await call("submit_phase", data=data))

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(submit)
    assert {(reply["success"], reply["step"]) for reply in replies} == {(True, 7)}
    status = await call("get_session_status")
    assert status["completed_steps"].count(6) == 1


async def test_different_submissions_at_once_are_judged_one_after_the_other(call: Caller, repo: Path) -> None:
    player = Player(call.client, find_change(repo), Script(stop_before=6))
    await player.play()
    replies = []

    async def submit(number: int) -> None:
        reason = f"Reason number {number}, long enough."
        data = {"needs_more_information": True, "reason": reason, "summary": str(number), "compaction_count": 0}
        replies.append(await call("submit_phase", data=data))

    async with anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(submit, number)
    assert sorted(reply["success"] for reply in replies) == [False] * 5 + [True]
