"""Small changes of an honest submission that many rows share."""

from collections.abc import Callable
from typing import Any

Payload = dict[str, Any]
Change = Callable[[Payload], Payload]


def item(at: int = 0, **fields: Any) -> Change:
    """The report of a task with fields of one checklist item replaced; `...` takes one away."""

    def change(payload: Payload) -> Payload:
        items = [dict(entry) for entry in payload["checklist"]]
        items[at] = {name: value for name, value in {**items[at], **fields}.items() if value is not ...}
        return {**payload, "checklist": items}

    return change


def task(at: int = 0, **fields: Any) -> Change:
    """The plan with fields of one task replaced; `...` takes one away."""

    def change(payload: Payload) -> Payload:
        tasks = [dict(entry) for entry in payload["tasks"]]
        tasks[at] = {name: value for name, value in {**tasks[at], **fields}.items() if value is not ...}
        return {**payload, "tasks": tasks}

    return change


def slot(name: str, value: str, quote: str) -> Change:
    """The frame with one slot filled otherwise."""
    return lambda payload: {**payload, "slots": {**payload["slots"], name: {"value": value, "quote": quote}}}


def hypothesis(**fields: Any) -> Change:
    """The verification with fields of its hypothesis replaced."""
    return lambda payload: {**payload, "hypotheses_verified": [{**payload["hypotheses_verified"][0], **fields}]}


def more(name: str, *values: Any) -> Change:
    """A list of the submission with values added."""
    return lambda payload: {**payload, name: [*payload[name], *values]}
