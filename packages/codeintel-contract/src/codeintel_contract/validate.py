"""Turn a client's input into a payload model: decode it, check it against the contract file, build the model.

The project's contract decides which fields exist and what they may contain; the model gives the machine typed
values. A field or member that the project added is checked and then left out of the model.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeGuard

from pydantic import ValidationError

from .loader import Contract
from .names import Key
from .payloads import PAYLOADS, Payload
from .schema import dotted
from .violations import ContractViolation
from .wording import kind_of_value

MAX_DECODES = 3
"""How often JSON given as a string is decoded; some clients encode it twice."""

MAX_DEPTH = 64
"""Maximum nesting of lists and objects; the deepest field of the default contract needs five."""


MAX_ROW = 20
"""Payloads that one call may submit; the longest path of a session with one task needs fewer."""


def decode_row(data: object) -> list[dict[str, Any]]:
    """Return the payloads of a row, each without its nulls; a single payload is a row of one.

    Raises ContractViolation: `invalid_data`, with one problem for each payload that is not an object.
    """
    data = _decoded(data)
    if not isinstance(data, list):
        return [decode_payload(data)]
    if not 0 < len(data) <= MAX_ROW:
        raise _invalid(f"it is a list of {len(data)} payloads; submit 1 to {MAX_ROW}")
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, entry in enumerate(data):
        try:
            rows.append(decode_payload(entry))
        except ContractViolation as fault:
            problems.append(f"data[{number}]: {fault.values['error']}")
    if problems:
        why = "; ".join(problems)
        raise ContractViolation("session_messages.invalid_data", problems=tuple(problems), error=why)
    return rows


def decode_payload(data: object) -> dict[str, Any]:
    """Decode the payload into an object and drop its nulls.

    Raises ContractViolation: `invalid_data` if it is not a JSON object after at most three decodings, or nested too
    deep.
    """
    data = _decoded(data)
    if not isinstance(data, Mapping):
        raise _invalid(f"it is {kind_of_value(data)}")
    return {str(name): _without_null(value, 1) for name, value in data.items() if value is not None}


def _decoded(data: object) -> object:
    for _ in range(MAX_DECODES):
        if not isinstance(data, str):
            break
        try:
            data = json.loads(data)
        except RecursionError:
            raise _invalid(f"it is nested deeper than {MAX_DEPTH}") from None
        except ValueError as error:
            raise _invalid(str(error)) from None
    return data


def _without_null(value: object, depth: int) -> object:
    """Drop nulls: many clients fill the optional fields they leave out with null."""
    if not isinstance(value, Mapping | list):
        return value
    if depth == MAX_DEPTH:  # code that walks it later could exhaust the stack
        raise _invalid(f"it is nested deeper than {MAX_DEPTH}")
    if isinstance(value, list):
        return [_without_null(inner, depth + 1) for inner in value]
    return {name: _without_null(inner, depth + 1) for name, inner in value.items() if inner is not None}


def _invalid(why: str) -> ContractViolation:
    return ContractViolation("session_messages.invalid_data", problems=(f"data: {why}",), error=why)


def read_payload(contract: Contract, key: Key, data: Mapping[str, object]) -> Payload:
    """Check the payload of `key` and build its model.

    Raises ContractViolation: `tools_used_invalid`, `summary_required` or `payload_mismatch`, with one line per problem.
    """
    if "tools_used" in data and not _is_list_of_text(data["tools_used"]):
        raise ContractViolation("common_failures.tools_used_invalid", problems=("tools_used: must be a list of names",))
    shape = contract.validator(key)
    data = {  # a text may come as a list of lines, such as the bullets of a summary
        name: "\n".join(value) if shape.is_text(name) and _is_list_of_text(value) else value
        for name, value in data.items()
    }
    problems = shape.check(data)
    if problems == ["summary: missing"]:
        raise ContractViolation("common_failures.summary_required", problems=tuple(problems))
    if problems:
        raise mismatch(key, problems)
    try:
        return PAYLOADS[key].model_validate(data, extra="ignore")  # the contract has already refused unknown fields
    except ValidationError as error:  # what the project's contract accepts and the server's own types do not
        missing = "the server needs it, but the project's contract file does not ask for it"
        faults = ((each["loc"], missing if each["type"] == "missing" else each["msg"]) for each in error.errors())
        raise mismatch(key, [f"{dotted(place)}: {why}" for place, why in faults]) from None


def _is_list_of_text(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def mismatch(key: Key, problems: list[str]) -> ContractViolation:
    """Return the violation for a payload that does not match, with every reason."""
    return ContractViolation("common_failures.payload_mismatch", problems=tuple(problems), key=key.value)
