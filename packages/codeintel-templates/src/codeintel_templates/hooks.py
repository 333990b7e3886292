"""Which hooks each client is given: one function per client, an object of events, each with a list.

The program is named plainly, without a shell around it: where it is missing the client gets exit code 127, which
Claude Code and Codex do not take for a refusal (tried; Cursor's documentation says the same), so that a machine
without codeintel can still be worked on.
"""

import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

TIMEOUT_S = 10
STARTS = "compact|resume|clear"
"""After these a client has forgotten where the session stands, and is told again."""


def claude(command: Sequence[str]) -> dict[str, Any]:
    """Hooks of `.claude/settings.json`."""
    guard = f"{_guard(command)} --client claude"
    return {
        "PreToolUse": [_group("Edit|Write|MultiEdit|NotebookEdit|Bash", guard)],
        "PostToolUse": [_group("Read|Grep|Glob", guard)],
        "SessionStart": [_group(STARTS, _brief(command))],
    }


def codex(command: Sequence[str]) -> dict[str, Any]:
    """Hooks of `.codex/hooks.json`: edits are `apply_patch` there, and files are read by commands alone."""
    guard = f"{_guard(command)} --client codex"
    return {
        "PreToolUse": [_group("apply_patch|Bash", guard)],
        "SessionStart": [_group(STARTS, _brief(command))],
    }


def cursor(command: Sequence[str]) -> dict[str, Any]:
    """Hooks of `.cursor/hooks.json`, a flat form."""
    guard = f"{_guard(command)} --client cursor"
    return {
        "preToolUse": [{"command": guard, "matcher": "Write|StrReplace|Edit|Delete"}],
        "beforeShellExecution": [{"command": guard}],
        "beforeReadFile": [{"command": guard}],
    }


def _group(matcher: str, line: str) -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": line, "timeout": TIMEOUT_S}]}


def _guard(command: Sequence[str]) -> str:
    """`codeintel-guard` as it is reached where the server is `codeintel`, or the last word of what starts it."""
    *before, program = command
    name = PurePosixPath(program)
    return shlex.join([*before, str(name.with_name("codeintel-guard"))])


def _brief(command: Sequence[str]) -> str:
    return shlex.join([*command, "brief"])
