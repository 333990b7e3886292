"""Our hooks put into, or taken out of, the lists of hooks in a JSON file of another tool's.

The value is an object of events, each with a list. Of a list only our items are touched: those whose command is one
of ours, by name. An item of ours that the user changed is found by that name too, and is then a changed entry. Where
the file may hold comments, they stay.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .edits import ABSENT, Unparsable, newline
from .json_text import JsonFormat, plain, rendered, skip, start_of

_DECODER = json.JSONDecoder()
_OURS = re.compile(r"\bcodeintel-guard\b|\bcodeintel(?:\.exe)? brief\b")
_TRAILER = re.compile(r"[ \t\r\n]*,")


@dataclass(frozen=True)
class JsonHooks(JsonFormat):
    """Hooks in JSON, with or without comments: see `Format`."""

    def get(self, text: str, keys: Sequence[str]) -> object:
        """Return our items at `keys` by event, ABSENT where there are none; for other keys the value there."""
        found = super().get(text, keys)
        if found is ABSENT or not keys:
            return found
        ours = {event: [item for item in items if _is_ours(item)] for event, items in _events(found).items()}
        return {event: items for event, items in ours.items() if items} or ABSENT

    def put(self, text: str, keys: Sequence[str], value: Any) -> str:
        """Return the text with our items at the end of each event's list, and without those that were there."""
        text = self._without(text, keys)
        for event, items in value.items():
            add = self._appended if self._lists(text, keys).get(event) else super().put
            text = add(text, (*keys, event), items)
        return text

    def drop(self, text: str, keys: Sequence[str], keep: int) -> str:
        """Return the text without our items, and without the lists and parents this leaves empty, but for `keep`."""
        before = self._lists(text, keys)
        text = self._without(text, keys)
        for event, items in self._lists(text, keys).items():
            if not items and before[event]:
                text = super().drop(text, (*keys, event), len(keys))
        is_left = super().get(text, keys) != {} or keep >= len(keys)
        return text if is_left else super().drop(text, keys, keep)

    def _without(self, text: str, keys: Sequence[str]) -> str:
        for event in self._lists(text, keys):
            spans = self._spans(text, (*keys, event))
            for index in reversed(range(len(spans))):
                start, end = spans[index]
                if not _is_ours(json.loads(self._bare(text)[start:end])):
                    continue
                text = self._cut(text, spans, index)
                spans = self._spans(text, (*keys, event))
        return text

    def _cut(self, text: str, spans: Sequence[tuple[int, int]], index: int) -> str:
        """Return the text without an item and one of the commas around it; the comments around it stay."""
        start, end = spans[index]
        bare = self._bare(text)
        if len(spans) == 1:
            is_trailed = self.comments and (comma := _TRAILER.match(text, end))
            return text[:start] + text[comma.end() if is_trailed and comma else end :]
        from_, to = (spans[index - 1][1], start) if index else (end, spans[1][0])
        between = text[from_:to]
        if between != bare[from_:to]:
            comma_at = bare.index(",", from_)
            between = (text[from_:comma_at] + text[comma_at + 1 : to]).rstrip(" \t")
        else:
            between = ""
        return text[:from_] + between + text[end:] if index else text[:start] + between + text[to:]

    def _appended(self, text: str, keys: Sequence[str], items: Sequence[Any]) -> str:
        start, end = self._spans(text, keys)[-1]
        lead = text[text.rfind("\n", 0, start) + 1 : start]
        is_own_line = "\n" in text[:start] and not lead.strip()
        for item in items:
            put_in = f",{newline(text)}{lead}" if is_own_line else ", "
            put_in += rendered(self._bare(text), item, lead if is_own_line else None)
            text = text[:end] + put_in + text[end:]
            end += len(put_in)
        return text

    def _spans(self, text: str, keys: Sequence[str]) -> list[tuple[int, int]]:
        """Return where the items of the list at `keys` stand."""
        text = self._bare(text)
        at = skip(text, start_of(text, keys) + 1)
        found = []
        while text[at] != "]":
            _, end = _DECODER.raw_decode(text, at)
            found.append((at, end))
            at = skip(text, end)
            at = skip(text, at + 1) if text[at] == "," else at
        return found

    def _lists(self, text: str, keys: Sequence[str]) -> dict[str, list[Any]]:
        found = super().get(text, keys)
        return {} if found is ABSENT else _events(found)

    def _bare(self, text: str) -> str:
        """Return the text with blanks for what only people read, of the same length."""
        return plain(text) if self.comments else text


def _events(found: object) -> dict[str, list[Any]]:
    if not isinstance(found, dict) or not all(isinstance(items, list) for items in found.values()):
        raise Unparsable(1, '"hooks" must hold an object of lists')
    return found


def _is_ours(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    inner = item.get("hooks")
    holders = [item, *(one for one in inner if isinstance(one, dict))] if isinstance(inner, list) else [item]
    commands = (holder.get("command") for holder in holders)
    return any(isinstance(command, str) and _OURS.search(command) for command in commands)
