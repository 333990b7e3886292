"""Map search: which agreement a query repeats, and how far it can be trusted.

score = likeness of query and term x outcome weight x 0.5 ^ (age / 90 days). An agreement whose symbol no longer
resolves in the index, or is other code by now, is never answered, nor is one that scores below 0.2. From 0.7 on the
best one answers alone (`auto`); one whose question is merely like this one stays below.
"""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from codeintel_index.dense import Dense
from codeintel_index.errors import IndexFault
from codeintel_index.learned.folder import Folder
from codeintel_index.learned.likeness import likest
from codeintel_index.learned.sameness import SAME_ELSEWHERE, STILL_HERE, asks_the_same, kept, marks
from codeintel_index.lookup import indexed_definitions
from codeintel_index.masking import mask_text
from codeintel_index.paths import read_source
from codeintel_index.results import Chunk, Hit, MapEntry, Symbol
from codeintel_index.search import make_hit
from codeintel_index.store.reader import Reader
from codeintel_index.store.vectors import MAP

SHORTCUT = 0.7
UNSURE = 0.69
"""The most that an agreement on a question in other words can score."""
LEAST = 0.2
HALF_LIFE_DAYS = 90.0


@dataclass(frozen=True, slots=True)
class Recalled:
    """An agreement that may answer, and its score before the index is asked."""

    entry: MapEntry
    score: float


@dataclass(frozen=True, slots=True)
class Map:
    """What was learned in a project, beside its code as it is now."""

    root: Path
    folder: Folder
    reader: Reader
    dense: Dense

    def recall(self, query: str, limit: int, now: datetime.datetime) -> list[Hit]:
        """Hits, best first. `now` carries its time zone."""
        known = self.folder.all()
        if not known or not query.strip():
            return []
        likely = [
            Recalled(known[key].entry, near * outcome_weight(known[key].entry) * decay(known[key].entry, now))
            for key, near in likest(self.dense, {key: each.entry.term for key, each in known.items()}, query)
            if key in known
        ]
        hits = [hit for each in likely if each.score >= LEAST for hit in self._resolved(query, each)]
        hits.sort(key=lambda each: (-each.score, each.path, each.symbol))
        return list({(hit.chunk_id, hit.symbol): hit for hit in reversed(hits)}.values())[::-1][:limit]

    def marked(self, entry: MapEntry, definitions: list[Symbol]) -> MapEntry:
        """The entry with the marks of its symbol as it is now; as it was if its file does not define it."""
        here = next((symbol for symbol in definitions if symbol.path == entry.path), None)
        found = marks(entry.symbol, self._text(here)) if here else ()
        return replace(entry, marks=found) if found else entry

    def _resolved(self, query: str, each: Recalled) -> Iterator[Hit]:
        entry = each.entry
        here = self._still(entry) if entry.symbol else None
        chunk = self.reader.chunk_at(here.path, here.line) if here else None
        if not entry.symbol:
            chunk = self.reader.chunk_at(entry.path, 1)
        if chunk is not None:
            known = f"{entry.symbol} {entry.path} {self._text(here) if here else chunk.text}"
            is_it = asks_the_same(query, entry.term, known)
            yield _hit(chunk, entry, each.score if is_it else min(each.score, UNSURE))

    def _still(self, entry: MapEntry) -> Symbol | None:
        """Where the symbol is now: in the file it was learned in, else where it was plainly moved to."""
        found = indexed_definitions(self.reader, entry.symbol, exact=True)
        share = {symbol: kept(entry.marks, self._text(symbol)) for symbol in found}
        here = [symbol for symbol in found if symbol.path == entry.path and share[symbol] >= STILL_HERE]
        if here:
            return max(here, key=lambda symbol: (share[symbol], -symbol.line))
        moved = [symbol for symbol in found if symbol.path != entry.path and share[symbol] >= SAME_ELSEWHERE]
        return moved[0] if entry.marks and len(moved) == 1 else None

    def _text(self, symbol: Symbol) -> str:
        try:
            _, data = read_source(self.root, symbol.path)
        except IndexFault:  # gone since the index was last brought up to date
            return ""
        lines = data.decode("utf-8", "replace").split("\n")
        return mask_text("\n".join(lines[symbol.line - 1 : symbol.end_line]))


def outcome_weight(entry: MapEntry) -> float:
    """1 while nothing has failed, 2/3 after one success and one failure, towards 0 with failures alone."""
    return (entry.successes + 1) / (entry.successes + entry.failures + 1)


def decay(entry: MapEntry, now: datetime.datetime) -> float:
    """Halves every 90 days since the entry was learned."""
    at = datetime.datetime.fromisoformat(entry.learned_at)
    if at.tzinfo is None:
        at = at.replace(tzinfo=datetime.UTC)
    days = (now - at).total_seconds() / 86_400
    return float(0.5 ** (max(0.0, days) / HALF_LIFE_DAYS))


def _hit(chunk: Chunk, entry: MapEntry, score: float) -> Hit:
    text = f"learned for {entry.term!r} ({entry.successes} good, {entry.failures} bad)\n{chunk.text}"
    return make_hit(chunk, entry.symbol or chunk.symbol, round(score, 4), text[:600], MAP)
