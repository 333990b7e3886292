"""Earlier sessions that matter to a new one: read the outcomes log by session and by request."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from codeintel_contract import Phase

SAME = 0.8
"""Share of their words that two requests must have in common to count as the same one."""

_WORD = re.compile(r"\w+")


def last_outcomes(entries: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return each session's entry with what was recorded about it later, oldest session first.

    The entry is the one logged when the session ended. Later entries replace its note and time, and say under
    `recorded` how it turned out: what was proved at its end stays what it was.
    """
    by_session: dict[str, dict[str, Any]] = {}
    for entry in entries:
        session_id = str(entry.get("session_id", ""))
        if session_id not in by_session:
            by_session[session_id] = dict(entry)
            continue
        latest = {"recorded": entry["outcome"], **{name: entry.get(name, "") for name in ("note", "at", "recorded_by")}}
        by_session[session_id] |= latest
    return by_session


def has_failed(entry: Mapping[str, Any]) -> bool:
    """Return True if a session failed, at its end or as recorded later."""
    return entry["outcome"] in ("failed", "failure") or entry.get("recorded") == "failure"


def earlier(entries: Iterable[Mapping[str, Any]], query: str) -> dict[str, Any] | None:
    """Return the newest session with the same request that completed with changes or turned out a failure."""
    for entry in reversed(last_outcomes(entries).values()):
        if (_is_done(entry) or has_failed(entry)) and _is_same(entry, query):
            return {**entry, "failed": has_failed(entry)}
    return None


class Ended(NamedTuple):
    """When a session completed last: any at all, and one with the same request and with changes; "" if none did."""

    last: str = ""
    same: str = ""


def ended(entries: Iterable[Mapping[str, Any]], query: str) -> Ended:
    """Return when sessions completed last."""
    complete = [entry for entry in entries if entry.get("phase") == Phase.SESSION_COMPLETE]
    same = [entry for entry in complete if _is_done(entry) and _is_same(entry, query)]
    return Ended(*(max((str(entry["at"]) for entry in found), default="") for found in (complete, same)))


def _is_done(entry: Mapping[str, Any]) -> bool:
    return entry.get("phase") == Phase.SESSION_COMPLETE and bool(entry.get("changed"))


def _is_same(entry: Mapping[str, Any], query: str) -> bool:
    asked, wanted = _words(str(entry.get("query", ""))), _words(query)
    return len(wanted & asked) >= SAME * max(1, len(wanted | asked))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
