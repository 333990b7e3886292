"""Commands that read what sessions left, over damaged records: they say what is the matter and show the rest."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.testing import Caller

pytestmark = pytest.mark.anyio

COMMANDS = {
    "status": ["status"],
    "watch": ["watch", "--once"],
    "stats": ["stats"],
    "stats page": ["stats", "--html", "-o", "-"],
    "report": ["report", "-o", "-", "--project"],
    "report markdown": ["report", "--format", "markdown", "--project"],
    "report json": ["report", "--format", "json", "--project"],
}


def log(repo: Path, name: str) -> Path:
    return repo / f".code-intel/logs/{name}.jsonl"


def lines_without_fields(repo: Path) -> None:
    for name in ("decisions", "outcomes"):
        lines = log(repo, name).read_text(encoding="utf-8").splitlines()
        session = json.loads(lines[0])["session_id"]
        odd = [{"session_id": session}, {"session_id": session, "at": 7, "verdict": [], "step": "x", "tokens": "many"}]
        log(repo, name).write_text("\n".join([*map(json.dumps, odd), *lines]) + "\n", encoding="utf-8")


def logs_of_nonsense(repo: Path) -> None:
    for name in ("decisions", "outcomes"):
        log(repo, name).write_bytes(b'\xff\xfe\n[]\n"x"\n{"session_id": [1]}\n{}\n')


def logs_gone(repo: Path) -> None:
    shutil.rmtree(repo / ".code-intel/logs")


def logs_are_folders(repo: Path) -> None:
    for name in ("decisions", "outcomes"):
        log(repo, name).unlink()
        log(repo, name).mkdir()


def archive_cut(repo: Path) -> None:
    for path in repo.glob(".code-intel/sessions/archive/2*.json"):
        path.write_bytes(path.read_bytes()[:-20])


def archive_gone(repo: Path) -> None:
    shutil.rmtree(repo / ".code-intel/sessions/archive")


def history_gone(repo: Path) -> None:
    shutil.rmtree(repo / ".git")


SAID: dict[Callable[[Path], None], dict[str, str]] = {
    lines_without_fields: {"report": "line 1 does not follow", "stats": "1 session", "status": "1 ended"},
    logs_of_nonsense: {"report": "has no line of this session", "stats": "No session has ended"},
    logs_gone: {"report": "has no line of this session", "stats": "No session has ended", "status": "none is running"},
    logs_are_folders: {"report": "has no line of this session", "stats": "No session has ended"},
    archive_cut: {"report": "cannot be read", "stats": "1 session", "status": "1 ended"},
    archive_gone: {"report": "No session was started", "stats": "1 session", "status": "1 ended"},
    history_gone: {"report": "the changes:", "stats": "1 session", "watch": "unverified"},
}


@pytest.mark.sample
@pytest.mark.parametrize("damage", SAID, ids=lambda damage: damage.__name__)
async def test_what_is_the_matter_is_said_and_the_rest_is_shown(
    call: Caller, change: Change, repo: Path, damage: Callable[[Path], None]
) -> None:
    await Player(call.client, change, Script(answers=False)).play()
    damage(repo)
    for name, arguments in COMMANDS.items():
        done = CliRunner().invoke(app, [*arguments, str(repo)], env={"COLUMNS": "60", "NO_COLOR": "1"})
        assert done.exception is None or isinstance(done.exception, SystemExit), (name, done.exception)
        assert done.exit_code in (0, 1), name
        assert SAID[damage].get(name, "") in " ".join(done.output.split()), (name, done.output)
        assert done.output.strip(), name
