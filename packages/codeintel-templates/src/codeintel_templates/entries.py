"""How each client is told to start the server: one function per shape of configuration file.

An entry is the value that stands at a row's keys. It is built from the command alone, so that what is
committed holds no path of the machine it was made on.
"""

from collections.abc import Callable, Sequence
from typing import Any

Entry = Callable[[Sequence[str]], dict[str, Any]]
"""Takes the command (program and leading arguments) and returns the client's entry."""


def claude(command: Sequence[str]) -> dict[str, Any]:
    """Entry of `.mcp.json`. Claude Code tells the server its project through the environment."""
    return {"type": "stdio", "command": command[0], "args": [*command[1:], "serve"]}


def cursor(command: Sequence[str]) -> dict[str, Any]:
    """Entry of `.cursor/mcp.json`, which knows no `type`."""
    return {"command": command[0], "args": [*command[1:], "serve"]}


def vscode(command: Sequence[str]) -> dict[str, Any]:
    """Entry of `.vscode/mcp.json`. The folder is named because the working directory is not promised."""
    return {
        "type": "stdio",
        "command": command[0],
        "args": [*command[1:], "serve", "--project", "${workspaceFolder}"],
    }


def codex(command: Sequence[str]) -> dict[str, Any]:
    """Entry of `.codex/config.toml`. A first start through uvx is slow, and run_verifier is as slow as the tests."""
    return {
        "command": command[0],
        "args": [*command[1:], "serve"],
        "startup_timeout_sec": 60,
        "tool_timeout_sec": 1000,
    }
