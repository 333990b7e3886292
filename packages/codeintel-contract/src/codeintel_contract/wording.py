"""Describe external values in error messages: shortened, in the terms of JSON, with the known word nearest to them.

An agent may send a value of a megabyte or of any depth; the line about it must stay short.
"""

import difflib
import reprlib
from collections.abc import Iterable

JSON_WORDS = {
    "str": "a string",
    "int": "an integer",
    "bool": "true or false",
    "dict": "an object",
    "list": "a list",
    "float": "a decimal number",
    "NoneType": "null",
}
"""The JSON term for each Python type."""

_SHORTENER = reprlib.Repr()
_SHORTENER.maxstring = _SHORTENER.maxother = 60


def short(value: object) -> str:
    """Write the value as Python does, and shorten a long one in the middle."""
    return _SHORTENER.repr(value)


def kind_of_value(value: object) -> str:
    """Name the kind of a value: `a list`, `null`; for a boolean, name the value itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return JSON_WORDS.get(type(value).__name__, type(value).__name__)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `, did you mean 'x'?` for the known name nearest to `name`, or nothing if none is near."""
    close = difflib.get_close_matches(name[:80], [str(word) for word in known], n=1)
    return f", did you mean {close[0]!r}?" if close else ""
