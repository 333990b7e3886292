"""Cursor: events of their own for commands and for reading, and a form of its own for answers."""

from __future__ import annotations

from codeintel_templates.clients.client import Client, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from codeintel_templates.clients.client import Answer, Document


class Cursor(Client):
    """Cursor."""

    name = "cursor"
    next_step = "Open the folder in Cursor, enable code-intel under MCP, then run its prompt `code`"
    programs = ("cursor", "cursor-agent")
    homes = (".cursor",)
    marks = (".cursor", ".cursorrules")
    entry_file = ".cursor/mcp.json"
    hooks_file = ".cursor/hooks.json"
    hooks_beside: ClassVar[Document] = {"version": 1}
    edits = ("Write", "StrReplace", "Edit", "Delete")
    shells = ("Shell",)
    reads = ("Read", "Grep", "Glob", "read_file")

    def hooks(self, command: Sequence[str]) -> Answer:
        guard = self.guard_line(command)
        return {
            "preToolUse": [{"command": guard, "matcher": "|".join(self.edits)}],
            "beforeShellExecution": [{"command": guard}],
            "beforeMCPExecution": [{"command": guard}],
            "beforeReadFile": [{"command": guard}],
        }

    def read(self, document: Document) -> Event:
        name = str(document.get("hook_event_name", ""))
        roots = document.get("workspace_roots") or ["."]
        folder = str(document.get("cwd") or roots[0])
        if name == "beforeShellExecution":
            return Event(folder, "Shell", line=str(document.get("command", "")), moment="write")
        if name == "beforeReadFile":
            return Event(folder, "Read", [str(document.get("file_path", ""))], moment="read")
        if name == "beforeMCPExecution":  # where the name of a tool comes without that of its server
            from codeintel_contract import TOOL_NAMES

            if document.get("tool_name") in TOOL_NAMES:
                return Event(folder)
        return super().read({**document, "cwd": folder})

    def answer(self, decision: str, reason: str) -> Answer:
        return {"permission": decision, "user_message": reason, "agent_message": reason}

    def edit(self, path: str, folder: str) -> Answer:
        return {**super().edit(path, ""), "hook_event_name": "preToolUse", "workspace_roots": [folder]}


CLIENT = Cursor()
