"""The prompts of the user, as the hook of their client kept them, for the session to compare requests with."""

from collections.abc import Sequence
from pathlib import Path

from codeintel_server.guard.prompts import kept_prompts
from codeintel_session import Prompt


class TypedPrompts:
    """Implements `codeintel_session.ports.UserWords` for one project."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def prompts(self, client: str) -> Sequence[Prompt]:
        """Return the last prompts typed to the client with this name, oldest first."""
        entries = kept_prompts(str(self._root), client)
        return [Prompt(entry["at"], entry["text"], bool(entry.get("is_cut"))) for entry in entries]
