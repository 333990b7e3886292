"""GitHub Copilot CLI: its own file for the entry, and hooks that it hands documents in the form of Claude Code."""

from __future__ import annotations

from codeintel_templates.clients.client import NAME, SKILL, TIMEOUT_S, Client, Event, Text, brief_line, lenient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from codeintel_templates.clients.client import Answer, Document


TOOL_TIMEOUT_MS = 1_000_000


class Copilot(Client):
    """GitHub Copilot CLI."""

    name = "copilot"
    next_step = "Start copilot here, trust the folder, then: /code <what you want>"
    programs = ("copilot",)
    homes = (".copilot",)
    marks = (".github/mcp.json", ".github/copilot-instructions.md")
    texts = (Text(".agents/skills/code/SKILL.md", "skill", SKILL),)
    entry_file = ".github/mcp.json"
    hooks_file = ".github/hooks/code-intel.json"
    hooks_beside: ClassVar[Document] = {"version": 1}
    edits = ("Edit", "Write", "MultiEdit", "apply_patch")
    shells = ("Bash", "powershell")
    reads = ("Read", "Grep", "Glob")
    others = "mcp__.*|.+-.+"  # a name is `server-tool`, ours too

    def entry(self, command: Sequence[str]) -> Answer:
        """Return our entry. run_verifier is as slow as the tests."""
        return {"type": "stdio", **super().entry(command), "tools": ["*"], "timeout": TOOL_TIMEOUT_MS}

    def hooks(self, command: Sequence[str]) -> Answer:
        """Return our hooks. With names of this spelling it sends the documents that Claude Code sends.

        It denies a call whose hook fails. Of a matcher for `SessionStart` it takes no notice.
        """
        guard, brief = self._hook(lenient(self.guard_line(command))), self._hook(brief_line(command, self.name))
        return {
            "PreToolUse": [{"matcher": "|".join((*self.edits, *self.shells, self.others)), **guard}],
            "PostToolUse": [{"matcher": "|".join((*self.reads, *self.shells, self.others)), **guard}],
            "UserPromptSubmit": [guard],
            "SessionStart": [brief],
        }

    def brief(self, text: str) -> str:
        """Return a text as a document; of text alone it takes no notice."""
        import json

        return json.dumps({"additionalContext": text})

    def is_reading(self, tool: str) -> bool:
        """Say whether a tool only shows files. Its hooks are run for those of our server, too."""
        return tool.startswith(f"{NAME}-") or super().is_reading(tool)

    def read(self, document: Document) -> Event:
        """Return the call that a document of its hook is about. A patch comes as the input of `Edit`."""
        given = document.get("tool_input")
        patch = given.get("input") if isinstance(given, dict) else given
        if isinstance(patch, str) and "*** Begin Patch" in patch:
            document = {**document, "tool_name": "apply_patch", "tool_input": {"input": patch}}
        return super().read(document)

    def _hook(self, line: str) -> Answer:
        return {"type": "command", "command": line, "timeoutSec": TIMEOUT_S}


CLIENT = Copilot()
