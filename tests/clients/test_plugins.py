"""The plugins, installed and obeyed by the clients themselves, in a project that holds no file of ours.

Each runs where its variable names the program (see `test_gemini.py` and the others), without account or network.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_templates.plugins import write_plugins

Run = Callable[..., str]
QUERY = {"intent": "IMPLEMENT", "query": "Add a function subtract to src/app.py"}
STOPPED = "Files can be changed only in READY (implement)"


@pytest.fixture
def project(bare_project: Path) -> Path:
    """A repository without any file of ours: what the client knows, it knows of the plugin."""
    return bare_project


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """The plugins."""
    write_plugins(tmp_path / "plugins", ["codeintel"])
    return tmp_path / "plugins"


def left(project: Path) -> list[str]:
    """Return what lies in the project's folder, but for what the server keeps to itself."""
    return sorted(path.name for path in project.iterdir() if path.name not in (".git", ".code-intel"))


def test_the_extension_of_gemini_cli_serves_and_guards(gemini: Run, project: Path, plugins: Path, model: Any) -> None:
    gemini("extensions", "install", str(plugins / "gemini"), "--consent")
    write = ("write_file", {"file_path": "src/new.py", "content": "x = 1\n"})
    model.calls = [("mcp_code-intel_start_session", QUERY), write]
    gemini("-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "do it")
    assert STOPPED in model.results()
    assert (left(project), (project / "src/new.py").exists()) == (["src"], False)


def test_the_extension_of_qwen_code_serves_and_guards(qwen: Run, project: Path, plugins: Path, model: Any) -> None:
    qwen("extensions", "install", str(plugins / "qwen"), "--consent")
    write = ("write_file", {"file_path": str(project / "src/new.py"), "content": "x = 1\n"})
    model.calls = [("mcp__code-intel__start_session", QUERY), write]
    qwen("--auth-type", "openai", "--approval-mode", "yolo", "-p", "do it")
    assert STOPPED in model.results()
    assert (left(project), (project / "src/new.py").exists()) == (["src"], False)


def spelled(calls: list[tuple[str, Any]], prefix: str, write: tuple[str, Any]) -> list[tuple[str, Any]]:
    """Return calls as a client names the tools, with a write after the first one."""
    first, *rest = [(f"{prefix}{tool}", arguments) for tool, arguments in calls]
    return [first, write, *rest]


@pytest.mark.anyio
async def test_the_plugin_of_claude_code_serves_a_session_to_its_end_and_guards(
    claude: Run, project: Path, plugins: Path, model: Any, question: list[tuple[str, Any]]
) -> None:
    claude("plugin", "validate", str(plugins / "claude"))
    claude("plugin", "marketplace", "add", str(plugins))
    claude("plugin", "install", "code-intel@codeintel")
    prefix = "mcp__plugin_code-intel_code-intel__"
    write = ("Write", {"file_path": str(project / "src/new.py"), "content": "x = 1\n"})
    model.calls = spelled(question, prefix, write)
    claude("-p", "do it", "--permission-mode", "acceptEdits", "--allowedTools", f"{prefix}*")
    assert (STOPPED in model.results(), "The investigation is complete" in model.results()) == (True, True)
    assert (left(project), (project / "src/new.py").exists()) == (["src"], False)


@pytest.mark.anyio
async def test_the_plugin_of_codex_serves_a_session_to_its_end_and_guards(
    codex: Run, project: Path, plugins: Path, model: Any, question: list[tuple[str, Any]]
) -> None:
    codex("plugin", "marketplace", "add", str(plugins))
    codex("plugin", "add", "code-intel@codeintel")
    write = ("apply_patch", "*** Begin Patch\n*** Add File: src/new.py\n+x = 1\n*** End Patch\n")
    model.calls = spelled(question, "mcp__code_intel/", write)
    approve = ("-c", 'plugins.code-intel@codeintel.mcp_servers.code-intel.default_tools_approval_mode="approve"')
    codex("exec", "--dangerously-bypass-hook-trust", "-s", "workspace-write", *approve, "add it")
    assert (STOPPED in model.results(), "The investigation is complete" in model.results()) == (True, True)
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
