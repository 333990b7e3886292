"""One value put into, or taken out of, a JSON text without touching a character of the rest.

The text is read with `json`, so what a client would refuse is refused here; the spans of members are
then found with the same decoder, and only the member in question is rewritten, in the file's own
indentation. With `comments`, comments and trailing commas are taken for blanks when reading, and kept when writing.
"""

import json
from collections.abc import Sequence

from .edits import newline
from .json_comments import without_comments
from .json_spans import Member, close, find, known, load, members, object_at, readable, skip
from .merging import ABSENT


def put(text: str, keys: Sequence[str], value: object, comments: bool = False) -> str:
    """Return the text with `value` at `keys`, replaced where it stands, else added at the end."""
    bare = readable(text, comments)
    at = skip(bare, 0)
    for depth, key in enumerate(keys):
        member = find(bare, at, key)
        if member is None:
            return _insert(text, bare, at, key, _nest(keys[depth + 1 :], value))
        if depth == len(keys) - 1:
            return _replace(text, bare, member, value)
        at = object_at(bare, member)
    return text


def drop(text: str, keys: Sequence[str], keep: int, comments: bool = False) -> str:
    """Return the text without `keys`; parents left empty go too, but for the first `keep` keys."""
    bare = readable(text, comments)
    at = skip(bare, 0)
    for key in keys[:-1]:
        member = find(bare, at, key)
        if member is None:
            return text
        at = object_at(bare, member)
    text = _remove(text, bare, at, keys[-1])
    parent, bare = keys[:-1], readable(text, comments)
    is_left = members(bare, at) or _holds_comment(text, at, close(bare, at))
    return text if len(parent) <= keep or is_left else drop(text, parent, keep, comments)


def fresh(keys: Sequence[str], value: object) -> str:
    """Return a new file that holds nothing but `value` at `keys`."""
    return json.dumps(_nest(keys, value), indent=2, ensure_ascii=False) + "\n"


def is_empty(text: str, comments: bool = False) -> bool:
    """Say whether the file holds nothing, not even a comment."""
    return not load(readable(text, comments)) and without_comments(text) == text


def get(text: str, keys: Sequence[str], comments: bool = False) -> object:
    """Return what stands at `keys`, or ABSENT."""
    text = readable(text, comments)
    found: object = load(text)
    at = skip(text, 0)
    for depth, key in enumerate(keys):
        if not isinstance(found, dict) or key not in found:
            return ABSENT
        found = found[key]
        if depth < len(keys) - 1:
            at = object_at(text, known(text, at, key))
    return found


def start_of(text: str, keys: Sequence[str]) -> int:
    """Return where the value at `keys` begins.

    Raises:
        KeyError: nothing stands there.
    """
    at = skip(text, 0)
    for key in keys:
        at = known(text, at, key).value
    return at


def _nest(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _insert(text: str, bare: str, at: int, key: str, value: object) -> str:
    if held := members(bare, at):
        return _append(text, bare, held, key, value)
    end = close(bare, at)
    if "\n" not in text.strip() and text.strip() != text[at : end + 1]:
        return text[: at + 1] + _render(bare, key, value, None) + text[at + 1 : end].rstrip() + text[end:]
    outer = _line_indent(text, at)
    indent, end_of_line = outer + _unit(bare), newline(text)
    inner = end_of_line + indent + _render(bare, key, value, indent) + end_of_line + outer
    return text[: at + 1] + text[at + 1 : end].rstrip() + inner + text[end:]


def _append(text: str, bare: str, held: list[Member], key: str, value: object) -> str:
    """Add a member after the last one, and after the comment that stands beside that."""
    own_line, indent = _own_line(text, held[0].start)
    end = held[-1].end
    if not own_line:
        return text[:end] + ", " + _render(bare, key, value, None) + text[end:]
    added = newline(text) + indent + _render(bare, key, value, indent)
    line_end = end + len(bare[end:].partition("\n")[0].rstrip("\r"))
    beside = text[end:line_end]
    if bare[end:line_end].strip() or not beside.strip():
        return f"{text[:end]},{added}{text[end:]}"
    has_comma = "," in without_comments(text)[end:line_end]
    return text[:end] + "," * (not has_comma) + beside + added + "," * has_comma + text[line_end:]


def _replace(text: str, bare: str, member: Member, value: object) -> str:
    own_line, indent = _own_line(text, member.start)
    new = rendered(bare, value, indent if own_line else None)
    return text[: member.value] + new + text[member.end :]


def _remove(text: str, bare: str, at: int, key: str) -> str:
    held = members(bare, at)
    index = next((i for i, member in enumerate(held) if member.key == key), None)
    if index is None:
        return text
    one = held[index]
    if len(held) == 1:
        start, end = at + 1, close(bare, one.end)
    elif index == 0:
        start, end = one.start, held[1].start
    else:
        start, end = held[index - 1].end, one.end
    if _holds_comment(text, start, one.start) or _holds_comment(text, one.end, end):
        return _remove_between_comments(text, one)
    return text[:start] + text[end:]


def _remove_between_comments(text: str, one: Member) -> str:
    """Take out a member and one of the commas around it, and leave the comments around it."""
    commas = without_comments(text)
    after, before = skip(commas, one.end), commas[: one.start].rstrip()
    if commas[after] == ",":
        return text[: one.start] + text[one.end : after] + text[after + 1 :]
    start = len(before) - before.endswith(",")
    return text[:start] + text[len(before) : one.start].rstrip(" \t") + text[one.end :]


def _own_line(text: str, start: int) -> tuple[bool, str]:
    lead = text[text.rfind("\n", 0, start) + 1 : start]
    return ("\n" in text[:start] and not lead.strip()), lead


def _holds_comment(text: str, start: int, end: int) -> bool:
    return without_comments(text)[start:end] != text[start:end]


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """One step of the file's indentation: that of the first member of the root."""
    held = members(text, skip(text, 0))
    own_line, indent = _own_line(text, held[0].start) if held else (False, "")
    return indent if own_line and indent else "  "


def _render(text: str, key: str, value: object, indent: str | None) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {rendered(text, value, indent)}"


def rendered(text: str, value: object, indent: str | None) -> str:
    """Return a value as it is written in this text, on its lines with this indentation, or on one for None."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{newline(text)}{indent}".join(lines)
