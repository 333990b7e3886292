"""What changed between two JSON objects, as JSON: small where little did, wherever that was.

An object's members are `set` anew, changed `inside`, or `gone`; of a list what its ends have in common is not repeated
(`lists`: how many stay at the start, how many at the end, and what stands between them).
"""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

Json = dict[str, Any]


def difference(before: Json, after: Json) -> Json:
    """What `applied` makes `after` of `before` by."""
    change: Json = {}
    for name, value in after.items():
        old = before.get(name)
        if name in before and old == value:
            continue
        if isinstance(old, dict) and isinstance(value, dict):
            change.setdefault("inside", {})[name] = difference(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            change.setdefault("lists", {})[name] = _between(old, value)
        else:
            change.setdefault("set", {})[name] = value
    if gone := sorted(before.keys() - after.keys()):
        change["gone"] = gone
    return change


def _between(old: list[Any], new: list[Any]) -> list[Any]:
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    return [start, end, new[start : len(new) - end]]


def _alike(old: list[Any], new: list[Any]) -> int:
    """How many members two lists have in common before the first that differs."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def applied(before: Json, change: Mapping[str, Any]) -> Json:
    """The object after a difference.

    Raises:
        KeyError, TypeError, ValueError: it is the difference to another object, or none.
    """
    found = {name: value for name, value in before.items() if name not in change.get("gone", ())}
    for name, inner in change.get("inside", {}).items():
        found[name] = applied(found[name], inner)
    for name, (start, end, middle) in change.get("lists", {}).items():
        old = found[name]
        found[name] = [*old[:start], *middle, *old[len(old) - end :]]
    found.update(change.get("set", {}))
    return found
