"""A client that does not exist, as its module in `codeintel_templates/clients/` would be."""

from __future__ import annotations

from codeintel_templates.clients.client import SKILL, Client, Event, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from codeintel_templates.clients.client import Answer, Document


class MadeUp(Client):
    """Made-Up: its own events, tools, files and answers."""

    name = "made-up"
    next_step = "Start Made-Up, then: !code <what you want>"
    texts = (Text(".agents/skills/code/SKILL.md", "skill", SKILL),)
    entry_file = ".made-up/settings.json"
    entry_keys = ("servers", "local", "code-intel")
    entry_mode = "merge_jsonc"
    hooks_file = ".made-up/hooks.json"
    hooks_beside: ClassVar[Document] = {"format": 3}
    edits = ("put_text", "erase")
    reads = ("show",)

    def hooks(self, command: Sequence[str]) -> Answer:
        return {"onTool": [{"command": self.guard_line(command), "tools": list(self.edits)}]}

    def read(self, document: Document) -> Event:
        tool, paths = str(document["call"]), [str(document["file"])]
        return Event(str(document["at"]), tool, paths, moment="write" if tool in self.edits else "read")

    def answer(self, decision: str, reason: str) -> Answer:
        return {"verdict": decision, "because": reason}

    def edit(self, path: str, folder: str) -> Answer:
        return {"call": "put_text", "file": path, "at": folder}


CLIENT = MadeUp()
