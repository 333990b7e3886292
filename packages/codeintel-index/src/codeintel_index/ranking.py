"""How hits are ordered. All weights stand in this file, each signal is one function and one row of SIGNALS.

A search hands in candidates with a lexical and a dense score; `rank` fuses them and lets each signal change the scores
in turn. To add a signal, add a function and a row; to tune, change numbers here and nowhere else.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codeintel_index.kinds import kind_of
from codeintel_index.query import Query
from codeintel_index.results import Chunk
from codeintel_index.tokens import STOP_WORDS, fold, tokens

FIELD_WEIGHTS = (2.0, 1.5, 1.0)  # BM25: symbol and parent, path, body
LEXICAL_DEPTH = 200
DENSE_DEPTH = 100
DENSE_SHARE = {"sentence": 0.3, "symbol": 0.15}
PENALTIES = {
    "test": 0.3,
    "example": 0.3,
    "docs": 0.5,
    "legacy": 0.4,
    "generated": 0.2,
    "vendored": 0.3,
    "factory": 0.5,
    "migration": 0.5,
    "config": 0.6,
    "stub": 0.7,
    "reexport": 0.5,
}


@dataclass(slots=True)
class Candidate:
    """A chunk on its way through the ranking.

    `defines` are the symbols named by the query whose definitions begin in it; `users` is in how many files its own
    symbol is used.
    """

    chunk: Chunk
    defines: tuple[str, ...] = ()
    lexical: float = 0.0
    dense: float = 0.0
    score: float = 0.0
    users: int = 0


Apply = Callable[[list[Candidate], Query, float], None]


@dataclass(frozen=True, slots=True)
class Signal:
    """A row of the table."""

    name: str
    weight: float
    apply: Apply


def rank(candidates: Iterable[Candidate], query: Query) -> list[Candidate]:
    """The candidates, best first, with their final scores (any scale above 0)."""
    ranked = list(candidates)
    _fuse(ranked, query)
    for signal in SIGNALS:
        signal.apply(ranked, query, signal.weight)
        ranked.sort(key=lambda each: (-each.score, each.chunk.path, each.chunk.start_line))
    return ranked


def _fuse(candidates: list[Candidate], query: Query) -> None:
    share = DENSE_SHARE["symbol" if query.is_symbol or query.is_word else "sentence"]
    best_lexical = max((each.lexical for each in candidates), default=0.0)
    best_dense = max((each.dense for each in candidates), default=0.0)
    if best_dense <= 0:
        share = 0.0
    for each in candidates:
        lexical = each.lexical / best_lexical if best_lexical > 0 else 0.0
        each.score = (1 - share) * lexical + (share * max(0.0, each.dense) / best_dense if share else 0.0)


def _best(candidates: list[Candidate]) -> float:
    return max((each.score for each in candidates), default=0.0) or 1.0


def definition(candidates: list[Candidate], query: Query, weight: float) -> None:
    """The definition of a symbol that the query names; a name inside a sentence, or a plain word, counts half."""
    best = _best(candidates) * (weight if query.is_symbol else weight / 2)
    for each in candidates:
        if each.defines:
            stem = "".join(tokens(_stem(each.chunk.path))[:1])
            like_file = 1.5 if any(stem == name.replace("_", "").lower() for name in each.defines) else 1.0
            right_case = 1.0 if set(query.names) & set(each.defines) else 0.8
            each.score += best * like_file * right_case


def stem_match(candidates: list[Candidate], query: Query, weight: float) -> None:
    """Words of a sentence that are words of the file's name."""
    wanted = {fold(term) for term in query.terms if term not in STOP_WORDS}
    if query.is_symbol or not wanted:
        return
    best = _best(candidates)
    for each in candidates:
        stem = {fold(term) for term in tokens(_stem(each.chunk.path))}
        each.score += weight * best * len(wanted & stem) / len(wanted)


def coherence(candidates: list[Candidate], query: Query, weight: float) -> None:
    """A file with many good chunks is the right file: its best chunk rises."""
    sums: defaultdict[str, float] = defaultdict(float)
    tops: dict[str, Candidate] = {}
    for each in candidates:
        sums[each.chunk.path] += each.score
        if each.chunk.path not in tops or each.score > tops[each.chunk.path].score:
            tops[each.chunk.path] = each
    highest, best = max(sums.values(), default=0.0), _best(candidates)
    for path, top in tops.items():
        top.score += weight * best * sums[path] / highest if highest else 0.0


def popularity(candidates: list[Candidate], query: Query, weight: float) -> None:
    """A definition that many files use is a better answer than one that nobody does."""
    best = _best(candidates)
    for each in candidates:
        each.score += weight * best * math.log1p(each.users) / math.log1p(64)


def penalties(candidates: list[Candidate], query: Query, weight: float) -> None:
    """Tests, examples, generated files and the like come after the code itself, unless the query asks for them."""
    for each in candidates:
        kind = kind_of(each.chunk.path)
        if kind in PENALTIES and not query.asks_for(kind):
            each.score *= PENALTIES[kind] ** weight


def saturation(candidates: list[Candidate], query: Query, weight: float) -> None:
    """Second and later chunks of one file make room for other files."""
    seen: defaultdict[str, int] = defaultdict(int)
    for each in sorted(candidates, key=lambda each: -each.score):
        each.score *= weight ** seen[each.chunk.path]
        seen[each.chunk.path] += 1


SIGNALS = (
    Signal("definition", 3.0, definition),
    Signal("stem_match", 0.6, stem_match),
    Signal("coherence", 0.2, coherence),
    Signal("popularity", 0.1, popularity),
    Signal("penalties", 1.0, penalties),
    Signal("saturation", 0.5, saturation),
)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.partition(".")[0] or name
