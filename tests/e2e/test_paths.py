"""A session end to end: real server, real git, real index, a client nobody wrote for the purpose.

The other paths of the flow are walked in codeintel-session, and over stdio by the honest agents of tests/adversary.
"""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import connected, find_change

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

EXPLORING = [4, 5, 6, 7, 8, 9, 10, 11]
FINISHING = [14, 15, 17, 18, 19]

Git = Callable[..., str]
in_both_eras = pytest.mark.parametrize("mode", ["auto", "legacy"], ids=["sessionless", "handshake"])


@in_both_eras
async def test_the_default_path_ends_in_a_merge_of_exactly_the_change(play: Any, repo: Path, git: Git) -> None:
    player, end = await play(mistakes=True)
    assert player.steps == [3, *EXPLORING, 12, 13, *FINISHING]
    assert end["outcome"] == "unverified"
    assert player.refusals == ["phase_mismatch", "unobserved_tools", "payload_mismatch"]
    assert git(repo, "branch", "--show-current") == "main"
    assert git(repo, "branch", "--list", "llm_task_*") == ""
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "diff", "--name-only", "HEAD^1", "HEAD") == "src/stats.py"
    assert f"Code-Intel-Session: {end['session_id']}" in git(repo, "log", "-1", "--format=%B")


@in_both_eras
async def test_a_killed_server_is_resumed_where_it_stood(repo: Path, mode: Any, git: Git) -> None:
    change = find_change(repo)
    async with connected(repo, mode) as client:
        first = Player(client, change, Script(stop_before=14))
        await first.play()
        holder = json.loads((repo / ".code-intel/sessions/session.holder.json").read_text(encoding="utf-8"))
        os.kill(holder["pid"], signal.SIGKILL)
    async with connected(repo, mode) as client:
        second = Player(client, change, Script())
        end = await second.resume()
    assert second.steps == FINISHING
    assert end["session_id"] == first.reply["session_id"]
    assert end["outcome"] == "unverified"


async def test_an_abandoned_task_branch_is_put_before_the_user(repo: Path, mode: Any, git: Git) -> None:
    change = find_change(repo)
    async with connected(repo, mode) as client:
        await Player(client, change, Script(stop_before=12)).play()
    async with connected(repo, mode) as client:
        player = Player(client, change, Script(choice="delete", answers=False))
        end = await player.play()
    assert player.steps[0] == 2
    assert end["outcome"] == "unverified"
    assert git(repo, "branch", "--list") == "* main"


async def test_the_users_uncommitted_work_is_left_alone(play: Any, repo: Path, git: Git) -> None:
    (repo / "docs/numbers.md").write_text("# Numbers, being rewritten\n", encoding="utf-8")
    (repo / "notes.txt").write_text("mine", encoding="utf-8")
    (repo / "tests/test_stats.py").write_text("staged = True\n", encoding="utf-8")
    git(repo, "add", "tests/test_stats.py")
    before = git(repo, "status", "--porcelain")
    _, end = await play(answers=False)
    assert end["outcome"] == "unverified"
    assert git(repo, "status", "--porcelain") == before
    assert git(repo, "diff", "--name-only", "HEAD^1", "HEAD") == "src/stats.py"
