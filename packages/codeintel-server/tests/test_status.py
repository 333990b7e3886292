"""One screen on a project: with a session, between sessions, and before the first."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.testing import Caller, play_to

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
run = CliRunner().invoke


async def test_a_running_session_is_shown_with_its_open_task_and_last_refusals(
    call: Caller, change: Change, repo: Path
) -> None:
    await play_to(call, change, 13, answers=False)
    await call("submit_phase", data={"task_id": "nope", "checklist": [], "summary": "x"})
    shown = run(app, ["status", str(repo)]).output
    assert "step      13 of 19, Implement (READY implement)\n" in shown
    assert "tasks     0 of 1 done; open: Add total_and_mean" in shown
    assert "refused   " in shown
    told = json.loads(run(app, ["status", str(repo), "--json"]).output)
    assert (told["session"]["is_served"], told["session"]["explored"], told["last"]) == (True, 1, None)


async def test_after_the_end_the_last_outcome_is_shown(call: Caller, change: Change, repo: Path) -> None:
    await Player(call.client, change, Script(answers=False)).play()
    shown = run(app, ["status", str(repo)]).output
    assert "session   none is running" in shown
    assert "1 ended (codeintel sessions lists them), the last: Not verified (unverified): " in shown
    assert "(chunks), ready" in shown


def test_a_project_without_a_session_says_so_and_nothing_is_written(repo: Path) -> None:
    shown = run(app, ["status", str(repo)])
    assert (shown.exit_code, "none is running" in shown.output, "not built yet" in shown.output) == (0, True, True)
    assert not (repo / ".code-intel").exists()


async def test_a_session_whose_server_is_gone_is_said_to_wait(call: Caller, change: Change, repo: Path) -> None:
    await play_to(call, change, 13, answers=False)
    held = repo / ".code-intel/sessions/session.lock"
    held.rename(held.with_name("gone.lock"))
    assert "no server is running it" in run(app, ["status", str(repo)]).output
