"""What earlier sessions tell a new one: the outcomes log, read by session and by request."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from codeintel_contract.names import Phase

SAME = 0.8
"""Share of their words that two requests must have in common to count as the same one."""

_WORD = re.compile(r"\w+")


def last_outcomes(entries: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Each session's entry with its last outcome and note, oldest session first.

    What the session itself logged at its end stays; what was told later only says how it turned out.
    """
    found: dict[str, dict[str, Any]] = {}
    for entry in entries:
        session_id = str(entry.get("session_id", ""))
        told = {name: entry.get(name, "") for name in ("outcome", "note", "at")}
        found[session_id] = {**found.get(session_id, entry), **told}
    return found


def earlier(entries: Iterable[Mapping[str, Any]], query: str) -> dict[str, Any] | None:
    """The newest session with the same request that changed something to its end, or that was told a failure."""
    wanted = _words(query)
    for entry in reversed(last_outcomes(entries).values()):
        done = entry.get("phase") == Phase.SESSION_COMPLETE and bool(entry.get("changed"))
        if (done or entry["outcome"] == "failure") and _alike(wanted, _words(str(entry.get("query", "")))) >= SAME:
            return entry
    return None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))
