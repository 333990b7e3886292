"""Types of the server's own tool arguments; those of lookups are the index's."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import WithJsonSchema

Payloads = Annotated[
    dict[str, Any] | list[dict[str, Any] | str] | str,
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}),
]
"""An object or a list of them; their JSON text is taken too, and read by the session."""

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much; not an argument, the server hands it in."""
