"""Claude Code. It names the project to the server through the environment."""

from __future__ import annotations

from codeintel_templates.clients.client import NAME, SKILL, Client, Text, plugin_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from codeintel_templates.clients.client import Answer, Document


class Claude(Client):
    """Claude Code."""

    name = "claude"
    next_step = "Start Claude Code here, approve the code-intel server, then: /code <what you want>"
    programs = ("claude",)
    reader = "claude -p"
    homes = (".claude",)
    marks = (".claude", ".mcp.json", "CLAUDE.md")
    texts = (
        Text(".claude/CLAUDE.md", "rules", "claude/CLAUDE.md", is_theirs=True, unless=("CLAUDE.md", "AGENTS.md")),
        Text(".claude/skills/code/SKILL.md", "skill", SKILL),
    )
    plugin_texts = (Text("skills/code/SKILL.md", "skill", SKILL),)
    entry_file = ".mcp.json"
    hooks_file = ".claude/settings.json"
    edits = ("Edit", "Write", "MultiEdit", "NotebookEdit")
    shells = ("Bash",)
    reads = ("Read", "Grep", "Glob")
    others = f"mcp__(?!(plugin_.*_)?{NAME}__).*"
    asks = True

    def entry(self, command: Sequence[str]) -> Answer:
        return {"type": "stdio", **super().entry(command)}

    def plugin(self, about: Document, command: Sequence[str]) -> dict[str, Answer]:
        return plugin_documents(".claude-plugin/plugin.json", self, about, command)


CLIENT = Claude()
