"""The commands a person types beside a session: the list of sessions, a verifier's run, help."""

import json
import os
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_server import __main__ as entry
from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import Caller, play_to
from codeintel_server.verification.trust import trust

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
run = CliRunner().invoke

CHECK = "grep -q DOOM src/stats.py && echo 1 failed, 1 passed in 0.1s && exit 1; echo 2 passed in 0.1s"


@pytest.fixture
def verifier(repo: Path) -> Path:
    file = repo / ".code-intel/verifiers/words.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\nmatch: ['src/*']\ncommand: '{CHECK}'\n---\nRun it.\n", encoding="utf-8")
    return file


async def test_sessions_are_listed_newest_first_with_commit_and_report(
    call: Caller, change: Change, repo: Path
) -> None:
    assert "No session was started" in run(app, ["sessions", str(repo)]).output
    end = await Player(call.client, change, Script(answers=False)).play()
    await play_to(call, change, 5, answers=False)
    newest, ended = json.loads(run(app, ["sessions", str(repo), "--json"]).output)
    assert (newest["outcome"], newest["report"], newest["commit"]) == ("running", "", "")
    assert (ended["session_id"], ended["outcome"]) == (end["session_id"], "unverified")
    assert (repo / str(end["report"]), ended["commit"]) == (Path(ended["report"]), end["commit"])
    shown = run(app, ["sessions", str(repo)], env={"COLUMNS": "80"})
    assert shown.exit_code == 0
    assert shown.output.index("Running") < shown.output.index("Not verified")
    assert str(end["report"]) in shown.output
    assert "1 more: codeintel sessions --limit 2" in run(app, ["sessions", str(repo), "-n", "1"]).output


async def test_a_report_is_opened_in_the_browser_or_its_file_is_named(
    call: Caller, change: Change, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play_to(call, change, 5, answers=False)
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or len(opened) == 1)
    done = run(app, ["report", "--open", "--project", str(repo)])
    assert (done.exit_code, opened[0].startswith("file:"), opened[0].endswith(".html")) == (0, True, True)
    assert "open that file" in run(app, ["report", "--open", "--project", str(repo)]).output
    assert run(app, ["report", "--open", "--format", "json", "--project", str(repo)]).exit_code == 2


@pytest.mark.skipif(os.name == "nt", reason="the command is of a POSIX shell")
def test_a_verifier_is_run_by_hand_and_compared_with_the_last_commit(repo: Path, verifier: Path) -> None:
    refused = run(app, ["verify", "--project", str(repo)])
    assert (refused.exit_code, "`codeintel trust`" in refused.output) == (1, True)
    trust(ProjectLibrary(repo))
    subprocess.run(["git", "-C", str(repo), "add", "--all"], check=True)
    subprocess.run(["git", "-C", str(repo), "commit", "-qm", "a verifier"], check=True)
    (unchanged,) = json.loads(run(app, ["verify", "--project", str(repo), "--json"]).output)
    assert (unchanged["standing"], unchanged["facts"]) == ("passed", [])  # there is no change to ask about
    (repo / "src/stats.py").write_text("DOOM = 1\n", encoding="utf-8")
    (found,) = json.loads(run(app, ["verify", "words", "--project", str(repo), "--json"]).output)
    assert (found["standing"], found["now"], found["base"]) == (
        "failed",
        "1 passed, 1 failed",
        "2 passed, 0 failed",
    )
    done = run(app, ["verify", "--project", str(repo)])
    assert (done.exit_code, "failed   words.md: 1 passed, 1 failed" in done.output) == (1, True)
    assert "report passed" not in done.output  # what an agent is told
    assert run(app, ["verify", "nope", "--project", str(repo)]).exit_code == 2


def test_help_is_shown_for_the_program_and_for_one_command() -> None:
    assert "sessions" in run(app, ["help"]).output
    assert "--open" in run(app, ["help", "report"], env={"COLUMNS": "120"}).output
    assert "list[" not in run(app, ["help", "init"]).output
    assert (run(app, ["help", "nope"]).exit_code, run(app, ["--version"]).exit_code) == (2, 0)


def test_a_shell_completes_commands() -> None:
    asked = {"_CODEINTEL_COMPLETE": "complete_bash", "COMP_WORDS": "codeintel sess", "COMP_CWORD": "1"}
    program = Path(sys.executable).parent / "codeintel"
    done = subprocess.run([program], env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["sessions"]


def test_a_file_that_may_not_be_written_is_named_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied() -> None:
        raise PermissionError(13, "Permission denied", "/x/.code-intel/logs/outcomes.jsonl")

    monkeypatch.setattr("codeintel_server.cli.app", denied)
    monkeypatch.setattr(sys, "argv", ["codeintel", "outcome", "failure"])
    with pytest.raises(SystemExit, match=r"/x/.code-intel/logs/outcomes.jsonl cannot be read or written"):
        entry.main()
