"""What each client's hook sends and how it wants to be answered. A client is a row of `CLIENTS`.

All answers are JSON with exit code 0: for these programs exit code 2 blocks whatever it was, and any other lets pass.
"""

from __future__ import annotations

import json

from codeintel_server.hook.events import SHELLS, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Client:
    """How a client speaks. `decide` makes the answer from a decision (deny or ask) and its reason.

    One that does not `ask` lets the call pass when it is told to: Codex takes the answer for a failed hook, Cursor
    asks before commands alone.
    """

    __slots__ = ("asks", "decide", "read")

    def __init__(
        self, read: Callable[[Mapping[str, Any]], Event], decide: Callable[[str, str], dict[str, Any]], asks: bool
    ) -> None:
        self.read = read
        self.decide = decide
        self.asks = asks


def _read(document: Mapping[str, Any]) -> Event:
    """The form of Claude Code, which Codex and Cursor's tool events share but for spelling."""
    name = str(document.get("hook_event_name", document.get("hookEventName", "PreToolUse")))
    tool = str(document.get("tool_name", document.get("toolName", "")))
    given = document.get("tool_input", document.get("toolInput")) or {}
    if isinstance(given, str):
        given = json.loads(given) if given.lstrip().startswith("{") else {"command": given}
    folder = str(document.get("cwd") or ".")
    is_before = name.lower() != "posttooluse"
    if tool == "apply_patch":
        from codeintel_server.hook.patches import in_blocks

        text = given.get("command", given.get("patch", given.get("input", "")))
        return Event(folder, is_before, tool, in_blocks(_text(text)))
    if tool in SHELLS:
        return Event(folder, is_before, tool, line=_joined(given.get("command", given.get("cmd", ""))))
    paths = (given.get(key) for key in ("file_path", "filePath", "path", "notebook_path", "target_file"))
    return Event(folder, is_before, tool, [str(path) for path in paths if path])


def _cursor(document: Mapping[str, Any]) -> Event:
    """Cursor: events of their own for commands and reading, and tool events as above."""
    name = str(document.get("hook_event_name", ""))
    roots = document.get("workspace_roots") or ["."]
    folder = str(document.get("cwd") or roots[0])
    if name == "beforeShellExecution":
        return Event(folder, True, "Shell", line=str(document.get("command", "")))
    if name == "beforeReadFile":
        return Event(folder, False, "Read", [str(document.get("file_path", ""))])
    return _read({**document, "cwd": folder})


def _text(patch: object) -> str:
    """A patch given as a list has the program before it."""
    return "\n".join(str(word) for word in patch) if isinstance(patch, list) else str(patch)


def _joined(command: object) -> str:
    """A command given as a list of words is a shell's -c, or a program with its words."""
    if isinstance(command, list):
        words = [str(word) for word in command]
        if len(words) >= 3 and words[1] in ("-c", "-lc"):
            return words[2]
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    return str(command)


def _permission(decision: str, reason: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }
    }


def _cursor_permission(decision: str, reason: str) -> dict[str, Any]:
    return {"permission": decision, "user_message": reason, "agent_message": reason}


CLIENTS: dict[str, Client] = {
    "claude": Client(_read, _permission, asks=True),
    "codex": Client(_read, _permission, asks=False),
    "cursor": Client(_cursor, _cursor_permission, asks=False),
}
