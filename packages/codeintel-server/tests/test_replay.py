"""`codeintel report --replay`: what was said is derived again, what differs or is broken is named by the exit code."""

import itertools
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

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
run = CliRunner().invoke

STRICTER = "phases:\n  EXPLORATION:\n    required_tools: [get_function_at_line]\n"


@pytest.fixture
async def log(call: Caller, change: Change, repo: Path) -> Path:
    """The log of a session that was played to its end."""
    await Player(call.client, change, Script(answers=False)).play()
    return repo / ".code-intel/logs/decisions.jsonl"


async def test_a_session_judged_again_says_the_same_in_every_form(log: Path, repo: Path) -> None:
    shown = run(app, ["report", "--replay", "--project", str(repo)])
    assert (shown.exit_code, "all as recorded" in shown.output) == (0, True)
    told = json.loads(run(app, ["report", "--replay", "--project", str(repo), "--format", "json"]).output)
    assert {line["status"] for line in told["lines"]} == {"same"}
    assert (told["is_equal"], len(told["lines"])) == (True, len(log.read_bytes().splitlines()))


async def test_another_contract_shows_where_the_paths_part_and_why(log: Path, repo: Path, tmp_path: Path) -> None:
    stricter = tmp_path / "stricter.yml"
    stricter.write_text(STRICTER, encoding="utf-8")
    shown = run(app, ["report", "--replay", "--project", str(repo), "--contract", str(stricter)])
    text = " ".join(shown.output.split())
    assert shown.exit_code == 1
    assert "the first difference is at line 2, EXPLORATION: it was accepted and is payload_mismatch" in text
    assert "get_function_at_line" in text
    assert "later lines are not followed" in text


def edited(log: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b'"phase":"Q1"', b'"phase":"Q9"'))


def cut(log: Path) -> None:
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))


def overwritten(log: Path) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0], b"\xff\n", *lines[2:]]))


def without_records(log: Path) -> None:
    shutil.rmtree(log.parents[1] / "sessions")


BROKEN: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "edited": (edited, 1, "the decision log is damaged: line 3 was edited"),
    "cut off at its end": (cut, 1, "the log lacks 1 accepted submission that"),
    "overwritten": (overwritten, 1, "line 2 is not a complete line of the log"),
    "gone": (lambda log: log.unlink(), 1, "The decision log has no line of this session"),
    "whole, the checkpoint gone": (without_records, 0, "all as recorded"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(("case", "width"), [*zip(BROKEN, itertools.cycle(["60", "100"]))])
async def test_a_log_that_is(case: str, width: str, log: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setenv("NO_COLOR", "1")
    spoil, code, words = BROKEN[case]
    spoil(log)
    shown = run(app, ["report", "--replay", "--project", str(repo)])
    assert (shown.exit_code, words in " ".join(shown.output.split())) == (code, True), shown.output
    assert max(map(len, shown.output.splitlines())) <= int(width)
    assert "\x1b" not in shown.output


async def test_with_the_checkpoint_gone_the_contract_of_the_session_is_still_the_one_judged_by(
    call: Caller, change: Change, repo: Path, git: Callable[..., str]
) -> None:
    own = repo / ".code-intel/phase_contract.yml"
    own.parent.mkdir()
    own.write_text(STRICTER.replace("get_function_at_line", "find_definitions"), encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Contract")
    await Player(call.client, change, Script(answers=False)).play()
    own.write_text(STRICTER, encoding="utf-8")
    for checkpoint in own.parent.glob("sessions/**/*.json*"):
        checkpoint.unlink()
    shown = run(app, ["report", "--replay", "--project", str(repo)])
    assert (shown.exit_code, "all as recorded" in shown.output) == (0, True), shown.output


@pytest.mark.parametrize(("which", "words"), [([], "No session was started"), (["20200101_000000_0000"], "no session")])
def test_a_session_that_is_not_there_is_said(which: list[str], words: str, repo: Path) -> None:
    shown = run(app, ["report", "--replay", *which, "--project", str(repo)])
    assert (shown.exit_code, words in shown.output) == (1, True)
    assert not (repo / ".code-intel").exists()


async def test_a_contract_that_is_none_is_named_with_its_line(log: Path, repo: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text("phases:\n  NOWHERE: {}\n", encoding="utf-8")
    shown = run(app, ["report", "--replay", "--project", str(repo), "--contract", str(broken)])
    assert (shown.exit_code, "broken.yml:2" in shown.output) == (1, True)
