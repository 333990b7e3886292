"""Our entry and our hooks put into, or taken out of, the one file that holds a client's servers and hooks.

The value is what is ours of the file, laid out as there: our server below `mcpServers`, our items below `hooks`. Its
place is the file itself, so `keys` are empty. Comments are kept: the clients with such a file read them.
"""

from collections.abc import Sequence
from typing import Any

from .clients.client import NAME
from .edits import ABSENT
from .json_hooks import JsonHooks
from .json_text import JsonFormat

_JSON = JsonFormat(comments=True)
_HOOKS = JsonHooks(comments=True)
_ENTRY_KEYS = ("mcpServers", NAME)
_HOOKS_KEYS = ("hooks",)


class JsonSettings:
    """Settings of a client: see `Format`."""

    def get(self, text: str, keys: Sequence[str]) -> object:
        """Return what is ours, ABSENT if nothing is."""
        entry, hooks = _JSON.get(text, _ENTRY_KEYS), _HOOKS.get(text, _HOOKS_KEYS)
        servers = {} if entry is ABSENT else {_ENTRY_KEYS[0]: {NAME: entry}}
        return (servers if hooks is ABSENT else servers | {_HOOKS_KEYS[0]: hooks}) or ABSENT

    def put(self, text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
        """Return the text with our entry and our hooks, as far as the value holds them."""
        if servers := value.get(_ENTRY_KEYS[0]):
            text = _JSON.put(text, _ENTRY_KEYS, servers[NAME])
        return _HOOKS.put(text, _HOOKS_KEYS, value.get(_HOOKS_KEYS[0], {}))

    def drop(self, text: str, keys: Sequence[str], keep: int) -> str:
        """Return the text without our entry and our hooks, and without what this leaves empty."""
        if _HOOKS.get(text, _HOOKS_KEYS) is not ABSENT:
            text = _HOOKS.drop(text, _HOOKS_KEYS, keep)
        return text if _JSON.get(text, _ENTRY_KEYS) is ABSENT else _JSON.drop(text, _ENTRY_KEYS, keep)

    fresh = staticmethod(_JSON.fresh)
    is_empty = staticmethod(_JSON.is_empty)
