"""What init writes for GitHub Copilot CLI, read and obeyed by it. Runs where CODEINTEL_TRY_COPILOT names it.

Tried with @github/copilot 1.0.102. It needs no account and no network: its model is a script on loopback. Copilot reads
the configuration of trusted folders only; COPILOT_ALLOW_ALL grants that here.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COPILOT = os.environ.get("CODEINTEL_TRY_COPILOT", "")  # read here: no test sees variables of this prefix
pytestmark = pytest.mark.skipif(not COPILOT, reason="CODEINTEL_TRY_COPILOT names no copilot to try")

Run = Callable[..., str]
QUERY = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
PRINT = ("-p", "do it")
START = ("code-intel-start_session", QUERY)
MAKE = ("bash", {"command": "python3 make.py", "description": "make"})


@pytest.fixture
def copilot(run_client: Run, model: Any) -> Run:
    """Run copilot in the project; returns what it printed."""
    variables = {
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "m",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_ALLOW_ALL": "true",
    }
    return lambda *words, **more: run_client([COPILOT, *words], variables | more)


@pytest.fixture(params=["create", "bash"])
def write(request: pytest.FixtureRequest, project: Path) -> tuple[str, dict[str, Any]]:
    """A write; it takes the whole path of a file."""
    given = {"path": str(project / "src/new.py"), "file_text": "x = 1\n"}
    shell = {"command": "echo 'x = 1' > src/new.py", "description": "write"}
    return str(request.param), given if request.param == "create" else shell


def test_its_server_and_its_skill_are_found(copilot: Run, model: Any) -> None:
    assert "Workspace servers:\n  code-intel (local)" in copilot("mcp", "list")
    model.calls = [("skill", {"skill": "code"})]
    copilot(*PRINT)
    assert "The `code-intel` server names each step" in model.results()


def test_a_write_in_the_wrong_phase_is_stopped_by_the_hook(write: Any, copilot: Run, project: Path, model: Any) -> None:
    model.calls = [START, write]
    copilot(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_a_tool_of_another_server_is_stopped_as_well(
    copilot: Run, files_server: Callable[[str], None], project: Path, model: Any
) -> None:
    files_server("copilot")
    model.calls = [START, ("fs-write_file", {"path": str(project / "src/new.py"), "text": "x = 1\n"})]
    copilot(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_what_a_command_left_behind_is_reported_to_the_agent(copilot: Run, model: Any) -> None:
    model.calls = [START, MAKE]
    copilot(*PRINT)
    assert "This has changed files that may not differ now (1: src/app.py)" in model.results()


def test_a_patch_in_the_wrong_phase_is_stopped_by_the_hook(copilot: Run, project: Path, model: Any) -> None:
    patch = "*** Begin Patch\n*** Add File: src/new.py\n+x = 1\n*** End Patch\n"
    model.calls = [START, ("apply_patch", {"input": patch})]
    copilot(*PRINT, COPILOT_MODEL="gpt-5.4")  # a model that is offered this tool
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_a_conversation_taken_up_again_is_told_where_the_session_stands(copilot: Run, model: Any) -> None:
    model.calls = [START]
    copilot(*PRINT)
    model.calls, model.heard = [], []
    copilot(*PRINT, "--continue")
    assert "src/app.py\\nYou are at step" in model.results()


@pytest.mark.parametrize("program", ["codeintel-guard", "no-such-guard"])
def test_without_a_session_or_without_the_program_nothing_is_stopped(
    program: str, write: Any, copilot: Run, project: Path, model: Any
) -> None:
    hooks = project / ".github/hooks/code-intel.json"
    hooks.write_text(hooks.read_text(encoding="utf-8").replace("codeintel-guard", program), encoding="utf-8")
    model.calls = [write]
    copilot(*PRINT)
    assert (project / "src/new.py").read_text(encoding="utf-8").rstrip() == "x = 1"
