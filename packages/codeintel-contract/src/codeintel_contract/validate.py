"""From what a client sent to a payload model: decode, check against the contract file, build the model.

The project's contract decides which fields there are and what they may hold; the model gives the machine
types to work with. A field the project added is checked and then left out of the model.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from .loader import Contract
from .names import Key
from .payloads import PAYLOADS, Payload
from .violations import ContractViolation

MAX_DECODES = 3
"""JSON given as a string is decoded, even when it was encoded twice."""


def decode(data: object) -> dict[str, Any]:
    """The payload as an object.

    Raises:
        ContractViolation: `invalid_data` if it is no JSON object under at most three encodings.
    """
    for _ in range(MAX_DECODES):
        if not isinstance(data, str):
            break
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ContractViolation("session_messages.invalid_data", why=str(error)) from None
    if not isinstance(data, Mapping):
        raise ContractViolation("session_messages.invalid_data", why=f"it is a {type(data).__name__}")
    return {str(name): _without_null(value) for name, value in data.items() if value is not None}


def _without_null(value: object) -> object:
    """null stands for a field left out: many clients fill optional fields with it."""
    if isinstance(value, Mapping):
        return {name: _without_null(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_null(inner) for inner in value]
    return value


def read_payload(contract: Contract, key: Key, data: Mapping[str, object]) -> Payload:
    """The payload of `key`, checked.

    Raises:
        ContractViolation: `tools_used_invalid`, `summary_required` or `payload_mismatch`, with one problem a line.
    """
    if "tools_used" in data and not _is_list_of_text(data["tools_used"]):
        raise ContractViolation("common_failures.tools_used_invalid", problems=("tools_used: must be a list",))
    problems = contract.validator(key).check(dict(data))
    if any(line.startswith("summary: missing") for line in problems) and len(problems) == 1:
        raise ContractViolation("common_failures.summary_required", problems=tuple(problems))
    if problems:
        raise mismatch(key, problems)
    model = PAYLOADS[key]
    try:
        return model.model_validate({name: value for name, value in data.items() if name in model.model_fields})
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors(include_url=False)]
        raise mismatch(key, lines) from None


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def mismatch(key: Key, problems: list[str]) -> ContractViolation:
    """A payload that does not fit, with every reason."""
    return ContractViolation("common_failures.payload_mismatch", problems=tuple(problems), key=key.value)
