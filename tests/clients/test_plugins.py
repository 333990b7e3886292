"""The plugins, installed and obeyed by the clients themselves, in a project that holds no file of ours.

Each runs where its variable names the program (see `test_gemini.py` and the others), without account or network.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_session.testing import make_repo
from codeintel_templates.plugins import write_plugins

GEMINI, QWEN, CLAUDE = (os.environ.get(f"CODEINTEL_TRY_{name}", "") for name in ("GEMINI", "QWEN", "CLAUDE"))
Run = Callable[..., str]
QUERY = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
STOPPED = "Files can be changed only in READY (implement)"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository without any file of ours: what the client knows, it knows of the plugin."""
    return make_repo(tmp_path / "project", {"src/app.py": "def add(a, b):\n    return a + b\n"}).root


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """The plugins."""
    write_plugins(tmp_path / "plugins", ["codeintel"])
    return tmp_path / "plugins"


def left(project: Path) -> list[str]:
    """Return what lies in the project's folder, but for what the server keeps to itself."""
    return sorted(path.name for path in project.iterdir() if path.name not in (".git", ".code-intel"))


@pytest.mark.skipif(not GEMINI, reason="CODEINTEL_TRY_GEMINI names no gemini to try")
def test_the_extension_of_gemini_cli_serves_and_guards(
    run_client: Run, tmp_path: Path, project: Path, plugins: Path, model: Any
) -> None:
    (tmp_path / ".gemini").mkdir()
    settings = '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
    (tmp_path / ".gemini/settings.json").write_text(settings, encoding="utf-8")
    variables = {
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    }
    run_client([GEMINI, "extensions", "install", str(plugins / "gemini"), "--consent"], variables)
    write = ("write_file", {"file_path": "src/new.py", "content": "x = 1\n"})
    model.calls = [("mcp_code-intel_start_session", QUERY), write]
    run_client([GEMINI, "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "do it"], variables)
    assert STOPPED in model.results()
    assert (left(project), (project / "src/new.py").exists()) == (["src"], False)


@pytest.mark.skipif(not QWEN, reason="CODEINTEL_TRY_QWEN names no qwen to try")
def test_the_extension_of_qwen_code_serves_and_guards(
    run_client: Run, project: Path, plugins: Path, model: Any
) -> None:
    variables = {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "m"}
    run_client([QWEN, "extensions", "install", str(plugins / "qwen"), "--consent"], variables)
    write = ("write_file", {"file_path": str(project / "src/new.py"), "content": "x = 1\n"})
    model.calls = [("mcp__code-intel__start_session", QUERY), write]
    run_client([QWEN, "--auth-type", "openai", "--approval-mode", "yolo", "-p", "do it"], variables)
    assert STOPPED in model.results()
    assert (left(project), (project / "src/new.py").exists()) == (["src"], False)


@pytest.mark.skipif(not CLAUDE, reason="CODEINTEL_TRY_CLAUDE names no claude to try")
def test_the_plugin_of_claude_code_serves_and_guards(run_client: Run, project: Path, plugins: Path, model: Any) -> None:
    variables = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",
        "MCP_CONNECT_TIMEOUT_MS": "60000",
    }
    run_client([CLAUDE, "plugin", "validate", str(plugins / "claude")], variables)
    run_client([CLAUDE, "plugin", "marketplace", "add", str(plugins)], variables)
    run_client([CLAUDE, "plugin", "install", "code-intel@codeintel"], variables)
    tool = "mcp__plugin_code-intel_code-intel__start_session"
    write = ("Write", {"file_path": str(project / "src/new.py"), "content": "x = 1\n"})
    model.calls = [(tool, QUERY), write]
    run_client([CLAUDE, "-p", "do it", "--permission-mode", "acceptEdits", "--allowedTools", tool], variables)
    assert STOPPED in model.results()
    assert (left(project), (project / "src/new.py").exists()) == (["src"], False)


def test_the_plugins_say_what_the_files_of_a_project_say(plugins: Path) -> None:
    def read(name: str) -> Any:
        return json.loads((plugins / name).read_text(encoding="utf-8"))

    for client, manifest in (("claude", ".mcp.json"), ("codex", ".mcp.json"), ("gemini", "gemini-extension.json")):
        server = read(f"{client}/{manifest}")["mcpServers"]["code-intel"]
        assert (server["command"], server["args"]) == ("codeintel", ["serve"])
        assert f"codeintel-guard --client {client}" in json.dumps(read(f"{client}/hooks/hooks.json"))
        assert (plugins / client / "skills/code/SKILL.md").is_file()
    for market in (".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"):
        (entry,) = read(market)["plugins"]
        place = entry["source"] if isinstance(entry["source"], str) else entry["source"]["path"]
        folder = plugins / place
        assert any((folder / kind / "plugin.json").is_file() for kind in (".claude-plugin", ".codex-plugin"))
