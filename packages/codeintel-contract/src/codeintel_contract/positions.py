"""Read YAML into plain values, and record the line of each value.

The reader accepts only what a contract file needs: mappings with text keys, lists, text, true and false, whole
numbers. It refuses anchors, aliases and tags before it builds anything, so that a small file cannot expand into a
large one; it records a duplicate key as a finding, where YAML itself would silently use the last one.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .project_file import read_file

MAX_BYTES = 300_000
MAX_DEPTH = 12

Place = tuple[str | int, ...]
"""The keys and list positions from the root to a value."""

# The C parser is many times faster, but a PyYAML built without it has only the Python one.
_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TEXT = "tag:yaml.org,2002:str"
_SURROGATE = re.compile("[\ud800-\udfff]")
_INT = re.compile(r"-?(0|[1-9][0-9]{0,8})")


class UnreadableYaml(Exception):
    """Report a file that yields no mapping. `line` counts from 1; 0 means the file as a whole."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(line, problem)
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Unusable:
    """Mark a plain scalar that YAML reads as a type that contracts do not use, such as a date."""

    kind: str


@dataclass(slots=True)
class Document:
    """Hold the values of one file, the line of each, and the duplicate keys."""

    data: dict[str, Any] = field(default_factory=dict)
    lines: dict[Place, int] = field(default_factory=dict)
    duplicates: list[Place] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """Return the line of a value, or of the nearest enclosing value in the file."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_document_text(path: Path, root: Path | None = None) -> str:
    """Read the text of one YAML file, which has to lie inside `root` if one is given.

    Raises UnreadableYaml: the file is not regular, outside, larger than `MAX_BYTES`, not readable, or not UTF-8.
    """
    try:
        raw = read_file(root, path, MAX_BYTES)
    except OSError as error:
        raise UnreadableYaml(0, str(error.strerror)) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableYaml(raw.count(b"\n", 0, error.start) + 1, "is not UTF-8") from error


def read_document(text: str) -> Document:
    """Build the values of a YAML text; an empty text yields an empty mapping.

    Raises UnreadableYaml: the YAML does not parse, has anchors, aliases, tags or keys that are not text, is nested
    deeper than `MAX_DEPTH`, or contains anything but one mapping.
    """
    try:
        _refuse_what_unfolds(text)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        parts = [part for part in (error.context, error.problem) if part]
        raise UnreadableYaml(_line(error.problem_mark), f"is not valid YAML: {', '.join(parts)}") from error
    except yaml.reader.ReaderError as error:
        raise UnreadableYaml(text.count("\n", 0, error.position) + 1, "holds a control character") from error
    except ValueError as error:  # numbers in escapes and directives that are out of range
        raise UnreadableYaml(0, f"is not valid YAML: {error}") from error
    document = Document()
    if isinstance(root, yaml.MappingNode):
        document.data = _mapping(root, (), document)
    elif root is not None and _scalar_kind(root) != "null":
        raise UnreadableYaml(_line(root.start_mark), "the file must be a mapping of sections")
    return document


def _line(mark: Any) -> int:
    return int(mark.line) + 1


def _refuse_what_unfolds(text: str) -> None:
    """Check the events in one pass, before the composer can recurse or copy."""
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
        return "anchors and aliases (& and *) are not allowed here; quote the text if it begins with one"
    if getattr(event, "tag", None) is not None:
        return "tags (!) are not allowed here; quote the text if it begins with one"
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
