"""Context loss: whether a reply must carry the summaries, by the count the agent echoes.

A missing count, or one that differs from the server's, gets them once: the same wrong echo again does
not, or a client that never echoes would pay for them in every reply. As long as there is nothing to tell
but what was handed in just now, that once is not used up.
"""

from .limits import SUMMARY_CHARS
from .state import SessionState


def note_echo(state: SessionState, received: int | None) -> tuple[SessionState, bool]:
    """Take the agent's echo in; returns the new state and whether to send the summaries."""
    if received == state.compaction_count:
        return state.model_copy(update={"told_summaries_for": ""}), False
    mark = "missing" if received is None else str(received)
    counted = state.model_copy(update={"compaction_count": max(state.compaction_count, received or 0)})
    if len(state.summaries) < 2:
        return counted, False
    return counted.model_copy(update={"told_summaries_for": mark}), mark != state.told_summaries_for


def with_summary(state: SessionState, key: str, summary: str) -> SessionState:
    """Keep a summary under `key`; a later one of the same step gets `#2`, `#3`, …"""
    unique, number = key, 2
    while unique in state.summaries:
        unique, number = f"{key}#{number}", number + 1
    return state.model_copy(update={"summaries": {**state.summaries, unique: summary.strip()[:SUMMARY_CHARS]}})
