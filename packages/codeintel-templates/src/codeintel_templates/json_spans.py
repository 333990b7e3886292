"""Where the members of an object stand in a JSON text: found with `json`'s own decoder, so that both agree.

With `comments`, comments and trailing commas are taken for blanks.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from .json_comments import plain
from .merging import Unparsable

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_JSONC = (
    "comments and trailing commas are not JSON, and its client refuses them: take them out, "
    "or add the entry by hand and run with --exclude mcp"
)


@dataclass(frozen=True)
class Member:
    """A member: its key, and where it starts, its value starts, and it ends."""

    key: str
    start: int
    value: int
    end: int


def load(text: str) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Unparsable: it is not one.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unparsable(error.lineno, _explain(error, text)) from error
    if not isinstance(data, dict):
        raise Unparsable(1, "the file must hold an object")
    return data


def readable(text: str, comments: bool) -> str:
    """Return the text as plain JSON of the same length.

    Raises:
        Unparsable: it is no object.
    """
    bare = plain(text) if comments else text
    try:
        load(bare)
    except Unparsable as error:
        cause = error.__cause__
        # A comment's line ends are blanks in `bare`: the place tells the line, not the other way round.
        line = text.count("\n", 0, cause.pos) + 1 if isinstance(cause, json.JSONDecodeError) else error.line
        raise Unparsable(line, error.why) from error
    return bare


def skip(text: str, at: int) -> int:
    """Return the first place from `at` on that is no white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def members(text: str, at: int) -> list[Member]:
    """The members of the object whose brace stands at `at`; the text is known to be valid."""
    found = []
    at = skip(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = skip(text, skip(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(Member(key, at, value, end))
        at = skip(text, end)
        at = skip(text, at + 1) if text[at] == "," else at
    return found


def find(text: str, at: int, key: str) -> Member | None:
    """The member with this key of the object at `at`."""
    # Of a key given twice readers take the last, so that is the one to work on.
    return next((member for member in reversed(members(text, at)) if member.key == key), None)


def known(text: str, at: int, key: str) -> Member:
    """The member with this key; KeyError where there is none."""
    member = find(text, at, key)
    if member is None:
        raise KeyError(key)
    return member


def object_at(text: str, member: Member) -> int:
    """Where the object starts that a member holds.

    Raises:
        Unparsable: it holds none.
    """
    if text[member.value] != "{":
        raise Unparsable(text.count("\n", 0, member.start) + 1, f'"{member.key}" must hold an object')
    return member.value


def _explain(error: json.JSONDecodeError, text: str) -> str:
    comment = re.search(r"^\s*(//|/\*)", text, re.MULTILINE) or text.startswith(("//", "/*"), error.pos)
    # Later Pythons stop at the comma, earlier ones at what follows it.
    trailing = re.match(r",?\s*[}\]]", text[error.pos :]) and text[: error.pos + 1].rstrip("}] \t\r\n").endswith(",")
    jsonc = comment or trailing
    return _JSONC if jsonc else f"not valid JSON: {error.msg}"


def close(bare: str, at: int) -> int:
    """The place of the next closing brace."""
    return bare.index("}", at)
