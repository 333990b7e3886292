"""The clients: one module each, and this the one place that names them. A new client is a module and a row.

A module is imported when its client is asked for: a hook pays for its own client alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codeintel_templates.clients.client import Client

CLIENTS: dict[str, str] = {
    "claude": "codeintel_templates.clients.claude",
    "codex": "codeintel_templates.clients.codex",
    "cursor": "codeintel_templates.clients.cursor",
    "vscode": "codeintel_templates.clients.vscode",
    "gemini": "codeintel_templates.clients.gemini",
    "qwen": "codeintel_templates.clients.qwen",
    "opencode": "codeintel_templates.clients.opencode",
    "copilot": "codeintel_templates.clients.copilot",
}
"""The modules that hold the clients, by name, in the order in which people see them."""


def find_client(name: str) -> Client:
    """Return the client of a name in `CLIENTS`.

    Raises KeyError: it is not there.
    """
    found: Client = __import__(CLIENTS[name], fromlist=["CLIENT"]).CLIENT
    return found


def all_clients() -> list[Client]:
    """Return the clients in the order of `CLIENTS`."""
    return [find_client(name) for name in CLIENTS]
