"""The live screen: of a session that runs, between sessions, of records that are damaged, and where nothing is live."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app, watch
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.testing import Caller, play_to

pytestmark = [pytest.mark.draws(18), pytest.mark.anyio]
run = CliRunner().invoke


def screen(repo: Path, **environment: str) -> dict[str, list[str]]:
    """The lines of one screen by their label; a line without a label belongs to the one above."""
    done = run(app, ["watch", str(repo), "--once"], env={"COLUMNS": "120", **environment})
    assert done.exit_code == 0, done.output
    found: dict[str, list[str]] = {}
    label = ""
    for line in done.output.splitlines():
        label = line[:10].strip() or label
        found.setdefault(label, []).append(line[10:].rstrip())
    return found


async def test_a_running_session_is_shown_with_what_it_does(call: Caller, change: Change, repo: Path) -> None:
    await play_to(call, change, 13, answers=False)
    await call("submit_phase", data={"task_id": "nope", "checklist": [], "summary": "x"})
    change.write()
    shown = screen(repo)
    assert shown["step"][0].startswith("13 of 19, Implement (READY implement) for ")
    assert shown["branch"][0].endswith(", to be merged into main")
    assert shown["step"][1].count("◉") == 1
    assert (shown["tasks"], shown["open"][0]) == (["0 of 1 done"], "Add total_and_mean")
    assert shown["refused"][0].startswith("READY implement, ")
    assert shown["explored"] == ["1: src/stats.py"]
    assert shown["changed"][0].startswith("1: src/stats.py +")
    assert " refused" in shown["tokens"][0]


async def test_calls_of_the_phase_are_counted_by_tool(call: Caller, change: Change, repo: Path) -> None:
    await play_to(call, change, 5, answers=False)
    assert screen(repo)["tools"] == ["none called in this phase yet"]
    for name in ("total", "mean"):
        assert (await call("find_definitions", symbol=name))["success"]
    await call("submit_phase", data={})  # what was merely seen may be written later, what was refused is written
    assert screen(repo)["tools"] == ["find_definitions (2)"]


async def test_between_sessions_it_waits_and_names_the_last_one(call: Caller, change: Change, repo: Path) -> None:
    assert screen(repo)["session"] == ["none is running; waiting for one to start"]
    end = await Player(call.client, change, Script(answers=False)).play()
    assert end["phase"] == "SESSION_COMPLETE"
    shown = screen(repo)
    assert shown["before"][0].startswith("Not verified (unverified): ")
    assert shown["commit"][-1].endswith("into main")
    assert (shown["tests"], shown["report"]) == (["none run by the server"], [str(end["report"])])


async def test_no_line_is_wider_than_the_terminal_and_refusals_are_read_whole(
    call: Caller, change: Change, repo: Path
) -> None:
    await play_to(call, change, 13, answers=False)
    await call("submit_phase", data={"task_id": "nope", "checklist": [], "summary": "x"})
    done = run(app, ["watch", str(repo), "--once"], env={"COLUMNS": "60", "NO_COLOR": "1"})
    lines = done.output.splitlines()
    assert max(map(len, lines)) <= 60
    assert "\x1b" not in done.output
    shown = screen(repo, COLUMNS="60")
    assert " ".join(shown["refused"]) == " ".join(screen(repo)["refused"])


async def test_damaged_records_are_named_and_the_rest_is_shown(
    call: Caller, change: Change, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What the session notes a while later would put the checkpoint right.
    monkeypatch.setattr("codeintel_session.records.Debounce.schedule", lambda waiting, seconds: None)
    await play_to(call, change, 13, answers=False)
    (repo / ".code-intel/logs/decisions.jsonl").write_bytes(b'{"session_id": 1}\nnonsense\n[]\n')
    assert "the decision log has no line of this session" in " ".join(screen(repo)["missing"])
    (checkpoint,) = repo.glob(".code-intel/sessions/2*.json")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-9])
    shown = screen(repo)
    assert shown["session"] == ["none is running; waiting for one to start"]
    assert shown["damaged"][0].startswith(f"{checkpoint.name}: it is not a checkpoint")


def test_records_that_are_written_and_gone_change_the_stamp_and_others_do_not(repo: Path) -> None:
    log = repo / ".code-intel/logs/decisions.jsonl"
    log.parent.mkdir(parents=True)
    (log.parent / "server.log").touch()
    assert watch.stamp(repo) == ()
    log.write_text("{}\n", encoding="utf-8")
    os.utime(log, ns=(1, 1))
    assert watch.stamp(repo) == (("decisions.jsonl", 1, 3),)
    log.unlink()
    assert watch.stamp(repo) == ()


def test_what_changes_without_a_record_is_drawn_again(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LOOK_S", 0.0)
    monkeypatch.setattr(watch, "AGAIN_S", 0.0)
    drawn = watch.changes(repo)
    assert [next(drawn), next(drawn)] == [(), ()]


def test_a_record_that_is_written_is_drawn_at_once(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = repo / ".code-intel/logs/decisions.jsonl"
    log.parent.mkdir(parents=True)
    looks = iter([log.touch, lambda: None])
    monkeypatch.setattr(watch.time, "sleep", lambda seconds: next(looks)())
    (drawn,) = next(watch.changes(repo))
    assert drawn[0] == "decisions.jsonl"


def test_on_a_terminal_it_is_drawn_until_it_is_interrupted(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(root: Path, wait: watch.Wait) -> Iterator[watch.Stamp]:
        yield ()
        raise KeyboardInterrupt

    monkeypatch.setattr(watch, "changes", interrupted)
    done = run(app, ["watch", str(repo)], env={"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "80"})
    assert (done.exit_code, done.output.count("waiting for one to start") >= 2) == (0, True), done.output


@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is made, which Windows has not")
def test_q_ends_the_display_and_leaves_the_terminal_as_it_was(repo: Path) -> None:
    import pty
    import termios

    keyboard, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    command = [sys.executable, "-m", "codeintel_server", "watch", str(repo)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as shown:
        text = b""
        try:
            while b"none is running" not in text:
                text += os.read(keyboard, 4096)
            os.write(keyboard, b"xq")
            while b"report --open" not in text:
                text += os.read(keyboard, 4096)
            assert shown.wait(30) == 0
        finally:
            shown.kill()
    assert termios.tcgetattr(terminal)[3] == before[3]
