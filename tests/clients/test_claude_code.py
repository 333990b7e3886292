"""What init writes for Claude Code, read and obeyed by Claude Code itself. Runs where CODEINTEL_TRY_CLAUDE names it.

Tried with @anthropic-ai/claude-code 2.1.197. It needs no account and no network: its model is a script on loopback.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., str]
PRINT = ("-p", "do it", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits")
OURS = ("--mcp-config", ".mcp.json", "--allowedTools", "mcp__code-intel__*")


def test_its_server_its_skill_and_its_rules_are_found(claude: Run, model: Any) -> None:
    assert "Command: codeintel\n  Args: serve" in claude("mcp", "get", "code-intel")
    hello = json.loads(next(line for line in claude(*PRINT, *OURS).splitlines() if line.startswith("{")))
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
