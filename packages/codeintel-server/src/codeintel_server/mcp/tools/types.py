"""Types of tool arguments that accept what clients really send."""

import json
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema


def _list(value: object) -> object:
    """A list may come as its JSON text; any other text is a list of one."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return [value]
    return found if isinstance(found, list) else [value]


def _patterns(value: object) -> object:
    """Text is a pattern or a path, whatever it looks like, unless it is the JSON of a list of strings."""
    found = _list(value)
    texts = isinstance(found, list) and all(isinstance(entry, str) for entry in found)
    return found if texts or not isinstance(value, str) else [value]


Texts = Annotated[list[str], BeforeValidator(_list), Field(max_length=200)]
Paths = Annotated[
    list[str],
    BeforeValidator(_patterns),
    Field(max_length=200),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Ranges = Annotated[
    list[str],
    BeforeValidator(_patterns),
    Field(min_length=1, max_length=20),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Patterns = Annotated[
    list[str],
    BeforeValidator(_patterns),
    Field(min_length=1, max_length=5),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "maxItems": 5}]}),
]
Payloads = Annotated[
    dict[str, Any] | list[dict[str, Any] | str] | str,
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}),
]
"""An object or a list of them; their JSON text is taken too, and read by the session."""
Limit = Annotated[int, Field(ge=1, le=1000)]
Offset = Annotated[int, Field(ge=0)]
Line = Annotated[int, Field(ge=1)]
LastLine = Annotated[int | None, Field(ge=1), WithJsonSchema({"type": "integer", "minimum": 1})]
Context = Annotated[int, Field(ge=0, le=20)]

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much; not an argument, the server hands it in."""
