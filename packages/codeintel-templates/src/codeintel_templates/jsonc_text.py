"""`json_text` for a client that reads comments and trailing commas."""

from collections.abc import Sequence
from typing import Any

from . import json_text


def get(text: str, keys: Sequence[str]) -> object:
    """Return what stands at `keys`, or ABSENT."""
    return json_text.get(text, keys, comments=True)


def put(text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
    """Return the text with `value` at `keys`."""
    return json_text.put(text, keys, value, comments=True)


def drop(text: str, keys: Sequence[str], keep: int) -> str:
    """Return the text without `keys`; parents left empty go too, but for the first `keep` keys."""
    return json_text.drop(text, keys, keep, comments=True)


def fresh(keys: Sequence[str], value: dict[str, Any]) -> str:
    """Return a new file that holds nothing but `value` at `keys`."""
    return json_text.fresh(keys, value)


def is_empty(text: str) -> bool:
    """Say whether the file holds nothing, not even a comment."""
    return json_text.is_empty(text, comments=True)
