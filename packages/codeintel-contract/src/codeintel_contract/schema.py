"""Define the shape of the contract file, and explain every mismatch in a sentence.

This module defines the sections, phases and fields; it defines neither the texts nor what a pseudo-schema may
contain (`grammar`). The models are strict: they do not convert what YAML guesses.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from .names import TOOL_NAMES, Key, Phase
from .positions import Place, Unusable
from .wording import did_you_mean

PLACEHOLDER = re.compile(r"\{(\w+)\}")
"""The part of a message that a call site fills. Never use `str.format`: external text must not reach attributes."""

Name = Annotated[str, StringConstraints(pattern=r"^\w+$")]
_PhaseKey = Annotated[Key, Field(strict=False)]
_PhaseName = Annotated[Phase, Field(strict=False)]
_Names = Annotated[tuple[str, ...], Field(strict=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PhaseEntry(_Part):
    """Hold a phase's instruction, its fields, and the tools it requires or recommends."""

    instruction: str
    expected_payload: dict[str, str]
    required_tools: _Names = ()
    recommended_tools: _Names = ()
    min_distinct_tools: int = Field(default=0, ge=0)
    resources: _Names = ()


class Message(_Part):
    """Hold one message; `error` is its code, the two texts may contain `{placeholders}`."""

    error: str = ""
    message: str = ""
    instruction: str = ""
    requires_user_intervention: bool = False

    def placeholders(self) -> frozenset[str]:
        """Return the names for which a call site must give values."""
        return frozenset(PLACEHOLDER.findall(f"{self.message} {self.instruction}"))


Messages = dict[Name, Message]


class ContractFile(_Part):
    """Hold the whole file. After the merge with the default, everything required is present."""

    phases: dict[_PhaseKey, PhaseEntry] = Field(default_factory=dict)
    common_failures: Messages = Field(default_factory=dict)
    failures: dict[_PhaseName, Messages] = Field(default_factory=dict)
    success: dict[_PhaseName, Messages] = Field(default_factory=dict)
    endings: dict[Name, Messages] = Field(default_factory=dict)
    tool_errors: dict[Name, Messages] = Field(default_factory=dict)
    session_messages: Messages = Field(default_factory=dict)
    hints: Messages = Field(default_factory=dict)
    query_frame_hints: Messages = Field(default_factory=dict)
    warnings: Messages = Field(default_factory=dict)

    def messages(self) -> Mapping[str, Message]:
        """Return every message by its dotted key, such as `failures.READY.unknown_task`."""
        return dict(_flatten("", {name: getattr(self, name) for name in SECTIONS if name != "phases"}))


SECTIONS = tuple(ContractFile.model_fields)


def project_schema() -> dict[str, Any]:
    """Return the JSON schema of a project's own file for editors; the default completes what a file leaves out."""
    schema = ContractFile.model_json_schema()
    phase = schema["$defs"][PhaseEntry.__name__]
    del phase["required"]
    for name in ("required_tools", "recommended_tools"):
        phase["properties"][name]["items"] = {"enum": sorted(TOOL_NAMES)}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _flatten(prefix: str, group: Mapping[str, Any]) -> Iterator[tuple[str, Message]]:
    for name, value in group.items():
        if isinstance(value, Message):
            yield f"{prefix}{name}", value
        else:
            yield from _flatten(f"{prefix}{name}.", value)


def dotted(place: Place) -> str:
    """Write a place as people do: `phases.EXPLORATION.required_tools[0]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")


def explain(error: ValidationError) -> list[tuple[Place, str]]:
    """Explain in sentences where and how a file does not match the shape; one for each place."""
    found: dict[Place, str] = {}
    for detail in error.errors(include_url=False):
        place = tuple(part for part in detail["loc"] if part != "[key]")
        if detail["type"] == "missing":  # the place is not in the file: report the one that lacks it
            place = place[:-1]
        inside_a_refused = any(place[:depth] in found for depth in range(1, len(place) + 1))
        if not inside_a_refused:
            found[place] = _sentence(place, detail)
    return list(found.items())


def _sentence(place: Place, detail: ErrorDetails) -> str:
    match detail["type"]:
        case "extra_forbidden" | "enum":
            return _unknown(place)
        case "string_pattern_mismatch":
            return f"{place[-1]!r} is not a name: use only letters, digits and _"
        case "missing":
            return f"has no {detail['loc'][-1]}"
        case "greater_than_equal":
            return "must not be negative"
        case kind:
            return f"expected {_WANTED.get(kind, 'something else')}, got {_got(detail['input'])}"


def _unknown(place: Place) -> str:
    name = str(place[-1])
    match place:
        case (_,):
            noun, known = "section", SECTIONS
        case ("phases", _):
            noun, known = "phase", tuple(Key)
        case (_, _):
            noun, known = "phase", tuple(Phase)
        case ("phases", *_):
            noun, known = "field", tuple(PhaseEntry.model_fields)
        case _:
            noun, known = "field", tuple(Message.model_fields)
    near = did_you_mean(name, known) or ", known are: " + ", ".join(known)
    return f"unknown {noun} {name[:60]!r}{near}"


_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}


def _got(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return f"{str(value).lower()} (quote it if it is meant as text)"
        case int():
            return f"{value} (quote it if it is meant as text)"
        case str():
            return "text"
        case list():
            return "a list"
        case Unusable(kind):
            return f"what YAML reads as {kind} (quote it if it is meant as text)"
        case _:
            return "a mapping"
