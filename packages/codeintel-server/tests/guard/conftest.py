"""A project with a gate: src/a.py explored, src/b.py not, src/planned.py named by the plan, build/ ignored."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeintel_server.guard.main import respond
from codeintel_server.testing import guarded_work, make_guarded, write_gate

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, in a git repository."""
    root = tmp_path_factory.mktemp("guard") / "project"
    root.mkdir()
    return make_guarded(root)


@pytest.fixture
def gate(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Path]:
    """Write the gate file; what is given replaces what it says."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("codeintel_server.guard.main.DEADLINE_S", 60.0)  # a busy machine must not decide
    monkeypatch.setattr("codeintel_server.guard.gate.is_scratch", lambda path: _is_scratch(path, folder, home))

    def write(root: Path = folder, pid: int | None = None, **said: Any) -> Path:
        return write_gate(root, guarded_work(**said), pid)

    return write


def _is_scratch(path: str, folder: Path, home: Path) -> bool:
    """Tests live below the temporary folder, so the project's and the home's surroundings are taken out of it."""
    mine = (str(folder.parent), str(home))
    return path.startswith(("/tmp", "/dev")) and not path.startswith(mine)


@pytest.fixture
def ask(folder: Path) -> Ask:
    """The decision and reason for a call, ("", "") where nothing is said."""

    def call(tool: str, cwd: Path = folder, client: str = "claude", **given: object) -> tuple[str, str]:
        document = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": str(cwd)}
        return decision(respond(["--client", client], json.dumps(document).encode()))

    return call  # type: ignore[return-value]


def decision(answer: dict[str, Any]) -> tuple[str, str]:
    """What an answer in the form of Claude Code decides, and why."""
    said = answer.get("hookSpecificOutput", {})
    return said.get("permissionDecision", ""), said.get("permissionDecisionReason", "")
