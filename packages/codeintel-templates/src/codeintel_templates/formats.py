"""From a row's mode to what merges its format."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from . import toml_text
from .json_hooks import JsonHooks
from .json_settings import JsonSettings
from .json_text import JsonFormat
from .manifest import Mode


class Format(Protocol):
    """What merging asks of a format. `put` and `drop` change nothing but the value at the keys."""

    def get(self, text: str, keys: Sequence[str]) -> object:
        """Return the value at `keys`, or ABSENT."""

    def put(self, text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
        """Return the text with `value` at `keys`."""

    def drop(self, text: str, keys: Sequence[str], keep: int) -> str:
        """Return the text without `keys` and the parents this leaves empty, but for the first `keep`."""

    def fresh(self, keys: Sequence[str], value: dict[str, Any], beside: Mapping[str, Any]) -> str:
        """Return a new file that holds `value` at `keys`, and `beside` before it."""

    def is_empty(self, text: str, beside: Mapping[str, Any]) -> bool:
        """Say whether the file holds nothing but `beside`."""


_FORMATS: dict[Mode, Format] = {
    Mode.MERGE_JSON: JsonFormat(),
    Mode.MERGE_JSONC: JsonFormat(comments=True),
    Mode.MERGE_HOOKS: JsonHooks(),
    Mode.MERGE_SETTINGS: JsonSettings(),
    Mode.MERGE_TOML: toml_text,
}


def format_of(mode: Mode) -> Format | None:
    """Return the format of a merging mode, None for the others."""
    return _FORMATS.get(mode)
