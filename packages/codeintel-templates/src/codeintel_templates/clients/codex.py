"""Codex: edits are `apply_patch` there, and files are read by commands alone."""

from __future__ import annotations

from codeintel_templates.clients.client import NAME, SKILL, Client, Text, group, plugin_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from codeintel_templates.clients.client import Answer, Document


class Codex(Client):
    """Codex."""

    name = "codex"
    next_step = "Start Codex here, trust the project and, by /hooks, its hooks, then: $code <what you want>"
    programs = ("codex",)
    reader = "codex exec --skip-git-repo-check --sandbox read-only -"
    homes = (".codex",)
    marks = (".codex",)
    texts = (Text(".agents/skills/code/SKILL.md", "skill", SKILL),)
    plugin_texts = (Text("skills/code/SKILL.md", "skill", SKILL),)
    entry_file = ".codex/config.toml"
    entry_keys = ("mcp_servers", NAME)
    entry_mode = "merge_toml"
    hooks_file = ".codex/hooks.json"
    edits = ("apply_patch",)
    shells = ("Bash",)
    reads = ("read_file",)
    others = "mcp__.*"  # ours too: its expressions know no exceptions

    def entry(self, command: Sequence[str]) -> Answer:
        """Return our entry. A first start through uvx is slow, and run_verifier is as slow as the tests."""
        return {**super().entry(command), "startup_timeout_sec": 60, "tool_timeout_sec": 1000}

    def plugin(self, about: Document, command: Sequence[str]) -> dict[str, Answer]:
        """Return the documents of its plugin. Its manifest names the parts."""
        parts = {"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"}
        return plugin_documents(".codex-plugin/plugin.json", self, {**about, **parts}, command)

    def hooks(self, command: Sequence[str]) -> Answer:
        """Return our hooks; a call that only reads is none of its events."""
        found, guard = super().hooks(command), self.guard_line(command)
        return found | {"PostToolUse": [group(self.shells, guard), group(self.others, guard)]}

    def edit(self, path: str, folder: str) -> Answer:
        patch = {"command": f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"}
        return {**super().edit(path, folder), "tool_input": patch}


CLIENT = Codex()
