"""Types of tool arguments that accept what clients really send."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _list(value: object) -> object:
    """A list may come as its JSON text; any other text is a list of one."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        return [value]
    return found if isinstance(found, list) else [value]


def _patterns(value: object) -> object:
    """Text is a pattern, whatever it looks like, unless it is the JSON of a list of strings."""
    found = _list(value)
    texts = isinstance(found, list) and all(isinstance(entry, str) for entry in found)
    return found if texts or not isinstance(value, str) else [value]


def _object(value: object) -> object:
    """An object may come as JSON text; what does not parse is left for the session to refuse in its own words."""
    return value


Texts = Annotated[list[str], BeforeValidator(_list)]
Patterns = Annotated[list[str], BeforeValidator(_patterns), Field(min_length=1, max_length=5)]
Flags = Annotated[dict[str, Any] | list[str] | str, Field(default_factory=dict)]
Payload = Annotated[dict[str, Any] | str, BeforeValidator(_object)]
Limit = Annotated[int, Field(ge=1, le=1000)]
Offset = Annotated[int, Field(ge=0)]
Line = Annotated[int, Field(ge=1)]
