"""The server as a process: clean stdout, ends with its client, one session a project, small replies."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import connected, find_change
from codeintel_server.testing import Wire

pytestmark = pytest.mark.draws(18)

SERVE = [sys.executable, "-m", "codeintel_server", "serve"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}
GONE_AFTER_S = 5.0


def ended(pid: int) -> bool:
    """Wait for a process that is not our child; the limit is the promise, the loop only looks."""
    until = time.monotonic() + GONE_AFTER_S
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_stdout_carries_the_protocol_and_the_process_ends_with_stdin(repo: Path) -> None:
    with subprocess.Popen(SERVE, cwd=repo, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        output, _ = server.communicate(json.dumps(INITIALIZE).encode() + b"\n", timeout=30)
    lines = [json.loads(line) for line in output.splitlines()]
    assert [line["id"] for line in lines] == [1]
    assert lines[0]["result"]["serverInfo"]["name"] == "code-intel"
    assert server.returncode == 0


def test_the_server_ends_when_its_client_is_killed(repo: Path, tmp_path: Path) -> None:
    """The client leaves its stdin open in a third process, so only the parent's death tells."""
    hello = json.dumps(INITIALIZE).encode() + b"\n"
    script = (
        "import subprocess, sys, time\n"
        f"server = subprocess.Popen({SERVE!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        f"server.stdin.write({hello!r}); server.stdin.flush()\n"
        "server.stdout.readline()\n"
        "subprocess.Popen(['sleep', '20'], pass_fds=[server.stdin.fileno()])\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=repo, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        pid = int(client.stdout.readline())
        client.send_signal(signal.SIGKILL)
    assert ended(pid)


def killed(wire: Wire) -> None:
    wire.process.kill()
    wire.close()


@pytest.mark.parametrize("end", [Wire.close, killed])
def test_a_server_leaves_nothing_among_the_temporary_files(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: Callable[[Wire], None]
) -> None:
    """Its trees lie in the project, where a restart finds them; where verifiers run, one empty folder stays."""
    place = tmp_path / "temporary"
    place.mkdir()
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(place))
    wire = Wire(repo)
    arguments = {"intent": "IMPLEMENT", "query": "Add a mean", "flags": {"quick": True, "no_doc": True}}
    answer = wire.answer(wire.call("start_session", json.dumps(arguments)))
    assert answer["result"]["isError"] is False
    end(wire)
    assert [list(folder.iterdir()) for folder in place.iterdir()] == [[]]
    assert (repo / ".code-intel/sessions/trees/HEAD").is_file()


@pytest.mark.parametrize("arguments", [["--project"], ["--project", "no/such/folder"], ["--warp"]])
def test_wrong_arguments_are_a_usage_error_on_stderr(repo: Path, arguments: list[str]) -> None:
    done = subprocess.run([*SERVE, *arguments], cwd=repo, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "codeintel serve" in done.stderr


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_second_server_is_told_who_holds_the_project(repo: Path, mode: Any) -> None:
    async with connected(repo, mode) as first, connected(repo, mode) as second:
        start = {"intent": "QUESTION", "query": "Where are numbers counted?"}
        await first.call_tool("start_session", start)
        reply = (await second.call_tool("start_session", start)).structured_content
        holder = json.loads((repo / ".code-intel/sessions/session.holder.json").read_text(encoding="utf-8"))
    assert reply is not None
    assert reply["error"] == "session_active"
    assert str(holder["pid"]) in reply["message"]


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_worktree_is_a_project_of_its_own(repo: Path, tmp_path: Path, git: Callable[..., str]) -> None:
    git(repo, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    async with connected(repo, options=("--also", str(tmp_path / "side"))) as client:
        start = {"intent": "QUESTION", "query": "Where are numbers counted?"}
        one = (await client.call_tool("start_session", start)).structured_content
        other = (
            await client.call_tool("start_session", {**start, "repo_path": str(tmp_path / "side")})
        ).structured_content
    assert one is not None
    assert other is not None
    assert (one["success"], other["success"]) == (True, True)
    assert (tmp_path / "side/.code-intel/sessions").is_dir()


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_project_that_was_never_initialized_stays_clean(play: Any, repo: Path, git: Callable[..., str]) -> None:
    _, end = await play(answers=False)
    assert end["outcome"] == "unverified"
    assert git(repo, "status", "--porcelain", "--ignored") == "!! .code-intel/"


class Scale:
    """Weighs what the protocol sends to the agent."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def called(self, tool: str, arguments: dict[str, Any], reply: dict[str, Any]) -> None:
        if tool in ("start_session", "submit_phase"):
            self.sizes.append(len(json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()))

    def note(self, text: str) -> None:
        """Nothing to weigh."""


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(("flags", "tokens"), [({}, 9000), ({"quick": True}, 1500)])
async def test_the_protocol_costs_few_tokens(repo: Path, flags: dict[str, bool], tokens: int) -> None:
    scale = Scale()
    async with connected(repo) as client:
        end = await Player(client, find_change(repo), Script(flags=flags), scale).play()
    assert end["outcome"] == "unverified"
    assert max(scale.sizes) <= 6 * 1024
    assert sum(scale.sizes) / 4 <= tokens
