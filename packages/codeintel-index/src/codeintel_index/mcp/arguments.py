"""Types of tool arguments that accept what clients really send."""

import json
from typing import Annotated

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


def _one_or_more(value: object) -> object:
    """Text is one, unless it is the JSON of a list of strings; an answer has the shape of the question."""
    found = _patterns(value)
    return value if found == [value] else found


Texts = Annotated[list[str], BeforeValidator(_list), Field(max_length=200)]
Paths = Annotated[
    list[str],
    BeforeValidator(_patterns),
    Field(max_length=200),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
OneOrMore = Annotated[
    str | Annotated[list[str], Field(min_length=1, max_length=20)],
    BeforeValidator(_one_or_more),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Patterns = Annotated[
    list[str],
    BeforeValidator(_patterns),
    Field(min_length=1, max_length=5),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "maxItems": 5}]}),
]
Limit = Annotated[int, Field(ge=1, le=1000)]
Offset = Annotated[int, Field(ge=0)]
Line = Annotated[int, Field(ge=1)]
LastLine = Annotated[int | None, Field(ge=1), WithJsonSchema({"type": "integer", "minimum": 1})]
Context = Annotated[int, Field(ge=0, le=20)]
