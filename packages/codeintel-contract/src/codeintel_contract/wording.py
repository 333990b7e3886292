"""Values from outside as a refusal shows them: short, and in the words of JSON, not of Python.

What an agent sends may be a megabyte long or nested without end; one line about it must not be.
"""

import reprlib

JSON_WORDS = {
    "str": "a string",
    "int": "an integer",
    "bool": "true or false",
    "dict": "an object",
    "list": "a list",
    "float": "a decimal number",
    "NoneType": "null",
}
"""The kind of a value, by the name of its Python type."""

_SHORTENER = reprlib.Repr()
_SHORTENER.maxstring = _SHORTENER.maxother = 60


def short(value: object) -> str:
    """The value as Python writes it, cut in the middle where it is long."""
    return _SHORTENER.repr(value)


def kind_of_value(value: object) -> str:
    """What a value is: `a list`, `null`; of a boolean, which one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return JSON_WORDS.get(type(value).__name__, type(value).__name__)
