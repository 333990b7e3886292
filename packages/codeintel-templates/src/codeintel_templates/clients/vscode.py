"""VS Code: an entry alone, which names the project, because the folder that the server starts in is not promised."""

from __future__ import annotations

from codeintel_templates.clients.client import NAME, Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from codeintel_templates.clients.client import Answer


class VsCode(Client):
    """VS Code."""

    name = "vscode"
    next_step = "Open the folder in VS Code, start code-intel in .vscode/mcp.json, then run its prompt `code`"
    programs = ("code", "codium")
    homes = (".vscode",)
    marks = (".vscode/mcp.json",)
    entry_file = ".vscode/mcp.json"
    entry_keys = ("servers", NAME)
    entry_mode = "merge_jsonc"
    project_word = "${workspaceFolder}"

    def entry(self, command: Sequence[str]) -> Answer:
        arguments = [*command[1:], "serve", "--project", self.project_word]
        return {"type": "stdio", "command": command[0], "args": arguments}


CLIENT = VsCode()
