"""One value put into, or taken out of, a JSON text without touching a character of the rest.

The text is read with `json`, so what a client would refuse is refused here; the spans of members are then found with
the same decoder, and only the member in question is rewritten, in the file's own indentation. With comments, as VS Code
reads them, comments and trailing commas become blanks when reading, so that every place stays where it was, and are
kept when writing.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .edits import ABSENT, Unparsable, newline

_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\r\n]*|/\*[\s\S]*?\*/')
_TRAILING = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=[ \t\r\n]*[}\]])')
_DECODER = json.JSONDecoder()
_JSONC = (
    "comments and trailing commas are not JSON, and its client refuses them: take them out, "
    "or add the entry yourself and run with --exclude mcp"
)


@dataclass(frozen=True)
class _Member:
    """A member: its key, and where it starts, its value starts, and it ends."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True)
class JsonFormat:
    """JSON, with or without comments."""

    comments: bool = False

    def get(self, text: str, keys: Sequence[str]) -> object:
        text = self._readable(text)
        found: object = load(text)
        at = skip(text, 0)
        for depth, key in enumerate(keys):
            if not isinstance(found, dict) or key not in found:
                return ABSENT
            found = found[key]
            if depth < len(keys) - 1:
                at = _object_at(text, _known(text, at, key))
        return found

    def put(self, text: str, keys: Sequence[str], value: object) -> str:
        """Return the text with `value` at `keys`, replaced where there is one, else added at the end."""
        bare = self._readable(text)
        at = skip(bare, 0)
        for depth, key in enumerate(keys):
            member = _find(bare, at, key)
            if member is None:
                return _insert(text, bare, at, key, _nest(keys[depth + 1 :], value))
            if depth == len(keys) - 1:
                return _replace(text, bare, member, value)
            at = _object_at(bare, member)
        return text

    def drop(self, text: str, keys: Sequence[str], keep: int) -> str:
        """Return the text without `keys`; parents left empty go too, but for the first `keep` keys."""
        bare = self._readable(text)
        at = skip(bare, 0)
        for key in keys[:-1]:
            member = _find(bare, at, key)
            if member is None:
                return text
            at = _object_at(bare, member)
        text = _remove(text, bare, at, keys[-1])
        parent, bare = keys[:-1], self._readable(text)
        is_left = _members(bare, at) or _holds_comment(text, at, bare.index("}", at))
        return text if len(parent) <= keep or is_left else self.drop(text, parent, keep)

    def fresh(self, keys: Sequence[str], value: Mapping[str, Any], beside: Mapping[str, Any]) -> str:
        return json.dumps({**beside, **_nest(keys, value)}, indent=2, ensure_ascii=False) + "\n"

    def is_empty(self, text: str, beside: Mapping[str, Any]) -> bool:
        """Say whether the file holds nothing but `beside`, not even a comment."""
        return load(self._readable(text)) in ({}, beside) and _without_comments(text) == text

    def _readable(self, text: str) -> str:
        """Return the text as plain JSON of the same length; Unparsable if it is not an object."""
        bare = plain(text) if self.comments else text
        try:
            load(bare)
        except Unparsable as error:
            cause = error.__cause__
            # A comment's line ends are blanks in `bare`: the place tells the line, not the other way round.
            line = text.count("\n", 0, cause.pos) + 1 if isinstance(cause, json.JSONDecodeError) else error.line
            raise Unparsable(line, error.why) from error
        return bare


def start_of(text: str, keys: Sequence[str]) -> int:
    """Return where the value at `keys` begins; KeyError where there is none."""
    at = skip(text, 0)
    for key in keys:
        at = _known(text, at, key).value
    return at


def load(text: str) -> dict[str, Any]:
    """Read a JSON object. Raises Unparsable: it is not one."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unparsable(error.lineno, _explain(error, text)) from error
    except ValueError as error:
        raise Unparsable(1, "a number has too many digits") from error
    except RecursionError as error:
        raise Unparsable(1, "the file is nested too deeply") from error
    if not isinstance(data, dict):
        raise Unparsable(1, "the file must hold an object")
    return data


def skip(text: str, at: int) -> int:
    """Return the first place from `at` on that is not white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _members(text: str, at: int) -> list[_Member]:
    """Return the members of the object whose brace is at `at`; the text is known to be valid."""
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
    """Return the member with this key of the object at `at`."""
    # Of a key given twice readers take the last, so that is the one to work on.
    return next((member for member in reversed(_members(text, at)) if member.key == key), None)


def _known(text: str, at: int, key: str) -> _Member:
    """Return the member with this key; KeyError where there is none."""
    member = _find(text, at, key)
    if member is None:
        raise KeyError(key)
    return member


def _object_at(text: str, member: _Member) -> int:
    """Return where the object starts that a member holds. Raises Unparsable: it holds none."""
    if text[member.value] != "{":
        raise Unparsable(text.count("\n", 0, member.start) + 1, f'"{member.key}" must hold an object')
    return member.value


def _explain(error: json.JSONDecodeError, text: str) -> str:
    comment = re.search(r"^\s*(//|/\*)", text, re.MULTILINE) or text.startswith(("//", "/*"), error.pos)
    # Later Pythons stop at the comma, earlier ones at what follows it.
    trailing = re.match(r",?\s*[}\]]", text[error.pos :]) and text[: error.pos + 1].rstrip("}] \t\r\n").endswith(",")
    jsonc = comment or trailing
    return _JSONC if jsonc else f"not valid JSON: {error.msg}"


def _without_comments(text: str) -> str:
    """Return the text with blanks for comments, also for the line ends inside them."""
    return _TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else " " * len(found[0]), text)


def plain(text: str) -> str:
    """Return the text with blanks for comments and trailing commas."""
    return _TRAILING.sub(lambda found: found[0] if found[0][0] == '"' else " ", _without_comments(text))


def _nest(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _insert(text: str, bare: str, at: int, key: str, value: object) -> str:
    if held := _members(bare, at):
        return _append(text, bare, held, key, value)
    end = bare.index("}", at)
    if "\n" not in text.strip() and text.strip() != text[at : end + 1]:
        return text[: at + 1] + _render(bare, key, value, None) + text[at + 1 : end].rstrip() + text[end:]
    outer = _line_indent(text, at)
    indent, end_of_line = outer + _unit(bare), newline(text)
    inner = end_of_line + indent + _render(bare, key, value, indent) + end_of_line + outer
    return text[: at + 1] + text[at + 1 : end].rstrip() + inner + text[end:]


def _append(text: str, bare: str, held: list[_Member], key: str, value: object) -> str:
    """Add a member after the last one, and after the comment beside that."""
    own_line, indent = _own_line(text, held[0].start)
    end = held[-1].end
    if not own_line:
        return text[:end] + ", " + _render(bare, key, value, None) + text[end:]
    added = newline(text) + indent + _render(bare, key, value, indent)
    line_end = end + len(bare[end:].partition("\n")[0].rstrip("\r"))
    beside = text[end:line_end]
    if bare[end:line_end].strip() or not beside.strip():
        return f"{text[:end]},{added}{text[end:]}"
    has_comma = "," in _without_comments(text)[end:line_end]
    return text[:end] + "," * (not has_comma) + beside + added + "," * has_comma + text[line_end:]


def _replace(text: str, bare: str, member: _Member, value: object) -> str:
    own_line, indent = _own_line(text, member.start)
    new = rendered(bare, value, indent if own_line else None)
    return text[: member.value] + new + text[member.end :]


def _remove(text: str, bare: str, at: int, key: str) -> str:
    held = _members(bare, at)
    index = next((i for i, member in enumerate(held) if member.key == key), None)
    if index is None:
        return text
    one = held[index]
    if len(held) == 1:
        start, end = at + 1, bare.index("}", one.end)
    elif index == 0:
        start, end = one.start, held[1].start
    else:
        start, end = held[index - 1].end, one.end
    if _holds_comment(text, start, one.start) or _holds_comment(text, one.end, end):
        return _remove_between_comments(text, one)
    return text[:start] + text[end:]


def _remove_between_comments(text: str, one: _Member) -> str:
    """Take out a member and one of the commas around it, and leave the comments around it."""
    commas = _without_comments(text)
    after, before = skip(commas, one.end), commas[: one.start].rstrip()
    if commas[after] == ",":
        return text[: one.start] + text[one.end : after] + text[after + 1 :]
    start = len(before) - before.endswith(",")
    return text[:start] + text[len(before) : one.start].rstrip(" \t") + text[one.end :]


def _own_line(text: str, start: int) -> tuple[bool, str]:
    lead = text[text.rfind("\n", 0, start) + 1 : start]
    return ("\n" in text[:start] and not lead.strip()), lead


def _holds_comment(text: str, start: int, end: int) -> bool:
    return _without_comments(text)[start:end] != text[start:end]


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """Return one step of the file's indentation: that of the first member of the root."""
    held = _members(text, skip(text, 0))
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
