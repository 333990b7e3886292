"""What init writes for Claude Code, read and obeyed by Claude Code itself. Runs where CODEINTEL_TRY_CLAUDE names it.

Tried with @anthropic-ai/claude-code 2.1.197. It needs no account and no network: its model is a script on loopback.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CLAUDE = os.environ.get("CODEINTEL_TRY_CLAUDE", "")  # read here: no test sees variables of this prefix
pytestmark = pytest.mark.skipif(not CLAUDE, reason="CODEINTEL_TRY_CLAUDE names no claude to try")

Run = Callable[..., str]
PRINT = ("-p", "do it", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits")
OURS = ("--mcp-config", ".mcp.json", "--allowedTools", "mcp__code-intel__*")


@pytest.fixture
def claude(project: Path, tmp_path: Path, model: Any) -> Run:
    """Run claude in the project, with a home of its own; returns what it printed."""
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",  # or the first turn may come before the server on a busy machine
        "MCP_CONNECT_TIMEOUT_MS": "60000",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [CLAUDE, *arguments],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_its_server_its_skill_and_its_rules_are_found(claude: Run, model: Any) -> None:
    assert "Command: codeintel\n  Args: serve" in claude("mcp", "get", "code-intel")
    hello = json.loads(claude(*PRINT, *OURS).splitlines()[0])
    assert ("code" in hello["skills"], "code" in hello["slash_commands"]) == (True, True)
    assert [server["status"] for server in hello["mcp_servers"] if server["name"] == "code-intel"] == ["connected"]
    assert "Use /code for changes to code." in model.results()


def test_a_write_in_the_wrong_phase_is_stopped_by_the_hook(claude: Run, project: Path, model: Any) -> None:
    query = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
    edit = {"file_path": str(project / "src/new.py"), "content": "x = 1\n"}
    shell = {"command": "echo 'x = 1' > src/new.py", "description": "write"}
    model.calls = [("mcp__code-intel__start_session", query), ("Write", edit), ("Bash", shell)]
    claude(*PRINT, *OURS, "Bash")
    assert model.results().count("Files can be changed only in READY (implement)") >= 2
    assert not (project / "src/new.py").exists()


def test_a_conversation_taken_up_again_is_told_where_the_session_stands(claude: Run, model: Any) -> None:
    model.calls = [("mcp__code-intel__start_session", {"intent": "QUESTION", "query": "What does add return?"})]
    claude(*PRINT, *OURS)
    model.calls, model.heard = [], []
    claude(*PRINT, "--continue")
    assert "What does add return?\\nYou are at step" in model.results()


@pytest.mark.parametrize("program", ["codeintel-guard", "no-such-guard"])
def test_without_a_session_or_without_the_program_nothing_is_stopped(
    program: str, claude: Run, project: Path, model: Any
) -> None:
    settings = project / ".claude/settings.json"
    settings.write_text(settings.read_text(encoding="utf-8").replace("codeintel-guard", program), encoding="utf-8")
    model.calls = [("Write", {"file_path": str(project / "src/new.py"), "content": "x = 1\n"})]
    claude(*PRINT)
    assert (project / "src/new.py").read_text(encoding="utf-8") == "x = 1\n"
