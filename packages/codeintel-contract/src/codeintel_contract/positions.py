"""YAML read for people: plain values, and the line on which each of them stands.

Only what a contract file needs is understood: mappings with text keys, lists, text, true and false,
whole numbers. Anchors, aliases and tags are refused before anything is built, so that a small file
cannot unfold into a large one; a key that stands twice is kept as a finding, where YAML itself would
silently let the last one win.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

MAX_BYTES = 1_000_000
MAX_DEPTH = 12

Place = tuple[str | int, ...]
"""Keys and list positions from the root to a value."""

# The C parser is many times faster; a PyYAML built without it has only the other.
_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TEXT = "tag:yaml.org,2002:str"
_SURROGATE = re.compile("[\ud800-\udfff]")
_INT = re.compile(r"-?(0|[1-9][0-9]{0,8})")


class UnreadableYaml(Exception):
    """A file that yields no mapping. `line` counts from 1; 0 stands for the file as a whole."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(line, problem)
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Unusable:
    """A plain scalar that YAML takes for something a contract has no use for, such as a date."""

    kind: str


@dataclass(slots=True)
class Document:
    """The values of one file, the line of each, and the keys that stand twice in one mapping."""

    data: dict[str, Any] = field(default_factory=dict)
    lines: dict[Place, int] = field(default_factory=dict)
    duplicates: list[Place] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of a value, or of the nearest thing around it that is written in the file."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_text(path: Path) -> str:
    """The text of one YAML file.

    Raises:
        UnreadableYaml: no regular file, larger than `MAX_BYTES`, not readable, not UTF-8.
    """
    if not path.is_file():  # a pipe or a device would block, or never end
        raise UnreadableYaml(0, "there is no such file")
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableYaml(0, f"cannot be read: {error.strerror}") from error
    if len(raw) > MAX_BYTES:
        raise UnreadableYaml(0, f"is larger than {MAX_BYTES} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableYaml(raw.count(b"\n", 0, error.start) + 1, "is not UTF-8") from error


def read(text: str) -> Document:
    """Build the values of a YAML text; an empty one is an empty mapping.

    Raises:
        UnreadableYaml: YAML that does not parse, has anchors, aliases, tags or keys that are no text,
            is nested deeper than `MAX_DEPTH`, or holds anything but one mapping.
    """
    try:
        _refuse_what_unfolds(text)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        raise UnreadableYaml(_line(error.problem_mark), _sentence(error)) from error
    except yaml.reader.ReaderError as error:
        raise UnreadableYaml(text.count("\n", 0, error.position) + 1, "holds a control character") from error
    except ValueError as error:  # numbers in escapes and directives, out of the range of what they stand for
        raise UnreadableYaml(0, f"is not valid YAML: {error}") from error
    document = Document()
    if isinstance(root, yaml.MappingNode):
        document.data = _mapping(root, (), document)
    elif root is not None and _scalar_kind(root) != "null":
        raise UnreadableYaml(_line(root.start_mark), "the file must be a mapping of sections")
    return document


def _line(mark: Any) -> int:
    return int(mark.line) + 1


def _sentence(error: yaml.MarkedYAMLError) -> str:
    parts = [part for part in (error.context, error.problem) if part]
    return f"is not valid YAML: {', '.join(parts)}"


def _refuse_what_unfolds(text: str) -> None:
    """One pass over the events, before the composer could recurse or copy."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        problem = _refusal(event, depth)
        if problem:
            raise UnreadableYaml(_line(event.start_mark), problem)


def _refusal(event: yaml.Event, depth: int) -> str:
    if depth > MAX_DEPTH:
        return f"is nested deeper than {MAX_DEPTH}"
    if getattr(event, "anchor", None) is not None:
        return "anchors and aliases (& and *) are not used here; quote the text if it begins with one"
    if getattr(event, "tag", None) is not None:
        return "tags (!) are not used here; quote the text if it begins with one"
    return ""


def _mapping(node: yaml.MappingNode, place: Place, document: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = _line(key.start_mark)
        if key.tag != _TEXT or not key.value.isprintable():
            raise UnreadableYaml(line, "a key must be printable text; quote it if it looks like something else")
        here = (*place, key.value)
        if key.value in found:
            document.duplicates.append(here)
        document.lines[here] = line
        found[key.value] = _value(value, here, document)
    return found


def _value(node: yaml.Node, place: Place, document: Document) -> Any:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, document)
    if isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            document.lines[(*place, at)] = _line(item.start_mark)
        return [_value(item, (*place, at), document) for at, item in enumerate(node.value)]
    return _scalar(node)


def _scalar(node: yaml.Node) -> str | bool | int | Unusable | None:
    text = str(node.value)
    match _scalar_kind(node):
        case "str":
            return Unusable("broken Unicode") if _SURROGATE.search(text) else text
        case "null":
            return None
        case "bool":
            return text.lower() in ("yes", "true", "on")
        case "int" if _INT.fullmatch(text):
            return int(text)
        case kind:
            return Unusable(kind)


def _scalar_kind(node: yaml.Node) -> str:
    return str(node.tag).rpartition(":")[2]
