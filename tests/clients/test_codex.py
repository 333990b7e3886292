"""What init writes for Codex, read and obeyed by Codex itself. Runs where CODEINTEL_TRY_CODEX names it.

Tried with @openai/codex 0.169.0. It needs no account and no network: its model is a script on loopback. Codex reads
`.codex/` of trusted projects only, and runs hooks that its user reviewed; both are granted here.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CODEX = os.environ.get("CODEINTEL_TRY_CODEX", "")  # read here: no test sees variables of this prefix
pytestmark = pytest.mark.skipif(not CODEX, reason="CODEINTEL_TRY_CODEX names no codex to try")

Run = Callable[..., str]
CONFIG = """
model_provider = "fake"
model = "gpt-5.6-sol"
mcp_optional_startup_grace_ms = 60000
[projects."PROJECT"]
trust_level = "trusted"
[model_providers.fake]
name = "fake"
base_url = "URL/v1"
wire_api = "responses"
"""
PATCH = "*** Begin Patch\n*** Add File: src/new.py\n+x = 1\n*** End Patch\n"


@pytest.fixture
def start(project: Path, tmp_path: Path, model: Any) -> Callable[..., "subprocess.Popen[str]"]:
    """Start codex in the project, which it trusts, with a home of its own."""
    home = tmp_path / "codex"
    home.mkdir()
    config = CONFIG.replace("PROJECT", str(project)).replace("URL", model.url)
    (home / "config.toml").write_text(config, encoding="utf-8")
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(tmp_path),
        "CODEX_HOME": str(home),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return lambda *words: subprocess.Popen([CODEX, *words], cwd=project, env=environment, text=True, **pipes)


@pytest.fixture
def codex(start: Callable[..., "subprocess.Popen[str]"]) -> Run:
    """Run codex to its end; returns what it printed."""

    def run(*words: str) -> str:
        with start(*words) as process:
            said, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        return said

    return run


@pytest.fixture
def ask(start: Callable[..., "subprocess.Popen[str]"]) -> Callable[..., dict[str, Any]]:
    """What its app server answers to a method."""
    hello = {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "t", "title": "t", "version": "0"}}}

    def run(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        calls = [hello, {"method": "initialized"}, {"id": 2, "method": method, "params": parameters}]
        with start("app-server") as process:
            process.stdin.write("".join(json.dumps(call) + "\n" for call in calls))
            process.stdin.flush()
            answer = next(answer for line in process.stdout if (answer := json.loads(line)).get("id") == 2)
            process.kill()
        return dict(answer["result"])

    return run


def test_its_server_is_found(codex: Run) -> None:
    (server,) = json.loads(codex("mcp", "list", "--json"))
    assert (server["name"], server["enabled"]) == ("code-intel", True)
    assert (server["transport"]["command"], server["transport"]["args"]) == ("codeintel", ["serve"])


def test_its_hooks_and_its_skill_are_found_without_a_complaint(
    ask: Callable[..., dict[str, Any]], project: Path
) -> None:
    (found,) = ask("hooks/list", {"cwds": [str(project)]})["data"]
    assert (found["warnings"], found["errors"]) == ([], [])
    assert {hook["eventName"] for hook in found["hooks"]} >= {"preToolUse", "sessionStart"}
    (found,) = ask("skills/list", {"cwds": [str(project)]})["data"]
    assert [skill["enabled"] for skill in found["skills"] if skill["scope"] == "repo"] == [True]


@pytest.mark.parametrize("write", [("apply_patch", PATCH), ("exec_command", {"cmd": "echo 'x = 1' > src/new.py"})])
def test_a_write_in_the_wrong_phase_is_stopped_by_the_hook(write: Any, codex: Run, project: Path, model: Any) -> None:
    query = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
    model.calls = [("mcp__code_intel/start_session", query), write]
    approve = ("-c", 'mcp_servers.code-intel.default_tools_approval_mode="approve"')
    codex("exec", "--dangerously-bypass-hook-trust", "-s", "workspace-write", *approve, "add it")
    assert "Files can be changed only in READY (implement)" in model.results()
    assert not (project / "src/new.py").exists()


@pytest.mark.parametrize("program", ["codeintel-guard", "no-such-guard"])
def test_without_a_session_or_without_the_program_nothing_is_stopped(
    program: str, codex: Run, project: Path, model: Any
) -> None:
    hooks = project / ".codex/hooks.json"
    hooks.write_text(hooks.read_text(encoding="utf-8").replace("codeintel-guard", program), encoding="utf-8")
    model.calls = [("apply_patch", PATCH)]
    codex("exec", "--dangerously-bypass-hook-trust", "-s", "workspace-write", "add it")
    assert (project / "src/new.py").read_text(encoding="utf-8") == "x = 1\n"
