"""What only the user may decide is put before the user where the client can, in both eras of the protocol."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ElicitRequestParams, ElicitResult

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import find_change
from codeintel_server.testing import in_memory

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> Any:
    return request.param


class User:
    """Answers every question the same way and remembers what was asked."""

    def __init__(self, action: Any, text: str = "") -> None:
        self.action, self.text = action, text
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        content = {"answer": self.text} if self.action == "accept" else None
        return ElicitResult(action=self.action, content=content)  # type: ignore[arg-type]


@pytest.fixture
async def stale(repo: Path) -> Path:
    """A repository with the task branch of a session that was given up in READY."""
    async with in_memory(repo) as call:
        await Player(call.client, find_change(repo), Script(stop_before=12)).play()
    return repo


@pytest.mark.sample
async def test_the_users_choice_stands_above_the_agents(stale: Path, mode: Any, git: Callable[..., str]) -> None:
    user = User("accept", "delete")
    async with in_memory(stale, mode, user) as call:
        player = Player(call.client, find_change(stale), Script(choice="continue", stop_before=4))
        await player.play()
    assert (player.steps, player.reply["step"]) == ([2], 4)
    assert git(stale, "branch", "--list", "llm_task_*") == ""
    assert ["llm_task_" in text for text in user.asked] == [True]


@pytest.mark.sample(2)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_without_an_answer_nothing_is_done(stale: Path, mode: Any, action: str, git: Callable[..., str]) -> None:
    async with in_memory(stale, mode, User(action)) as call:
        player = Player(call.client, find_change(stale), Script(choice="delete"))
        await player.play()
    assert (player.reply["error"], player.reply["current_phase"]) == ("user_declined", "BRANCH_INTERVENTION")
    assert player.reply["requires_user_intervention"] is True
    assert git(stale, "branch", "--list", "llm_task_*") != ""


@pytest.mark.sample
async def test_a_client_that_cannot_ask_leaves_it_to_the_agent(stale: Path, mode: Any) -> None:
    async with in_memory(stale, mode) as call:
        player = Player(call.client, find_change(stale), Script(choice="delete", stop_before=4))
        await player.play()
    assert player.reply["step"] == 4


@pytest.mark.slow
async def test_the_user_may_refuse_a_merge_with_open_issues(repo: Path, mode: Any) -> None:
    user = User("accept", "no")
    script = Script(answers=False, issues=[["naming"]] * 4)
    async with in_memory(repo, mode, user) as call:
        player = Player(call.client, find_change(repo), script)
        end = await player.play()
    assert end["outcome"] == "unverified"
    assert player.steps.count(18) == 5
    assert ["naming" in text for text in user.asked] == [True]


@pytest.mark.sample
async def test_an_escalation_keeps_the_users_words(repo: Path, mode: Any) -> None:
    user = User("accept", "drop the idea of a mean")
    script = Script(answers=False, verify=[False] * 9, stop_before=17)
    async with in_memory(repo, mode, user) as call:
        player = Player(call.client, find_change(repo), script)
        await player.play()
    assert player.steps.count(16) == 3
    assert len(user.asked) == 1


@pytest.mark.sample
async def test_the_user_may_keep_what_the_agent_would_discard(repo: Path, mode: Any) -> None:
    user = User("accept", "no")
    async with in_memory(repo, mode, user) as call:
        player = Player(call.client, find_change(repo), Script(answers=False, stop_before=17))
        await player.play()
        await player.tool("review_changes")
        refused = await player.submit(
            "Away with it.",
            review_prompt_used="garbage_detection.md",
            reviewed_files=[{"path": "src/stats.py", "decision": "discard", "reason": "not needed"}],
            commit_message="Nothing",
            tools_used=["review_changes"],
        )
    assert (refused["error"], len(user.asked)) == ("review_failed", 1)
    assert "total_and_mean" in (repo / "src/stats.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("flags", [{"no_verify": True}, '{"no_verify": true}', "--no-verify"], ids=str)
async def test_flags_that_the_user_did_not_ask_for_are_asked_about_however_they_are_spelled(
    repo: Path, flags: Any
) -> None:
    user = User("accept", "no")
    async with in_memory(repo, user=user) as call:
        started = await call("start_session", intent="MODIFY", query="Rename total to grand_total", flags=flags)
    assert started["success"], started
    assert ["no_verify" in text for text in user.asked] == [True]
