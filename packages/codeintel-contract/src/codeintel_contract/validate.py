"""From what a client sent to a payload model: decode, check against the contract file, build the model.

The project's contract decides which fields there are and what they may hold; the model gives the machine
types to work with. A field or member the project added is checked and then left out of the model.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .loader import Contract
from .names import Key
from .payloads import PAYLOADS, Payload
from .schema import dotted
from .violations import ContractViolation
from .wording import kind_of_value

MAX_DECODES = 3
"""JSON given as a string is decoded, even when it was encoded twice."""

MAX_DEPTH = 64
"""Lists and objects within each other; the deepest field of the product needs five."""


def decode(data: object) -> dict[str, Any]:
    """The payload as an object, without its nulls.

    Raises:
        ContractViolation: `invalid_data` if it is no JSON object under at most three encodings, or nested too deep.
    """
    for _ in range(MAX_DECODES):
        if not isinstance(data, str):
            break
        try:
            data = json.loads(data)
        except RecursionError:
            raise _invalid(f"it is nested deeper than {MAX_DEPTH}") from None
        except ValueError as error:
            raise _invalid(str(error)) from None
    if not isinstance(data, Mapping):
        raise _invalid(f"it is {kind_of_value(data)}")
    return {str(name): _without_null(value, 1) for name, value in data.items() if value is not None}


def _without_null(value: object, depth: int) -> object:
    """null stands for a field left out: many clients fill optional fields with it."""
    if not isinstance(value, Mapping | list):
        return value
    if depth == MAX_DEPTH:  # whoever walks it later may run out of stack
        raise _invalid(f"it is nested deeper than {MAX_DEPTH}")
    if isinstance(value, list):
        return [_without_null(inner, depth + 1) for inner in value]
    return {name: _without_null(inner, depth + 1) for name, inner in value.items() if inner is not None}


def _invalid(why: str) -> ContractViolation:
    return ContractViolation("session_messages.invalid_data", problems=(f"data: {why}",), why=why)


def read_payload(contract: Contract, key: Key, data: Mapping[str, object]) -> Payload:
    """The payload of `key`, checked.

    Raises:
        ContractViolation: `tools_used_invalid`, `summary_required` or `payload_mismatch`, with one problem a line.
    """
    if "tools_used" in data and not _is_list_of_text(data["tools_used"]):
        raise ContractViolation("common_failures.tools_used_invalid", problems=("tools_used: must be a list of names",))
    problems = contract.validator(key).check(data)
    if problems == ["summary: missing"]:
        raise ContractViolation("common_failures.summary_required", problems=tuple(problems))
    if problems:
        raise mismatch(key, problems)
    try:
        return PAYLOADS[key].model_validate(data, extra="ignore")  # the contract has refused what it does not know
    except ValidationError as error:
        raise mismatch(key, [_line(item) for item in error.errors(include_url=False)]) from None


def _line(error: ErrorDetails) -> str:
    """What the project's contract let through and the server's own types do not."""
    missing = "the server needs it, and the project's contract file does not ask for it"
    return f"{dotted(error['loc'])}: {missing if error['type'] == 'missing' else error['msg']}"


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def mismatch(key: Key, problems: list[str]) -> ContractViolation:
    """A payload that does not fit, with every reason."""
    return ContractViolation("common_failures.payload_mismatch", problems=tuple(problems), key=key.value)
