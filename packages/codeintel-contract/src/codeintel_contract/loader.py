"""Load the contract of a session: merge a project's file with the packaged default, key by key.

The loader refuses everything that can be wrong with a file at the start, in one sentence with its line: a session
never starts on a contract whose message or payload check would fail halfway through. The result is immutable and
identified by its digest.
"""

import copy
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from . import positions
from .names import Key
from .positions import Document, Place
from .pseudo_schema import PayloadShape, PseudoSchemaError, compile_shape
from .quoting import quote_value
from .schema import PLACEHOLDER, ContractFile, Message, PhaseEntry, dotted, explain
from .wording import did_you_mean

DEFAULT_NAME = "phase_contract.yml"
TEXTS = ("message", "instruction")
"""The fields of a message that may hold placeholders."""


class ContractFileError(Exception):
    """Report an unusable contract file. `line` 0 is the file as a whole; `path` None the packaged one."""

    def __init__(self, path: Path | None, line: int, problem: str) -> None:
        super().__init__(f"{path or DEFAULT_NAME}{f':{line}' if line else ''}: {problem}")
        self.path = path
        self.line = line
        self.problem = problem


class UnknownMessage(KeyError):
    """Report a key that no message has, or a placeholder without a value: a bug in the calling code."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(key)
        self.key = key
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.key}: {self.problem}"


@dataclass(frozen=True, slots=True, eq=False)
class Contract:
    """Hold every text and schema of a session. Compared and hashed by `digest`."""

    digest: str
    phases: Mapping[Key, PhaseEntry]
    messages: Mapping[str, Message]
    shapes: Mapping[Key, PayloadShape]

    def message(self, key: str, values: Mapping[str, object]) -> Message:
        """Return the message under a dotted key with its placeholders filled.

        Raises UnknownMessage: there is no such message, or one of its placeholders has no value.
        """
        found = self.messages.get(key)
        if found is None:
            raise UnknownMessage(key, f"no such message{did_you_mean(key, self.messages)}")
        missing = sorted(found.placeholders() - values.keys())
        if missing:
            raise UnknownMessage(key, f"no value for {', '.join(missing)}")

        def fill(text: str) -> str:
            """Fill placeholders in one pass, so that braces inside a value stay as they are."""
            return PLACEHOLDER.sub(lambda found: quote_value(found[1], values[found[1]]), text)

        return found.model_copy(update={name: fill(getattr(found, name)) for name in TEXTS})

    def validator(self, key: Key) -> PayloadShape:
        """Return the shape that checks the payload of a phase."""
        return self.shapes[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contract) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def default_text() -> str:
    """Return the packaged contract as text, including comments; `init` writes it into a project."""
    return files(__package__).joinpath(DEFAULT_NAME).read_text(encoding="utf-8")


def load_contract(path: Path | None, root: Path | None = None) -> Contract:
    """Read a project's contract file and complete it from the default; None is the default alone.

    With a `root` the file has to lie inside of it, links followed.

    Raises ContractFileError: the file does not exist, is not readable, not YAML, or not a contract.
    """
    if path is None:
        return _default()
    try:
        document = positions.read_document(positions.read_document_text(path, root))
    except positions.UnreadableYaml as error:
        raise ContractFileError(path, error.line, error.problem) from error
    return _build(path, document, default_file())


@cache
def default_file() -> ContractFile:
    """Return the packaged contract as models, without the checks that `load_contract(None)` makes."""
    return merge(positions.read_document(default_text()), ContractFile())[0]


@cache
def _default() -> Contract:
    return _build(None, positions.read_document(default_text()), default_file())


def _build(path: Path | None, document: Document, default: ContractFile) -> Contract:
    merged, problems = merge(document, default)
    for place, problem in chain(problems, unparsable(merged), unfillable(merged, default)):
        raise ContractFileError(path, document.line(place), f"{dotted(place)}: {problem}")
    canonical = json.dumps(merged.model_dump(mode="json"), sort_keys=True).encode()
    return Contract(
        digest=hashlib.sha256(canonical).hexdigest()[:16],
        phases=MappingProxyType(merged.phases),
        messages=MappingProxyType(merged.messages()),
        shapes=MappingProxyType({key: compile_shape(entry.expected_payload) for key, entry in merged.phases.items()}),
    )


def merge(document: Document, default: ContractFile) -> tuple[ContractFile, list[tuple[Place, str]]]:
    """Merge the file with the default; also return the parts that had to be left out, with the reason.

    The default replaces what is refused, so that the rest of a file can still be checked.
    """
    problems: list[tuple[Place, str]] = [(place, "appears twice in this mapping") for place in document.duplicates]
    base = default.model_dump(mode="json")
    data = document.data
    try:
        return ContractFile.model_validate(_overlay(data, base)), problems
    except ValidationError as error:
        refused = explain(error)
    data = copy.deepcopy(data)
    for place, _ in refused:
        _remove(data, place)
    return ContractFile.model_validate(_overlay(data, base)), problems + refused


def _overlay(own: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in own.items():
        below = base.get(name)
        if isinstance(below, Mapping) and name != "expected_payload":
            if value is None:  # a heading with nothing under it takes everything from the default
                continue
            if isinstance(value, Mapping):
                value = _overlay(value, below)
        merged[name] = value
    return merged


def _remove(data: dict[str, Any], place: Place) -> None:
    """Remove one place; an error inside a list removes the whole list."""
    name, *rest = place
    inner = data.get(str(name))
    if rest and isinstance(rest[0], str) and isinstance(inner, dict):
        _remove(inner, tuple(rest))
    else:
        data.pop(str(name), None)


def unparsable(merged: ContractFile) -> Iterator[tuple[Place, str]]:
    """Yield fields whose pseudo-schema does not parse."""
    for key, entry in merged.phases.items():
        for name, text in entry.expected_payload.items():
            try:
                compile_shape({name: text})
            except PseudoSchemaError as error:
                yield ("phases", key.value, "expected_payload", name), str(error)


def unfillable(merged: ContractFile, default: ContractFile) -> Iterator[tuple[Place, str]]:
    """Yield placeholders that no call site fills: those that the default's message of the same key lacks."""
    known = default.messages()
    for key, message in merged.messages().items():
        if key not in known:
            continue
        filled = known[key].placeholders()
        for name in TEXTS:
            extra = sorted(set(PLACEHOLDER.findall(getattr(message, name))) - filled)
            if extra:
                problem = f"nothing fills {_braced(extra)}; known here: {_braced(sorted(filled))}"
                yield (*key.split("."), name), problem


def _braced(names: list[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names) or "none"
