"""Compile `expected_payload` once into a strict validator: the pseudo-schema is the schema.

Pydantic validates; this file only translates: the tree into models, and errors into lines that name the field. It
converts no type: true is not an integer, 1.0 is not an integer, 1 is not a boolean. It does not check what a value
means.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, reduce
from operator import or_
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, create_model
from pydantic_core import ErrorDetails

from .grammar import (
    Choice,
    Either,
    FieldType,
    ListOf,
    Member,
    Node,
    One,
    Plain,
    PseudoSchemaError,
    Record,
    is_word,
    kind_of,
    parse,
    quoted,
)
from .wording import JSON_WORDS, did_you_mean, kind_of_value, short

__all__ = ["FieldType", "PayloadShape", "PseudoSchemaError", "compile_shape", "parse"]

_STRICT = ConfigDict(strict=True, extra="forbid")
_PYTHON: dict[str, Any] = {"str": str, "int": int, "bool": bool, "dict": dict}


class PayloadShape:
    """Describe what one phase accepts. `types` is the parsed pseudo-schema, `fields` says which are required."""

    def __init__(self, types: Mapping[str, FieldType]) -> None:
        self.types = MappingProxyType(dict(types))
        self.fields: Mapping[str, bool] = MappingProxyType({name: not kind.optional for name, kind in types.items()})
        self._root = Record(tuple(Member(name, kind.optional, kind.type) for name, kind in types.items()))

    def check(self, data: Mapping[str, object]) -> list[str]:
        """Return the problems of a payload, one line each that begins with the field's path; none if it is valid."""
        return [_line(self._root, error) for error in _errors(self._model, dict(data))]

    def is_text(self, name: str) -> bool:
        """Return True for a field that takes any text, and nothing else."""
        return name in self.types and self.types[name].type == Plain("str")

    @cached_property
    def _model(self) -> type[BaseModel]:
        """Build the model on first use: a session visits few phases, and the command line often none."""
        return _model(self._root)


def compile_shape(expected_payload: Mapping[str, str]) -> PayloadShape:
    """Compile the field list of a phase.

    Raises PseudoSchemaError: the name of a field is not a word, or its type does not parse.
    """
    for name in expected_payload:
        if not is_word(name):
            hint = ": the ? of an optional field goes after its type" if name.endswith("?") else ""
            raise PseudoSchemaError(name, 1, f"{short(name)} is not a field name{hint}")
    return PayloadShape({name: parse(text) for name, text in expected_payload.items()})


def _model(record: Record) -> type[BaseModel]:
    # Fields use aliases: a user may call one `copy` or `model_x`, which pydantic reserves.
    fields: dict[str, Any] = {
        f"f{number}": (_annotation(member.type), Field(... if not member.optional else None, alias=member.name))
        for number, member in enumerate(record.members)
    }
    return create_model("Payload", __config__=_STRICT, **fields)


def _annotation(node: Node | None) -> Any:
    match node:
        case None:
            return Any
        case Plain(kind):
            return _PYTHON[kind]
        case Choice(values):
            return Literal[values]
        case ListOf(item):
            return list.__class_getitem__(_annotation(item))
        case Record():
            return _model(node)
        case _:
            tagged = tuple(Annotated[_annotation(option), Tag(str(at))] for at, option in enumerate(node.options))
            return Annotated[reduce(or_, tagged), Discriminator(_chooser(node.options))]


def _chooser(options: tuple[One, ...]) -> Callable[[object], str | None]:
    """Choose the option of a union to validate a value with: the one of its kind, of several the best match.

    Otherwise pydantic would report the value against every option at once.
    """
    models = [_model(Record((Member("value", type=option),))) for option in options]

    def choose(value: object) -> str | None:
        same = [at for at, option in enumerate(options) if kind_of(option) == type(value).__name__]
        return str(min(same, key=lambda at: len(_errors(models[at], {"value": value})))) if same else None

    return choose


def _errors(model: type[BaseModel], data: dict[str, object]) -> list[ErrorDetails]:
    try:
        model.model_validate(data)
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


def _line(root: Record, error: ErrorDetails) -> str:
    path, node, siblings = _locate(root, error["loc"])
    match error["type"]:
        case "missing":
            problem = "missing"
        case "extra_forbidden":
            known = [member.name for member in siblings.members]
            hint = did_you_mean(str(error["loc"][-1]), known) or f", known are: {', '.join(known) or 'none'}"
            problem = f"unknown field{hint}"
        case "string_unicode":
            problem = "holds text that is not valid Unicode"
        case "literal_error" if isinstance(error["input"], str):
            problem = f"expected {_words(node)}, got {short(error['input'])}"
        case _:
            problem = f"expected {_words(node)}, got {kind_of_value(error['input'])}"
    return f"{path or 'payload'}: {problem}"


def _locate(root: Record, location: Iterable[int | str]) -> tuple[str, Node | None, Record]:
    """Follow pydantic's location through the tree; return the path to show, the type there, the record around it."""
    path, around = "", root
    here: Node | None = root
    for part in location:
        match here:
            case Either(options):
                here = options[int(part)]
            case ListOf(item):
                path, here = f"{path}[{part}]", item
            case _:
                assert isinstance(here, Record), "pydantic names no place that the tree does not have"
                name = part if isinstance(part, str) and is_word(part) and len(part) <= 60 else short(part)
                path, around = f"{path}.{name}".lstrip("."), here
                here = next((member.type for member in around.members if member.name == part), None)
    return path, here, around


def _words(node: Node | None) -> str:
    match node:
        case None:
            return "a field name"
        case Choice(values):
            return "one of " + quoted(values, ", ")
        case Either(options):
            return " or ".join(dict.fromkeys(map(_words, options)))
        case _:
            return JSON_WORDS[kind_of(node)]
