"""One value put into, or taken out of, a JSON text without touching a character of the rest.

The text is read with `json`, so what a client would refuse is refused here; the spans of members are
then found with the same decoder, and only the member in question is rewritten, in the file's own
indentation.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .edits import newline
from .merging import ABSENT, Unparsable

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_JSONC = (
    "comments and trailing commas are not JSON, and rewriting would lose them: add the entry by hand and exclude mcp"
)


@dataclass(frozen=True)
class _Member:
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


def put(text: str, keys: Sequence[str], value: object) -> str:
    """Return the text with `value` at `keys`, replaced where it stands, else added at the end."""
    load(text)
    at = skip(text, 0)
    for depth, key in enumerate(keys):
        member = _find(text, at, key)
        if member is None:
            return _insert(text, at, key, _nest(keys[depth + 1 :], value))
        if depth == len(keys) - 1:
            return _replace(text, member, value)
        at = _object_at(text, member)
    return text


def drop(text: str, keys: Sequence[str], keep: int) -> str:
    """Return the text without `keys`; parents left empty go too, but for the first `keep` keys."""
    load(text)
    at = skip(text, 0)
    for key in keys[:-1]:
        member = _find(text, at, key)
        if member is None:
            return text
        at = _object_at(text, member)
    text = _remove(text, at, keys[-1])
    parent = keys[:-1]
    return drop(text, parent, keep) if len(parent) > keep and not _members(text, at) else text


def fresh(keys: Sequence[str], value: object) -> str:
    """Return a new file that holds nothing but `value` at `keys`."""
    return json.dumps(_nest(keys, value), indent=2, ensure_ascii=False) + "\n"


def is_empty(text: str) -> bool:
    """Say whether the file holds nothing."""
    return not load(text)


def get(text: str, keys: Sequence[str]) -> object:
    """Return what stands at `keys`, or ABSENT."""
    found: object = load(text)
    at = skip(text, 0)
    for depth, key in enumerate(keys):
        if not isinstance(found, dict) or key not in found:
            return ABSENT
        found = found[key]
        if depth < len(keys) - 1:
            at = _object_at(text, _known(text, at, key))
    return found


def _explain(error: json.JSONDecodeError, text: str) -> str:
    comment = re.search(r"^\s*(//|/\*)", text, re.MULTILINE) or text.startswith(("//", "/*"), error.pos)
    # Later Pythons stop at the comma, earlier ones at what follows it.
    trailing = re.match(r",?\s*[}\]]", text[error.pos :]) and text[: error.pos + 1].rstrip("}] \t\r\n").endswith(",")
    jsonc = comment or trailing
    return _JSONC if jsonc else f"not valid JSON: {error.msg}"


def start_of(text: str, keys: Sequence[str]) -> int:
    """Return where the value at `keys` begins.

    Raises:
        KeyError: nothing stands there.
    """
    at = skip(text, 0)
    for key in keys:
        at = _known(text, at, key).value
    return at


def skip(text: str, at: int) -> int:
    """Return the first place from `at` on that is no white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _members(text: str, at: int) -> list[_Member]:
    """The members of the object whose brace stands at `at`; the text is known to be valid."""
    found = []
    at = skip(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = skip(text, skip(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(_Member(key, at, value, end))
        at = skip(text, end)
        at = skip(text, at + 1) if text[at] == "," else at
    return found


def _find(text: str, at: int, key: str) -> _Member | None:
    # Of a key given twice readers take the last, so that is the one to work on.
    return next((member for member in reversed(_members(text, at)) if member.key == key), None)


def _known(text: str, at: int, key: str) -> _Member:
    member = _find(text, at, key)
    if member is None:
        raise KeyError(key)
    return member


def _object_at(text: str, member: _Member) -> int:
    if text[member.value] != "{":
        raise Unparsable(text.count("\n", 0, member.start) + 1, f'"{member.key}" must hold an object')
    return member.value


def _nest(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _insert(text: str, at: int, key: str, value: object) -> str:
    members = _members(text, at)
    if members:
        own_line, indent = _own_line(text, members[0].start)
        lead = f",{newline(text)}{indent}" if own_line else ", "
        end = members[-1].end
        return text[:end] + lead + _render(text, key, value, indent if own_line else None) + text[end:]
    close = text.index("}", at)
    if "\n" not in text.strip() and text.strip() != text[at : close + 1]:
        return text[: at + 1] + _render(text, key, value, None) + text[close:]
    outer = _line_indent(text, at)
    indent, end_of_line = outer + _unit(text), newline(text)
    inner = end_of_line + indent + _render(text, key, value, indent) + end_of_line + outer
    return text[: at + 1] + inner + text[close:]


def _replace(text: str, member: _Member, value: object) -> str:
    own_line, indent = _own_line(text, member.start)
    new = rendered(text, value, indent if own_line else None)
    return text[: member.value] + new + text[member.end :]


def _remove(text: str, at: int, key: str) -> str:
    members = _members(text, at)
    index = next((i for i, member in enumerate(members) if member.key == key), None)
    if index is None:
        return text
    if len(members) == 1:
        return text[: at + 1] + text[text.index("}", members[0].end) :]
    if index == 0:
        return text[: members[0].start] + text[members[1].start :]
    return text[: members[index - 1].end] + text[members[index].end :]


def _own_line(text: str, start: int) -> tuple[bool, str]:
    lead = text[text.rfind("\n", 0, start) + 1 : start]
    return ("\n" in text[:start] and not lead.strip()), lead


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """One step of the file's indentation: that of the first member of the root."""
    members = _members(text, skip(text, 0))
    own_line, indent = _own_line(text, members[0].start) if members else (False, "")
    return indent if own_line and indent else "  "


def _render(text: str, key: str, value: object, indent: str | None) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {rendered(text, value, indent)}"


def rendered(text: str, value: object, indent: str | None) -> str:
    """Return a value as it is written in this text, on its lines with this indentation, or on one for None."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{newline(text)}{indent}".join(lines)
