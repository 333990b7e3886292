"""What the logs tell, from entries written by hand and from a session that was played."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.report.page import stats_as_html
from codeintel_server.report.stats import Insight, compute
from codeintel_server.testing import Caller
from codeintel_session.audit.logs import ChainLog

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]


def session(number: int, outcome: str = "success", **fields: Any) -> dict[str, Any]:
    given = {"flags": {}, "phase": "SESSION_COMPLETE", "counters": {}, "explored": [], "changed": []}
    return {
        "session_id": f"s{number}",
        "outcome": outcome,
        "note": "",
        "at": "2026-11-21T10:00:00+00:00",
        **given,
        **fields,
    }


def step(number: int, second: int, phase: str = "Q1", verdict: str = "accepted", **fields: Any) -> dict[str, Any]:
    at = f"2026-11-21T10:00:{second:02d}+00:00"
    return {"session_id": f"s{number}", "at": at, "phase": phase, "verdict": verdict, "tokens": 100, **fields}


def test_the_last_outcome_of_each_session_is_counted() -> None:
    found = compute([session(1), session(2), session(1, "failure")], [])
    assert compute([session(1, "verified", doubts={"unrun": ["a"]})], []).outcomes == {"verified, with doubts": 1}
    assert (found.sessions, found.outcomes) == (2, {"success, recorded later: failure": 1, "success": 1})


def test_time_is_between_submissions_of_one_session_and_refusals_are_by_code() -> None:
    steps = [
        step(1, 0),
        step(2, 1),
        step(1, 10, "READY", "no_tasks", substep="plan", step=12),
        step(1, 30, "READY", substep="plan", step=12, tokens=300),
    ]
    found = compute([], steps)
    assert found.refusals == {"no_tasks": 1}
    first, plan = found.phases
    assert (first.phase, first.submissions, first.seconds) == ("Q1", 2, None)
    assert (plan.phase, plan.submissions, plan.refusals, plan.seconds, plan.tokens) == ("READY plan", 2, 1, 15, 200)


def test_exploration_is_measured_over_files_and_only_where_there_is_something_to_measure() -> None:
    sessions = [session(1, explored=["a", "b", "c", "d"], changed=["a", "new"]), session(2, explored=["a"])]
    found = compute(sessions, [])
    assert (found.explored_precision, found.explored_recall) == (0.25, 0.5)
    assert compute([session(1)], []).explored_recall is None


def test_an_insight_needs_two_groups_of_five_and_a_difference_and_shows_its_counts() -> None:
    def sessions(fast_failed: int, fast: int, others: int) -> Iterable[dict[str, Any]]:
        for number in range(fast):
            yield session(number, "failure" if number < fast_failed else "success", flags={"fast": True})
        for number in range(others):
            yield session(100 + number)

    assert compute(sessions(4, 6, 10), []).insights == (Insight("flag fast", 4, 6, 0, 10),)
    assert compute(sessions(4, 4, 10), []).insights == ()
    assert compute(sessions(1, 6, 10), []).insights == ()
    given_up = [session(200 + number, "partial", phase="Q1", flags={"fast": True}) for number in range(20)]
    assert compute([*sessions(4, 6, 10), *given_up], []).insights[0].with_it == 6


def test_a_tool_that_goes_with_success_is_found() -> None:
    sessions = [session(number, "failure" if number < 5 else "success") for number in range(10)]
    steps = [step(number, 0, observed=["analyze_impact"]) for number in range(5, 10)]
    assert compute(sessions, steps).insights == (Insight("analyze_impact used", 0, 5, 5, 5),)


async def test_the_commands_show_and_change_what_a_played_session_left(
    call: Caller, change: Change, repo: Path
) -> None:
    await Player(call.client, change, Script(answers=False)).play()
    run = CliRunner().invoke
    assert run(app, ["outcome", "failure", "--note", "it broke", "--project", str(repo)]).exit_code == 0
    shown = run(app, ["stats", str(repo)])
    assert shown.exit_code == 0
    figures = " ".join(shown.output.split())
    assert figures.startswith("1 session ")
    assert "Work sent back to planning, times: 0 (less is better)" in figures
    assert "Changed files that had been explored: 100%" in figures
    told = json.loads(run(app, ["stats", str(repo), "--json"]).output)
    assert told["outcomes"] == {"unverified, recorded later: failure": 1}
    assert [phase["phase"] for phase in told["phases"]][:3] == ["QUERY_FRAME", "EXPLORATION", "Q1"]
    assert told["phases"][0]["tokens"] > 50


async def test_the_page_shows_the_same_figures_and_nothing_in_it_can_run(
    call: Caller, change: Change, repo: Path, tmp_path: Path
) -> None:
    await Player(call.client, change, Script(answers=False, mistakes=True)).play()
    target = tmp_path / "made/stats.html"
    run = CliRunner().invoke
    done = run(app, ["stats", str(repo), "--html", "-o", str(target)])
    assert (done.exit_code, "Figures of 1 session" in done.output) == (0, True)
    page = target.read_text(encoding="utf-8")
    assert run(app, ["stats", str(repo), "--html", "-o", "-"]).output == page
    for told in ("<h1>1 session</h1>", "unobserved_tools", "PRE_COMMIT", "<dd>100%</dd>", "width:100%"):
        assert told in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert run(app, ["stats", str(repo), "--html"]).exit_code == 0
    assert (repo / ".code-intel/sessions/stats.html").read_text(encoding="utf-8") == page
    nowhere = run(app, ["stats", str(repo), "--html", "-o", str(target / "below")])
    assert (nowhere.exit_code, "cannot be written" in nowhere.output) == (1, True)


@pytest.mark.sample
@pytest.mark.parametrize(("encoding", "bar"), [("ascii", "####"), ("cp1252", "####"), ("utf-8", "████")])
def test_the_bars_are_drawn_with_what_the_terminal_knows(
    repo: Path, encoding: str, bar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = repo / ".code-intel/logs/outcomes.jsonl"
    log.parent.mkdir(parents=True)
    ChainLog(log).append(session(1))
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    command = [sys.executable, "-m", "codeintel_server", "stats", str(repo)]
    done = subprocess.run(command, capture_output=True, encoding=encoding, check=False)
    assert (done.returncode, bar in done.stdout) == (0, True), done.stderr


def test_names_from_the_logs_are_no_markup_on_the_page() -> None:
    evil = "<img src=x onerror=alert(1)>"
    steps = [step(1, 0, evil, evil)]
    page = stats_as_html(compute([session(1, evil)], steps), evil)
    assert "<img" not in page
    assert page.count("&lt;img") == 6  # title, project, outcome, refusal, phase in both forms


def test_the_commands_say_what_is_missing(repo: Path) -> None:
    run = CliRunner().invoke
    empty = run(app, ["stats", str(repo)])
    assert (empty.exit_code, "No session has ended" in empty.output) == (1, True)
    wrong = run(app, ["outcome", "great", "--project", str(repo)])
    assert (wrong.exit_code, "'success'" in wrong.output) == (2, True)
    nothing = run(app, ["outcome", "failure", "--project", str(repo)])
    assert (nothing.exit_code, "Traceback" in nothing.output) == (2, False)
