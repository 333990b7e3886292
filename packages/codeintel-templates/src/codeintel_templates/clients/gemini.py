"""Gemini CLI: one file for its server and its hooks, events of its own, timeouts in milliseconds.

It drops the words behind an MCP prompt, so /code-intel is a command of its own that hands them to the skill.
"""

from __future__ import annotations

from codeintel_templates.clients.client import (
    NAME,
    SKILL,
    TIMEOUT_S,
    Client,
    Text,
    brief_line,
    extension_documents,
    lenient,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from codeintel_templates.clients.client import Answer, Document, Event

TOOL_TIMEOUT_MS = 1_000_000


class Gemini(Client):
    """Gemini CLI."""

    name = "gemini"
    next_step = "Start Gemini CLI here, trust the folder, then: /code-intel <what you want>"
    programs = ("gemini",)
    reader = "gemini"
    homes = (".gemini",)
    marks = (".gemini", "GEMINI.md")
    texts = (
        Text(".agents/skills/code/SKILL.md", "skill", SKILL),
        Text(".gemini/commands/code-intel.toml", "skill", "gemini/code-intel.toml"),
    )
    plugin_texts = (
        Text("skills/code/SKILL.md", "skill", SKILL),
        Text("commands/code-intel.toml", "skill", "gemini/code-intel.toml"),
    )
    entry_file = hooks_file = ".gemini/settings.json"
    entry_mode = "merge_jsonc"
    edits = ("write_file", "replace")
    shells = ("run_shell_command",)
    reads = ("read_file", "read_many_files", "grep_search", "glob")
    others = f"mcp_(?!{NAME}_).*"
    after_event = "AfterTool"
    prompt_event = "BeforeAgent"

    def entry(self, command: Sequence[str]) -> Answer:
        """Return our entry. run_verifier is as slow as the tests."""
        return {**super().entry(command), "timeout": TOOL_TIMEOUT_MS}

    def plugin(self, about: Document, command: Sequence[str]) -> dict[str, Answer]:
        """Return the documents of its extension, whose manifest holds the server."""
        return extension_documents("gemini-extension.json", self, about, command)

    def hooks(self, command: Sequence[str]) -> Answer:
        """Return our hooks. It denies a call whose hook fails; after a compression no hook can speak to the agent."""
        guard, brief = lenient(self.guard_line(command)), brief_line(command, self.name)
        return {
            "BeforeTool": [_on(guard, f"^({'|'.join((*self.edits, *self.shells, self.others))})$")],
            "AfterTool": [_on(guard, f"^({'|'.join((*self.reads, *self.shells, self.others))})$")],
            "BeforeAgent": [_on(guard)],
            "SessionStart": [_on(brief, "resume"), _on(brief, "clear")],
        }

    def prompt(self, document: Document) -> str | None:
        """Return what the user typed. Of the server's prompt `code`, which is reported whole, only a request."""
        text = super().prompt(document)
        is_skill = text is not None and text.startswith('"# /code')
        return text.partition("## The request")[2] if text and is_skill else text

    def read(self, document: Document) -> Event:
        """Return the call that a document of its hook is about. Its own names do not say where a server's name ends."""
        about = document.get("mcp_context")
        if isinstance(about, dict):
            document = {**document, "tool_name": f"mcp__{about.get('server_name')}__{about.get('tool_name')}"}
        return super().read(document)

    def answer(self, decision: str, reason: str) -> Answer:
        return {"decision": decision, "reason": reason}

    def tell(self, reason: str) -> Answer:
        """Return the answer after a call: what it says is added to the result of the tool."""
        return {"hookSpecificOutput": {"hookEventName": self.after_event, "additionalContext": reason}}

    def brief(self, text: str) -> str:
        """Return a text as a document; text alone is shown to its user."""
        import json

        return json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})

    def edit(self, path: str, folder: str) -> Answer:
        return {**super().edit(path, folder), "hook_event_name": "BeforeTool"}


def _on(line: str, matcher: str = "") -> Answer:
    hooks = [{"type": "command", "command": line, "timeout": TIMEOUT_S * 1000}]
    return {"matcher": matcher, "hooks": hooks} if matcher else {"hooks": hooks}


CLIENT = Gemini()
