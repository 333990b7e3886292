"""Names of files in a line for an agent: one line each, whatever the name holds.

A name is data. One that could pass for more (a line break, a control sign, half a character) is shown as a JSON string.
"""

import json
from collections.abc import Iterable

MOST = 20
"""Names that one sentence holds; how many more there are is said."""


def name_of(path: str) -> str:
    """The path, quoted if it holds anything that cannot be printed."""
    return path if path.isprintable() and path == path.strip() else json.dumps(path)


def names_of(paths: Iterable[str]) -> str:
    """The first names in one text."""
    named = [name_of(path) for path in paths]
    more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
    return ", ".join(named[:MOST]) + more
