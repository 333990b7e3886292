"""opencode: an entry whose command is one list. Its hooks are a plugin, a program in JavaScript that asks the guard."""

from __future__ import annotations

from codeintel_templates.clients.client import NAME, SKILL, Client, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from codeintel_templates.clients.client import Answer, Document

TOOL_TIMEOUT_MS = 1_000_000


class OpenCode(Client):
    """opencode."""

    name = "opencode"
    next_step = "Start opencode here, then: /code <what you want>"
    programs = ("opencode",)
    homes = (".config/opencode",)
    marks = (".opencode", "opencode.json", "opencode.jsonc")
    texts = (
        Text(".agents/skills/code/SKILL.md", "skill", SKILL),
        Text(".opencode/plugin/code-intel.js", "hooks", "opencode/code-intel.js"),
    )
    entry_file = "opencode.json"
    entry_keys = ("mcp", NAME)
    entry_mode = "merge_jsonc"
    entry_beside: ClassVar[Document] = {"$schema": "https://opencode.ai/config.json"}  # else opencode writes it itself
    edits = ("write", "edit", "apply_patch")
    shells = ("bash",)
    reads = ("read", "grep", "glob", "list")

    def entry(self, command: Sequence[str]) -> Answer:
        """Return our entry. run_verifier is as slow as the tests."""
        return {"type": "local", "command": [*command, "serve"], "enabled": True, "timeout": TOOL_TIMEOUT_MS}

    def words(self, entry: Document) -> list[str]:
        """Return the command of an entry, as its client starts it."""
        command = entry.get("command")
        return [str(word) for word in command] if isinstance(command, list) else []

    def is_reading(self, tool: str) -> bool:
        """Say whether a tool only shows files. The plugin asks about every tool, also about those of our server."""
        return tool.startswith(f"{NAME}_") or super().is_reading(tool)

    def answer(self, decision: str, reason: str) -> Answer:
        """Return the answer for a decision; the plugin throws its reason."""
        return {"decision": decision, "reason": reason}

    def edit(self, path: str, folder: str) -> Answer:
        """Return the document for an edit of a file."""
        return {**super().edit(path, folder), "tool_input": {"filePath": path}}


CLIENT = OpenCode()
