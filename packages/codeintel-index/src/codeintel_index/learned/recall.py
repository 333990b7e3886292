"""Map search: which agreement a query repeats, and how far it can be trusted.

score = likeness of query and term x outcome weight x 0.5 ^ (age / 90 days). An agreement whose symbol no longer
resolves in the index is never answered, nor is one that scores below 0.2. From 0.7 on the best one answers alone
(`auto`).
"""

import datetime
from dataclasses import dataclass

from codeintel_index.dense import Dense
from codeintel_index.learned.folder import Folder
from codeintel_index.learned.likeness import likest
from codeintel_index.lookup import indexed_definitions
from codeintel_index.results import Chunk, Hit, MapEntry
from codeintel_index.search import make_hit
from codeintel_index.store.reader import Reader
from codeintel_index.store.vectors import MAP

SHORTCUT = 0.7
LEAST = 0.2
HALF_LIFE_DAYS = 90.0


@dataclass(frozen=True, slots=True)
class Recalled:
    """An agreement that may answer, and its score before the index is asked."""

    entry: MapEntry
    score: float


def recall(folder: Folder, reader: Reader, dense: Dense, query: str, limit: int) -> list[Hit]:
    """Hits of the Map, best first."""
    known = folder.all()
    if not known or not query.strip():
        return []
    likely = [
        Recalled(known[key].entry, near * outcome_weight(known[key].entry) * decay(known[key].entry))
        for key, near in likest(dense, {key: each.entry.term for key, each in known.items()}, query)
        if key in known
    ]
    likely.sort(key=lambda each: (-each.score, -each.entry.similarity, each.entry.term))
    hits: dict[tuple[str, str], Hit] = {}
    for each in likely:
        hit = _resolved(reader, each)
        if hit is not None and hit.score >= LEAST:
            hits.setdefault((hit.chunk_id, hit.symbol), hit)
    return list(hits.values())[:limit]


def outcome_weight(entry: MapEntry) -> float:
    """1 while nothing has failed, 2/3 after one success and one failure, towards 0 with failures alone."""
    return (entry.successes + 1) / (entry.successes + entry.failures + 1)


def decay(entry: MapEntry) -> float:
    """Halves every 90 days since the entry was learned."""
    at = datetime.datetime.fromisoformat(entry.learned_at)
    if at.tzinfo is None:
        at = at.replace(tzinfo=datetime.UTC)
    days = (datetime.datetime.now(datetime.UTC) - at).total_seconds() / 86_400
    return float(0.5 ** (max(0.0, days) / HALF_LIFE_DAYS))


def _resolved(reader: Reader, each: Recalled) -> Hit | None:
    """The hit where the symbol is now: in the file it was learned in, else in the only other one that defines it."""
    entry = each.entry
    if not entry.symbol:
        chunk = reader.chunk_at(entry.path, 1)
        return _hit(chunk, entry, each.score) if chunk else None
    found = indexed_definitions(reader, entry.symbol, exact=True)
    here = [symbol for symbol in found if symbol.path == entry.path] or (found if len(found) == 1 else [])
    chunk = reader.chunk_at(here[0].path, here[0].line) if here else None
    return _hit(chunk, entry, each.score) if chunk else None


def _hit(chunk: Chunk, entry: MapEntry, score: float) -> Hit:
    text = f"learned for {entry.term!r} ({entry.successes} good, {entry.failures} bad)\n{chunk.text}"
    return make_hit(chunk, entry.symbol or chunk.symbol, round(score, 4), text[:600], MAP)
