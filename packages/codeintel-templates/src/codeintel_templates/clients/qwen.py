"""Qwen Code: the hooks of Claude Code with tools of its own, in one file with its server."""

from __future__ import annotations

from codeintel_templates.clients.client import NAME, SKILL, Client, Text, extension_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from codeintel_templates.clients.client import Answer, Document

TOOL_TIMEOUT_MS = 1_000_000
START_TIMEOUT_MS = 60_000


class Qwen(Client):
    """Qwen Code."""

    name = "qwen"
    next_step = "Start Qwen Code here, approve the code-intel server, then: /code <what you want>"
    programs = ("qwen",)
    homes = (".qwen",)
    marks = (".qwen", "QWEN.md")
    texts = (Text(".agents/skills/code/SKILL.md", "skill", SKILL),)
    plugin_texts = (Text("skills/code/SKILL.md", "skill", SKILL),)
    entry_file = hooks_file = ".qwen/settings.json"
    entry_mode = "merge_jsonc"
    entry_beside: ClassVar[Document] = {"$version": 4}  # else Qwen Code writes it itself
    edits = ("write_file", "edit", "notebook_edit")
    shells = ("run_shell_command",)
    reads = ("read_file", "grep_search", "glob")
    others = f"mcp__(?!{NAME}__).*"
    asks = True

    def entry(self, command: Sequence[str]) -> Answer:
        """Return our entry. A first start through uvx is slow, and run_verifier is as slow as the tests."""
        return {**super().entry(command), "timeout": TOOL_TIMEOUT_MS, "discoveryTimeoutMs": START_TIMEOUT_MS}

    def plugin(self, about: Document, command: Sequence[str]) -> dict[str, Answer]:
        """Return the documents of its extension, whose manifest holds the server."""
        return extension_documents("qwen-extension.json", self, about, command)

    def prompt(self, document: Document) -> str | None:
        """Return what the user typed. `prompt` may be a tool's result there, so only `submitted_prompt` counts."""
        text = document.get("submitted_prompt")
        return text if isinstance(text, str) and super().prompt(document) is not None else None

    def tell(self, reason: str) -> Answer:
        """Return the answer after a call: what it says is added to the result of the tool."""
        return {"hookSpecificOutput": {"hookEventName": self.after_event, "additionalContext": reason}}


CLIENT = Qwen()
