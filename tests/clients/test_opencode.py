"""What init writes for opencode, read and obeyed by opencode itself. Runs where CODEINTEL_TRY_OPENCODE names it.

Tried with opencode-ai 1.18.33. It needs no account and no network: its model is a script on loopback. Where a project
has a folder `.opencode`, opencode tries to install a package of its own into it; without network it goes on without.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OPENCODE = os.environ.get("CODEINTEL_TRY_OPENCODE", "")  # read here: no test sees variables of this prefix
pytestmark = pytest.mark.skipif(not OPENCODE, reason="CODEINTEL_TRY_OPENCODE names no opencode to try")

Run = Callable[..., str]
QUERY = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
PRINT = ("run", "--auto", "-m", "fake/m", "do it")
START = ("code-intel_start_session", QUERY)
MAKE = ("bash", {"command": "python3 make.py", "description": "make"})


@pytest.fixture
def opencode(run_client: Run, model: Any) -> Run:
    """Run opencode in the project; returns what it printed."""
    options = {"baseURL": f"{model.url}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": options, "models": {"m": {"name": "m"}}}
    variables = {
        "OPENCODE_CONFIG_CONTENT": json.dumps({"provider": {"fake": provider}, "model": "fake/m"}),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "npm_config_registry": model.url,
    }
    return lambda *words: run_client([OPENCODE, *words], variables)


@pytest.fixture(params=["write", "bash"])
def write(request: pytest.FixtureRequest, project: Path) -> tuple[str, dict[str, Any]]:
    """A write; it takes the whole path of a file."""
    given = {"filePath": str(project / "src/new.py"), "content": "x = 1\n"}
    shell = {"command": "echo 'x = 1' > src/new.py", "description": "write"}
    return str(request.param), given if request.param == "write" else shell


def test_its_server_and_its_skill_are_found(opencode: Run, model: Any, project: Path) -> None:
    before = (project / "opencode.json").read_bytes()
    shown = opencode("mcp", "list")
    assert ("code-intel" in shown, "connected" in shown, "codeintel serve" in shown) == (True, True, True)
    model.calls = [("skill", {"name": "code"})]
    opencode(*PRINT)
    assert "The `code-intel` server names each step" in model.results()
    assert (project / "opencode.json").read_bytes() == before


def test_a_write_in_the_wrong_phase_is_stopped_by_the_plugin(
    write: Any, opencode: Run, project: Path, model: Any
) -> None:
    model.calls = [START, write]
    opencode(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_a_tool_of_another_server_is_stopped_as_well(
    opencode: Run, files_server: Callable[[str], None], project: Path, model: Any
) -> None:
    files_server("opencode")
    model.calls = [START, ("fs_write_file", {"path": str(project / "src/new.py"), "text": "x = 1\n"})]
    opencode(*PRINT)
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


def test_what_a_command_left_behind_is_reported_to_the_agent(opencode: Run, model: Any) -> None:
    model.calls = [START, MAKE]
    opencode(*PRINT)
    assert "This has changed files that may not differ now (1: src/app.py)" in model.results()


@pytest.mark.parametrize("program", ["-guard", "-no-such-guard"])
def test_without_a_session_or_without_the_program_nothing_is_stopped(
    program: str, write: Any, opencode: Run, project: Path, model: Any
) -> None:
    plugin = project / ".opencode/plugin/code-intel.js"
    plugin.write_text(plugin.read_text(encoding="utf-8").replace('"-guard"', f'"{program}"'), encoding="utf-8")
    model.calls = [write]
    opencode(*PRINT)
    assert (project / "src/new.py").read_text(encoding="utf-8").rstrip() == "x = 1"
