"""What init writes for Gemini CLI, read and obeyed by Gemini CLI itself. Runs where CODEINTEL_TRY_GEMINI names it.

Tried with @google/gemini-cli 0.61.0. It needs no account and no network: its model is a script on loopback. Gemini CLI
reads `.gemini/` of trusted folders only, which is granted here.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., str]
QUERY = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
PRINT = ("-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "do it")
START = ("mcp_code-intel_start_session", QUERY)
WRITES = [
    ("write_file", {"file_path": "src/new.py", "content": "x = 1\n"}),
    ("run_shell_command", {"command": "echo 'x = 1' > src/new.py", "description": "write"}),
]
MAKE = ("run_shell_command", {"command": "python3 make.py", "description": "make"})


def test_its_server_and_its_skill_are_found(gemini: Run, model: Any) -> None:
    assert "code-intel: codeintel serve (stdio) - Connected" in gemini("mcp", "list")
    model.calls = [("activate_skill", {"name": "code"})]
    gemini(*PRINT)
    assert "The `code-intel` server names each step" in model.results()
    model.calls, model.heard = [], []
    gemini(*PRINT[:-1], "/code-intel add subtract")
    assert "/code add subtract\\n\\nActivate the skill `code`" in model.results()


@pytest.mark.parametrize("write", WRITES)
def test_a_write_in_the_wrong_phase_is_stopped_by_the_hook(write: Any, gemini: Run, project: Path, model: Any) -> None:
    model.calls = [START, write]
    gemini(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_a_tool_of_another_server_is_stopped_as_well(
    gemini: Run, files_server: Callable[[str], None], project: Path, model: Any
) -> None:
    files_server("gemini")
    model.calls = [START, ("mcp_fs_write_file", {"path": str(project / "src/new.py"), "text": "x = 1\n"})]
    gemini(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_what_a_command_left_behind_is_reported_to_the_agent(gemini: Run, model: Any) -> None:
    model.calls = [START, MAKE]
    gemini(*PRINT)
    assert "This has changed files that may not differ now (1: src/app.py)" in model.results()


def test_a_conversation_taken_up_again_is_told_where_the_session_stands(gemini: Run, model: Any) -> None:
    model.calls = [START]
    gemini(*PRINT)
    model.calls, model.heard = [], []
    gemini(*PRINT, "--resume", "latest")
    assert "src/app.py\\nYou are at step" in model.results()


@pytest.mark.parametrize("program", ["codeintel-guard", "no-such-guard"])
def test_without_a_session_or_without_the_program_nothing_is_stopped(
    program: str, gemini: Run, project: Path, model: Any
) -> None:
    hooks = project / ".gemini/settings.json"
    hooks.write_text(hooks.read_text(encoding="utf-8").replace("codeintel-guard", program), encoding="utf-8")
    model.calls = [WRITES[0]]
    gemini(*PRINT)
    assert (project / "src/new.py").read_text(encoding="utf-8").rstrip() == "x = 1"
