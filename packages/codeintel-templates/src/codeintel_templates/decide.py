"""What happens to one file, decided from three texts: ours now, ours then (a digest), and what is there.

Pure: no file is read or written here. Nobody's work is overwritten: a file that is neither absent nor
exactly as we left it is kept, and ours is offered beside it, once per version.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from . import toml_text
from .edits import ABSENT, Edit, digest, digest_of, split_bom
from .json_hooks import JsonHooks
from .json_settings import JsonSettings
from .json_text import JsonFormat
from .manifest import Mode, Row
from .record import Entry
from .results import Action, Kind


class Format(Protocol):
    """What merging asks of a format. `put` and `drop` change nothing but the value at the keys."""

    def get(self, text: str, keys: Sequence[str]) -> object:
        """Return the value at `keys`, or ABSENT."""

    def put(self, text: str, keys: Sequence[str], value: dict[str, Any]) -> str:
        """Return the text with `value` at `keys`."""

    def drop(self, text: str, keys: Sequence[str], keep: int) -> str:
        """Return the text without `keys` and the parents this leaves empty, but for the first `keep`."""

    def fresh(self, keys: Sequence[str], value: dict[str, Any], beside: Mapping[str, Any]) -> str:
        """Return a new file that holds `value` at `keys`, and `beside` before it."""

    def is_empty(self, text: str, beside: Mapping[str, Any]) -> bool:
        """Say whether the file holds nothing but `beside`."""


_FORMATS: dict[Mode, Format] = {
    Mode.MERGE_JSON: JsonFormat(),
    Mode.MERGE_JSONC: JsonFormat(comments=True),
    Mode.MERGE_HOOKS: JsonHooks(),
    Mode.MERGE_SETTINGS: JsonSettings(),
    Mode.MERGE_TOML: toml_text,
}


def format_of(mode: Mode) -> Format | None:
    """Return the format of a merging mode, None for the others."""
    return _FORMATS.get(mode)


@dataclass(frozen=True)
class Facts:
    """What is known about a row's file.

    Args:
        current: the text of the file, None for no file.
        entry: what the record says of it.
        restore: whether something the user removed is put back.
        beside: a free name next to the file, for our version of it.
        instead: a file whose presence makes this one pointless, or "".
    """

    current: str | None
    entry: Entry | None = None
    restore: bool = True
    beside: str = ""
    instead: str = ""


def whole(row: Row, wanted: str, facts: Facts) -> Action:
    """Decide about a file that is ours as a whole."""
    entry, current = facts.entry, facts.current
    put = Entry(mode=row.mode, digest=digest(wanted))
    if current is None:
        return _absent(row, wanted, facts, put)
    if digest(current) == digest(wanted):
        return Action(row.destination, Kind.KEEP, "as installed", current=current, entry=put)
    if _is_placeholder(row, current):
        return Action(row.destination, Kind.UPDATE, "replaces the one that hid the folder", wanted, None, current, put)
    if entry and entry.digest == digest(current):
        return Action(row.destination, Kind.UPDATE, "new version, unchanged by you", wanted, None, current, put)
    if row.mode is Mode.IF_ABSENT:
        return Action(row.destination, Kind.KEEP, "yours", current=current, entry=entry)
    return _offer(row, wanted, facts, digest(wanted), entry.digest if entry else None)


def merged(row: Row, value: dict[str, Any], facts: Facts) -> Action:
    """Decide about our entry in a file of another tool's. Raises Unparsable: the file is not what its format wants."""
    form = format_of(row.mode)
    if form is None:
        raise ValueError(f"{row.destination} is not merged")
    if facts.current is None:
        return _absent(row, form.fresh(row.keys, value, row.beside), facts, _put(row, form, value, None))
    mark, text = split_bom(facts.current)
    found = form.get(text, row.keys)
    entry, current = facts.entry, facts.current
    if found is ABSENT:
        if entry and entry.value and not facts.restore:
            return Action(row.destination, Kind.KEEP, "you took the entry out", current=current, entry=entry)
        content = mark + form.put(text, row.keys, value)
        after = _put(row, form, value, current, content)
        return Action(row.destination, Kind.MERGE, "adds the entry", content, None, current, after)
    if digest_of(found) == digest_of(value):
        return Action(row.destination, Kind.KEEP, "the entry is there", current=current, entry=_known_as(value, entry))
    if entry and entry.value == digest_of(found):
        return _renew(row, form, value, facts)
    content = mark + form.put(text, row.keys, value)
    return _offer(row, content, facts, digest_of(value), entry.value if entry else None)


def take_back(path: str, row: Row | None, facts: Facts) -> Action:
    """Decide how to revert a recorded file, whose row a later version may have dropped.

    Raises Unparsable: a merged file can no longer be read.
    """
    entry, current = facts.entry, facts.current
    if entry is None or current is None:
        return Action(path, Kind.KEEP, "gone already")
    if format_of(entry.mode):
        return _unmerge(path, row, entry, current)
    if entry.digest is None:
        return Action(path, Kind.KEEP, "yours", current=current)
    if digest(current) != entry.digest:
        return Action(path, Kind.KEEP, "left: you changed it", current=current)
    return Action(path, Kind.REMOVE, "as installed", current=current)


def _known_as(value: dict[str, Any], entry: Entry | None) -> Entry | None:
    """Record the value of an entry of ours that already says what we want, though we recorded another."""
    if entry is None or entry.value is None or entry.value == digest_of(value):
        return entry
    return entry.model_copy(update={"value": digest_of(value), "digest": None, "undo": None})


def _absent(row: Row, wanted: str, facts: Facts, put: Entry) -> Action:
    if facts.instead:
        return Action(row.destination, Kind.KEEP, f"not needed: {facts.instead} is there", entry=facts.entry)
    if facts.entry and not facts.restore:
        return Action(row.destination, Kind.KEEP, "you removed it", entry=facts.entry)
    reason = "was removed, put back" if facts.entry else "new"
    return Action(row.destination, Kind.CREATE, reason, wanted, entry=put)


def _is_placeholder(row: Row, current: str) -> bool:
    lines = [line.strip() for line in current.splitlines()]
    return bool(row.placeholder) and [x for x in lines if x and not x.startswith("#")] == [row.placeholder]


def _offer(row: Row, content: str, facts: Facts, version: str, base: str | None) -> Action:
    """Keep the user's file and put ours beside it, unless this version is the base or was offered before."""
    entry = facts.entry or Entry(mode=row.mode)
    if version == base:
        return Action(row.destination, Kind.KEEP, "changed by you", current=facts.current, entry=entry)
    if version == entry.offered:
        reason = f"yours; ours was offered as {entry.beside}"
        return Action(row.destination, Kind.KEEP, reason, current=facts.current, entry=entry)
    after = entry.model_copy(update={"offered": version, "beside": facts.beside, "beside_digest": digest(content)})
    reason = f"yours stays; compare it with {facts.beside}"
    return Action(row.destination, Kind.CONFLICT, reason, content, facts.beside, facts.current, after)


def _put(row: Row, form: Format, value: Mapping[str, Any], before: str | None, after: str = "") -> Entry:
    entry = Entry(mode=row.mode, value=digest_of(value))
    if before is None:
        return entry.model_copy(update={"digest": digest(form.fresh(row.keys, dict(value), row.beside))})
    text = split_bom(before)[1]
    depths = range(1, len(row.keys))
    there = sum(form.get(text, row.keys[:depth]) is not ABSENT for depth in depths)
    return entry.model_copy(
        update={"digest": digest(after), "before": digest(before), "keep": there, "undo": Edit.between(before, after)}
    )


def _renew(row: Row, form: Format, value: dict[str, Any], facts: Facts) -> Action:
    """Replace an entry of ours. Where the file is as we left it, merge into what was there before."""
    entry, current = facts.entry, facts.current
    if entry is None or current is None:
        raise ValueError(f"{row.destination} has nothing to renew")
    reason = "new version of the entry"
    original = _original(entry, current)
    if original is not None:
        mark, text = split_bom(original)
        content = mark + form.put(text, row.keys, value)
        put = _put(row, form, value, original, content)
    elif digest(current) == entry.digest:
        content = form.fresh(row.keys, value, row.beside)
        put = _put(row, form, value, None)
    else:
        mark, text = split_bom(current)
        content = mark + form.put(text, row.keys, value)
        put = entry.model_copy(update={"value": digest_of(value), "digest": None, "undo": None})
    return Action(row.destination, Kind.MERGE, reason, content, None, current, put)


def _original(entry: Entry, current: str) -> str | None:
    """Return the file as it was before the merge, if it can be restored byte for byte."""
    if entry.undo is None or digest(current) != entry.digest:
        return None
    text = entry.undo.revert(current)
    return text if text is not None and digest(text) == entry.before else None


def _unmerge(path: str, row: Row | None, entry: Entry, current: str) -> Action:
    keys, beside = (row.keys, row.beside) if row else ((), {})
    form = format_of(entry.mode)
    mark, text = split_bom(current)
    found = form.get(text, keys) if form else ABSENT
    if form is None or found is ABSENT:
        return Action(path, Kind.KEEP, "the entry is gone already", current=current)
    if entry.value is None or digest_of(found) != entry.value:
        return Action(path, Kind.KEEP, "left: the entry is not as installed", current=current)
    original = _original(entry, current)
    if original is not None:
        return Action(path, Kind.MERGE, "restored as it was", original, None, current)
    rest = form.drop(text, keys, entry.keep)
    if entry.before is None and form.is_empty(rest, beside):
        return Action(path, Kind.REMOVE, "held nothing else", current=current)
    return Action(path, Kind.MERGE, "takes the entry out", mark + rest, None, current)
