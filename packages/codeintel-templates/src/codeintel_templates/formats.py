"""From a row's mode to the module that merges its format; byte order marks are kept out of their way."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

from . import json_hooks, json_text, jsonc_text, toml_text
from .edits import BOM, digest
from .manifest import Mode


class Format(Protocol):
    """What merging asks of a format. `put` and `drop` change nothing but what stands at the keys."""

    def get(self, text: str, keys: Sequence[str]) -> object:
        """Return what stands at `keys`, or ABSENT."""

    def put(self, text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
        """Return the text with `value` at `keys`."""

    def drop(self, text: str, keys: Sequence[str], keep: int) -> str:
        """Return the text without `keys` and the parents this leaves empty, but for the first `keep`."""

    def fresh(self, keys: Sequence[str], value: dict[str, Any]) -> str:
        """Return a new file holding only `value` at `keys`."""

    def is_empty(self, text: str) -> bool:
        """Say whether the file holds nothing."""


_FORMATS: dict[Mode, Format] = {
    Mode.MERGE_JSON: json_text,
    Mode.MERGE_JSONC: jsonc_text,
    Mode.MERGE_HOOKS: json_hooks,
    Mode.MERGE_TOML: toml_text,
}


def of(mode: Mode) -> Format | None:
    """Return the format of a merging mode, None for the others."""
    return _FORMATS.get(mode)


def split_bom(text: str) -> tuple[str, str]:
    """Return a leading byte order mark, which no parser takes, and the rest."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def digest_of(value: object) -> str:
    """Return the digest of a parsed value, whatever its layout."""
    return digest(json.dumps(value, sort_keys=True, default=str))
