"""Map search: which agreement a query repeats, and how far it can be trusted.

score = similarity of query and term x outcome weight x 0.5 ^ (age / 90 days). An agreement whose symbol no longer
resolves in the index, or whose code has been replaced, is never answered, nor is one that scores below 0.2. From 0.7 on
the best one answers alone (`auto`); one whose question is only similar stays below.
"""

import datetime
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeintel_index.errors import IndexFault
from codeintel_index.learned.agreements import AgreementStore
from codeintel_index.learned.similarity import SAME_ELSEWHERE, STILL_HERE, is_same_question, kept, marks, most_similar
from codeintel_index.lookup.definitions import indexed_definitions, split_name, structure_of
from codeintel_index.paths import read_source
from codeintel_index.results import Chunk, Hit, MapEntry, Symbol
from codeintel_index.search.forest import make_hit
from codeintel_index.store.reader import MAP, Reader
from codeintel_index.vectors.dense import Dense

SHORTCUT = 0.7
UNSURE = 0.69
"""The most that an agreement on a question in other words can score."""
LEAST = 0.2
HALF_LIFE_DAYS = 90.0
MOST_MOVED = 1000  # definitions of a name among which a moved one is looked for


@dataclass(frozen=True, slots=True)
class Map:
    """What was learned in a project, beside its code as it is now. For one question: files are read once."""

    root: Path
    folder: AgreementStore
    reader: Reader
    dense: Dense
    _read: dict[str, tuple[tuple[Symbol, ...], list[str]]] = field(default_factory=dict)

    def recall(self, query: str, now: datetime.datetime, least: float = LEAST) -> list[Hit]:
        """Find hits that score at least `least`, best first. `now` carries its time zone."""
        known = self.folder.all()
        if not known or not query.strip():
            return []
        near = most_similar(self.dense, {key: each.entry.term for key, each in known.items()}, query)
        likely = [(known[key].entry, similarity) for key, similarity in near if key in known]
        scored = [(entry, similarity * outcome_weight(entry) * decay(entry, now)) for entry, similarity in likely]
        found = [self._resolved(query, entry, score) for entry, score in scored if score >= least]
        hits: dict[tuple[str, str], Hit] = {}
        for hit in sorted(filter(None, found), key=lambda hit: (-hit.score, hit.path, hit.symbol)):
            hits.setdefault((hit.chunk_id, hit.symbol), hit)
        return [hit for hit in hits.values() if hit.score >= least]

    def marked(self, entry: MapEntry) -> MapEntry:
        """Add the marks of the symbol as it is now; an entry whose file does not define it stays as it is."""
        texts = self._texts(entry.path, entry.symbol)
        found = marks(entry.symbol, texts[0][1]) if texts else ()
        return replace(entry, marks=found) if found else entry

    def _resolved(self, query: str, entry: MapEntry, score: float) -> Hit | None:
        path, line, text = self._still(entry) if entry.symbol else (entry.path, 1, "")
        chunk = self.reader.chunk_at(path, line) if path else None
        if chunk is None:
            return None
        is_it = is_same_question(query, entry.term, f"{entry.symbol} {entry.path} {text or chunk.text}")
        return _hit(chunk, entry, score if is_it else min(score, UNSURE))

    def _still(self, entry: MapEntry) -> tuple[str, int, str]:
        """Path, line and text of the symbol: in the file it was learned in, else where it was plainly moved to.

        The path is "" if it is nowhere.
        """
        here = [(kept(entry.marks, text), -line, text) for line, text in self._texts(entry.path, entry.symbol)]
        share, line, text = max(here, default=(0.0, 0, ""))
        if share >= STILL_HERE:
            return entry.path, -line, text
        indexed = indexed_definitions(self.reader, entry.symbol, True, "", "", MOST_MOVED, 0)
        paths = {symbol.path for symbol in indexed} - {entry.path}
        moved = [
            (path, line, text)
            for path in sorted(paths)
            for line, text in self._texts(path, entry.symbol)
            if kept(entry.marks, text) >= SAME_ELSEWHERE
        ]
        return moved[0] if entry.marks and len(moved) == 1 else ("", 0, "")

    def _texts(self, path: str, name: str) -> list[tuple[int, str]]:
        """Line and text of each definition of a name in a file as it is on disk: the index may be seconds behind."""
        parent, last = split_name(name)
        if path not in self._read:
            self._read[path] = _read(self.root, path)
        symbols, lines = self._read[path]
        found = [
            each for each in symbols if each.name == last and (not parent or f".{each.parent}".endswith(f".{parent}"))
        ]
        return [(each.line, "\n".join(lines[each.line - 1 : each.end_line])) for each in found]


def _read(root: Path, path: str) -> tuple[tuple[Symbol, ...], list[str]]:
    try:
        symbols = structure_of(root, path).symbols
        _, data = read_source(root, path)
    except IndexFault:  # gone, or not to be read any more
        return (), []
    return symbols, data.decode("utf-8", "replace").split("\n")


def outcome_weight(entry: MapEntry) -> float:
    """Weigh by outcomes: 1 while nothing has failed, 2/3 after one success and one failure, towards 0 with failures
    alone.
    """
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
