"""Every path of the flow, end to end: real server, real git, real index, a client nobody wrote for the purpose."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import connected, find_change

pytestmark = pytest.mark.anyio

EXPLORING = [4, 5, 6, 7, 8, 9, 10, 11]
FINISHING = [14, 15, 17, 18, 19]

Git = Callable[..., str]


async def test_the_default_path_ends_in_a_merge_of_exactly_the_change(play: Any, repo: Path, git: Git) -> None:
    player, end = await play(mistakes=True)
    assert player.steps == [3, *EXPLORING, 12, 13, *FINISHING]
    assert end["outcome"] == "success"
    assert player.refusals == ["phase_mismatch", "unobserved_tools", "payload_mismatch"]
    assert git(repo, "branch", "--show-current") == "main"
    assert git(repo, "branch", "--list", "llm_task_*") == ""
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "diff", "--name-only", "HEAD^1", "HEAD") == "src/stats.py"
    assert f"Code-Intel-Session: {end['session_id']}" in git(repo, "log", "-1", "--format=%B")


async def test_gates_answered_no_skip_their_phases(play: Any) -> None:
    player, end = await play(answers=False)
    assert player.steps == [3, 4, 5, 6, 8, 10, 12, 13, *FINISHING]
    assert end["outcome"] == "success"


async def test_gate_full_visits_every_phase_whatever_the_answers(play: Any) -> None:
    player, _ = await play(answers=False, flags={"gate_level": "full"})
    assert player.steps == [3, *EXPLORING, 12, 13, *FINISHING]


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({"intent": "QUESTION"}, [3, *EXPLORING]),
        ({"intent": "investigate", "answers": False}, [3, 4, 5, 6, 8, 10]),
        ({"flags": ["-e"]}, [3, *EXPLORING]),
    ],
)
async def test_an_investigation_ends_without_touching_anything(
    play: Any, repo: Path, git: Git, settings: dict[str, Any], steps: list[int]
) -> None:
    before = git(repo, "rev-parse", "HEAD")
    player, end = await play(**settings)
    assert player.steps == steps
    assert end["phase"] == "SESSION_COMPLETE"
    assert (git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain")) == (before, "")
    assert git(repo, "branch", "--list") == "* main"


@pytest.mark.parametrize(
    ("flags", "steps"),
    [
        ({"fast": True}, [3, 4, 12, 13, 14, 15, 17, 19]),
        (["--no-verify"], [3, *EXPLORING, 12, 13, 14, 17, 18, 19]),
        ("--no-quality --no-doc", [*EXPLORING, 12, 13, 14, 15, 17, 19]),
    ],
)
async def test_flags_drop_their_phases_and_still_merge(
    play: Any, repo: Path, git: Git, flags: Any, steps: list[int]
) -> None:
    player, end = await play(flags=flags)
    assert player.steps == steps
    assert end["outcome"] == "success"
    assert git(repo, "log", "-1", "--format=%s").startswith("Merge llm_task_")


@pytest.mark.parametrize(
    ("flags", "steps"),
    [({"quick": True}, [3, 4, 12, 13, 14, 15]), ({"quick": True, "no_verify": True}, [3, 4, 12, 13, 14])],
)
async def test_quick_leaves_the_change_in_the_working_tree(
    play: Any, repo: Path, git: Git, flags: Any, steps: list[int]
) -> None:
    before = git(repo, "rev-parse", "HEAD")
    player, end = await play(flags=flags)
    assert player.steps == steps
    assert end["outcome"] == "success"
    assert git(repo, "rev-parse", "HEAD") == before
    assert git(repo, "status", "--porcelain") == " M src/stats.py"


@pytest.mark.parametrize(("passed", "outcome"), [(True, "success"), (False, "failure")])
async def test_only_verify_is_one_step_with_an_outcome(play: Any, repo: Path, passed: bool, outcome: str) -> None:
    player, end = await play(flags={"only_verify": True}, verify=[passed])
    assert player.steps == [15]
    assert end["outcome"] == outcome
    last = (repo / ".code-intel/logs/outcomes.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    assert json.loads(last)["outcome"] == outcome


async def test_a_failed_verification_goes_back_to_planning(play: Any, repo: Path, git: Git) -> None:
    player, end = await play(answers=False, verify=[False, True])
    assert player.steps == [3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 12, 13, *FINISHING]
    assert end["outcome"] == "success"
    assert "total_and_mean_2" in (repo / "src/stats.py").read_text(encoding="utf-8")


async def test_three_failures_lead_to_an_intervention_and_two_of_those_to_the_user(play: Any) -> None:
    player, end = await play(flags=["--no-doc"], answers=False, verify=[False] * 9 + [True])
    once = [12, 13, 14, 15]
    assert player.steps == [4, 5, 6, 8, 10, *((once * 3 + [16]) * 3), 12, 13, *FINISHING]
    assert end["outcome"] == "success"


async def test_quality_issues_revert_and_the_fourth_report_forces_completion(play: Any, repo: Path, git: Git) -> None:
    player, end = await play(flags=["--no-doc"], answers=False, issues=[["naming"]] * 4)
    assert player.steps[-1] == 19
    assert player.steps.count(18) == 4
    assert end["forced_completion"] is True
    assert end["outcome"] == "partial"
    assert git(repo, "status", "--porcelain") == ""


async def test_one_quality_revert_commits_the_rework_too(play: Any, repo: Path, git: Git) -> None:
    player, end = await play(flags=["--no-doc"], answers=False, issues=[["naming"]])
    assert player.steps.count(17) == 2
    assert end["outcome"] == "success"
    assert "total_and_mean_2" in git(repo, "show", "HEAD:src/stats.py")


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
    assert end["outcome"] == "success"


async def test_an_abandoned_task_branch_is_put_before_the_user(repo: Path, mode: Any, git: Git) -> None:
    change = find_change(repo)
    async with connected(repo, mode) as client:
        await Player(client, change, Script(stop_before=12)).play()
    async with connected(repo, mode) as client:
        player = Player(client, change, Script(choice="delete", answers=False))
        end = await player.play()
    assert player.steps[0] == 2
    assert end["outcome"] == "success"
    assert git(repo, "branch", "--list") == "* main"


async def test_the_users_uncommitted_work_is_left_alone(play: Any, repo: Path, git: Git) -> None:
    (repo / "docs/numbers.md").write_text("# Numbers, being rewritten\n", encoding="utf-8")
    (repo / "notes.txt").write_text("mine", encoding="utf-8")
    (repo / "tests/test_stats.py").write_text("staged = True\n", encoding="utf-8")
    git(repo, "add", "tests/test_stats.py")
    before = git(repo, "status", "--porcelain")
    _, end = await play(answers=False)
    assert end["outcome"] == "success"
    assert git(repo, "status", "--porcelain") == before
    assert git(repo, "diff", "--name-only", "HEAD^1", "HEAD") == "src/stats.py"
