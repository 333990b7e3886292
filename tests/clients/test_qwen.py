"""What init writes for Qwen Code, read and obeyed by Qwen Code itself. Runs where CODEINTEL_TRY_QWEN names it.

Tried with @qwen-code/qwen-code 0.24.4. It needs no account and no network: its model is a script on loopback. Qwen Code
starts a project's server after its user approved it, which is granted here.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., str]
QUERY = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
PRINT = ("--auth-type", "openai", "--approval-mode", "yolo", "-p", "do it")
START = ("mcp__code-intel__start_session", QUERY)
SHELL = {"description": "write", "is_background": False}
MAKE = ("run_shell_command", {"command": "python3 make.py", **SHELL})


@pytest.fixture
def qwen(qwen: Run) -> Run:
    """Run qwen in the project, whose server is approved."""
    qwen("mcp", "approve", "--all")
    return qwen


@pytest.fixture(params=["write_file", "run_shell_command"])
def write(request: pytest.FixtureRequest, project: Path) -> tuple[str, dict[str, Any]]:
    """A write; it takes the whole path of a file."""
    given = {"file_path": str(project / "src/new.py"), "content": "x = 1\n"}
    shell = {"command": "echo 'x = 1' > src/new.py", **SHELL}
    return str(request.param), given if request.param == "write_file" else shell


def test_its_server_and_its_skill_are_found(qwen: Run, model: Any, project: Path) -> None:
    before = (project / ".qwen/settings.json").read_bytes()
    assert "code-intel: codeintel serve (stdio) - Connected" in qwen("mcp", "list")
    model.calls = [("skill", {"skill": "code"})]
    qwen(*PRINT)
    assert "The `code-intel` server names each step" in model.results()
    assert (project / ".qwen/settings.json").read_bytes() == before


def test_a_write_in_the_wrong_phase_is_stopped_by_the_hook(write: Any, qwen: Run, project: Path, model: Any) -> None:
    model.calls = [START, write]
    qwen(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_a_tool_of_another_server_is_stopped_as_well(
    qwen: Run, files_server: Callable[[str], None], project: Path, model: Any
) -> None:
    files_server("qwen")
    model.calls = [START, ("mcp__fs__write_file", {"path": str(project / "src/new.py"), "text": "x = 1\n"})]
    qwen(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_what_a_command_left_behind_is_reported_to_the_agent(qwen: Run, model: Any) -> None:
    model.calls = [START, MAKE]
    qwen(*PRINT)
    assert "This has changed files that may not differ now (1: src/app.py)" in model.results()


def test_a_conversation_taken_up_again_is_told_where_the_session_stands(qwen: Run, model: Any) -> None:
    model.calls = [START]
    qwen(*PRINT)
    model.calls, model.heard = [], []
    qwen(*PRINT, "--continue")
    assert "src/app.py\\nYou are at step" in model.results()


@pytest.mark.parametrize("program", ["codeintel-guard", "no-such-guard"])
def test_without_a_session_or_without_the_program_nothing_is_stopped(
    program: str, write: Any, qwen: Run, project: Path, model: Any
) -> None:
    hooks = project / ".qwen/settings.json"
    hooks.write_text(hooks.read_text(encoding="utf-8").replace("codeintel-guard", program), encoding="utf-8")
    model.calls = [write]
    qwen(*PRINT)
    assert (project / "src/new.py").read_text(encoding="utf-8").rstrip() == "x = 1"
