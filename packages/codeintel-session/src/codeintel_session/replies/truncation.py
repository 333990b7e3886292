"""Truncation: keep replies within their size. Long fields are shortened visibly; the position of the session never is.

`SHRINKABLE` is ordered: fields that get_session_status repeats or that the agent already knows are shortened first.
"""

import json
from typing import Any

from codeintel_session.machine.limits import REPLY_BYTES

SHRINKABLE = (
    "phase_summaries",
    "last_refusals",
    "problems",
    "runs",
    "explored_files",
    "impact",
    "project_rules",
    "rules",
    "notices",
    "changed_out_of_phase",
    "message",
    "warning",
    "assessment",
    "investigation_hints",
    "recovery_available",
    "query",
    "changed",
    "tasks",
    "task_progress",
    "items_with_changed_files",
    "next_task",
    "resources",
    "completed_steps",
    "instruction",
)
FLOORS = (600, 200, 60)
"""Bytes that every field keeps in the first, second and last round of truncation."""


def json_size(value: object) -> int:
    """Return the size of a reply or a part of one in bytes, as sent."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def bound_reply(reply: dict[str, Any], limit: int = REPLY_BYTES) -> dict[str, Any]:
    """Return the reply, truncated to the limit."""
    cut = dict(reply)
    for floor in FLOORS:
        for name in SHRINKABLE:
            over = json_size(cut) - limit
            if over <= 0:
                return cut
            if name in cut:
                cut[name] = shortened(cut[name], max(floor, json_size(cut[name]) - over))
    return cut


def shortened(value: Any, budget: int) -> Any:
    """Return the value in about `budget` bytes of JSON: texts and lists lose their end, objects share the budget."""
    if json_size(value) <= budget:
        return value
    cut = value
    if isinstance(value, str):
        cut = _text(value, budget)
    elif isinstance(value, list):
        cut = _list(value, budget)
    elif isinstance(value, dict):
        cut = _object(value, budget)
    # Members that cannot be shortened, together with the line that counts the others, may be longer than the original.
    return cut if json_size(cut) < json_size(value) else value


def _text(value: str, budget: int) -> str:
    low, high = 0, len(value)
    while low < high:  # a character may take one byte or twelve
        middle = (low + high + 1) // 2
        low, high = (middle, high) if json_size(value[:middle] + "…") <= budget else (low, middle - 1)
    return value[:low] + "…"


def _list(value: list[Any], budget: int) -> list[Any]:
    kept: list[Any] = []
    room = budget - 24  # for the line that counts the cut entries
    for entry in value:
        room -= json_size(entry) + 1
        if room < 0:
            break
        kept.append(entry)
    if not kept and value:
        kept.append(shortened(value[0], max(8, budget - 24)))
    left = len(value) - len(kept)
    return [*kept, f"… and {left} more"] if left else kept


def _object(value: dict[str, Any], budget: int) -> dict[str, Any]:
    """Give each member an even share; what a short one does not use goes to those after it."""
    cut: dict[str, Any] = {}
    room = budget - 2
    for left, (name, inner) in zip(range(len(value), 0, -1), value.items(), strict=True):
        share = max(4, room // left - json_size(name) - 2)
        cut[name] = shortened(inner, share)
        room -= json_size(name) + json_size(cut[name]) + 2
    return cut
