"""The lexical half: BM25 over paths and bodies, put together from SQLite's own, term by term.

SQLite's `bm25` gives no weight at all to a term that stands in most chunks, which in a small project may be the very
one that matters, and it weighs all terms of a query alike. So every term is asked for by itself, SQLite's rarity is
divided out of the answer, and the one below is multiplied in.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from codeintel_index.store.reader import Reader

ENOUGH = 20_000  # chunks looked at for a query; the commonest terms are left out beyond that, so that time stays flat
LEAST_TERMS = 2
_SQLITE_LEAST = 1e-6  # SQLite's rarity of a term that stands in half of the rows or more


class Found(NamedTuple):
    """`scores` by row of the best chunks; `rarity` of each term, also of those that nothing contains."""

    scores: dict[int, float]
    rarity: dict[str, float]


def lexical(reader: Reader, terms: Mapping[str, float], fields: tuple[float, float], limit: int) -> Found:
    """The best chunks for terms, each with a weight of its own. `fields` weigh path and body."""
    total = reader.count_chunks()
    counts = {term: reader.count_matches(term) for term in terms}
    scores: defaultdict[int, float] = defaultdict(float)
    for term in _worthwhile(counts):
        scale = terms[term] * rarity(counts[term], total) / _sqlite_rarity(counts[term], total)
        for row, score in reader.postings(term, fields):
            scores[row] += scale * score
    best = heapq.nlargest(limit, scores, key=scores.__getitem__)
    return Found({row: scores[row] for row in best}, {term: rarity(count, total) for term, count in counts.items()})


def rarity(count: int, total: int) -> float:
    """How much a term tells that stands in `count` of `total` chunks: never nothing."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def _sqlite_rarity(count: int, total: int) -> float:
    share = (total - count + 0.5) / (count + 0.5)
    return max(math.log(share), _SQLITE_LEAST)


def _worthwhile(counts: Mapping[str, int]) -> list[str]:
    """The terms that something contains, rarest first, as many as are enough."""
    found = sorted((term for term, count in counts.items() if count), key=counts.__getitem__)
    sums = accumulate(counts[term] for term in found)
    return [
        term for at, (term, total) in enumerate(zip(found, sums, strict=True)) if at < LEAST_TERMS or total <= ENOUGH
    ]
