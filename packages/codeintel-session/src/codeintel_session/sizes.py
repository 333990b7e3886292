"""Replies kept within their size: what is long is cut and says so; where the session stands is never cut.

`SHRINKABLE` is ordered: what can be had again from get_session_status or is known to the agent goes first.
"""

import json
from collections.abc import Mapping
from typing import Any

from .machine.limits import REPLY_BYTES

SHRINKABLE = (
    "phase_summaries",
    "last_refusals",
    "problems",
    "explored_files",
    "project_rules",
    "notices",
    "message",
    "warning",
    "assessment",
    "investigation_hints",
    "recovery_available",
    "query",
    "task_progress",
    "next_task",
    "resources",
    "completed_steps",
    "instruction",
)
FLOORS = (600, 200, 60)
"""Bytes every field keeps in the first, second and last round of cutting."""


def size(reply: Mapping[str, Any]) -> int:
    """Bytes of the reply as sent."""
    return _bytes(reply)


def _bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def bounded(reply: dict[str, Any], limit: int = REPLY_BYTES) -> dict[str, Any]:
    """The reply within its size."""
    cut = dict(reply)
    for floor in FLOORS:
        for name in SHRINKABLE:
            over = size(cut) - limit
            if over <= 0:
                return cut
            if name in cut:
                cut[name] = shortened(cut[name], max(floor, _bytes(cut[name]) - over))
    return cut


def shortened(value: Any, budget: int) -> Any:
    """The value in at most about `budget` bytes of JSON: texts and lists lose their end, objects share it out."""
    if _bytes(value) <= budget:
        return value
    cut = _cut(value, budget)
    # Members that cannot be cut and a line that says how many were: together they may be longer than what was there.
    return cut if _bytes(cut) < _bytes(value) else value


def _cut(value: Any, budget: int) -> Any:
    if isinstance(value, str):
        return _text(value, budget)
    if isinstance(value, list):
        return _list(value, budget)
    return _object(value, budget) if isinstance(value, dict) else value


def _text(value: str, budget: int) -> str:
    low, high = 0, len(value)
    while low < high:  # a character may take one byte or twelve
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _bytes(value[:middle] + "…") <= budget else (low, middle - 1)
    return value[:low] + "…"


def _list(value: list[Any], budget: int) -> list[Any]:
    kept: list[Any] = []
    room = budget - 24  # for the last line
    for entry in value:
        room -= _bytes(entry) + 1
        if room < 0:
            break
        kept.append(entry)
    if not kept and value:
        kept.append(shortened(value[0], max(8, budget - 24)))
    left = len(value) - len(kept)
    return [*kept, f"… and {left} more"] if left else kept


def _object(value: dict[str, Any], budget: int) -> dict[str, Any]:
    """Each member gets an even share, and what a short one leaves goes to those after it."""
    cut: dict[str, Any] = {}
    room = budget - 2
    for left, (name, inner) in zip(range(len(value), 0, -1), value.items(), strict=True):
        share = max(4, room // left - _bytes(name) - 2)
        cut[name] = shortened(inner, share)
        room -= _bytes(name) + _bytes(cut[name]) + 2
    return cut
