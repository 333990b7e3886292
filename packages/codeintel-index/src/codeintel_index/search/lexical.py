"""The lexical half of a search: BM25 over the paths and bodies of chunks, from the postings in the rows.

SQLite's own `bm25` gives no weight to a term that most chunks hold, which in a small project may be the very one that
matters, weighs all terms of a query alike, and takes microseconds a row. So the postings are read as they are and
scored with numpy.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeintel_index.store.chunks import Chunks, Numbers, Scores, chunks_of
from codeintel_index.store.reader import Reader
from codeintel_index.text.postings import MOST_IN_BODY, MOST_IN_PATH, NUMBER_BIT, PATH_BIT
from codeintel_index.text.stems import stems

ENOUGH = 20_000  # chunks looked at for a query; the commonest terms are left out beyond that, so that time stays flat
LEAST_TERMS = 2
SATURATION, BY_LENGTH = 1.2, 0.75  # k1 and b of BM25


class Found(NamedTuple):
    """`scores` by number of the best of the `chunks`; `rarity` of each term, also of those that nothing contains."""

    chunks: Chunks
    scores: dict[int, float]
    rarity: dict[str, float]


def lexical(reader: Reader, terms: Mapping[str, float], fields: tuple[float, float], limit: int) -> Found:
    """Find the best chunks for weighted terms. `fields` weigh path and body. Call within a snapshot of the rows."""
    stem_of = stems(terms)
    wanted = [stem for stem in {*stem_of.values()} if stem]
    chunks, rows = chunks_of(reader), reader.postings(wanted)
    numbers, codes = _postings(chunks, rows)
    counts = {term: len(numbers.get(stem, ())) for term, stem in stem_of.items()}
    rarities = {term: rarity(count, chunks.total) for term, count in counts.items()}
    scores = np.zeros(len(chunks.is_alive))
    damping = SATURATION * (1 - BY_LENGTH + BY_LENGTH * chunks.length)
    path, body = fields
    for term in _worthwhile(counts):
        found = codes[stem_of[term]]
        held = path * (found >> PATH_BIT & MOST_IN_PATH) + body * (found & MOST_IN_BODY)
        at = numbers[stem_of[term]]
        scores[at] += terms[term] * rarities[term] * (SATURATION + 1) * held / (held + damping[at])
    best = largest(scores, limit)
    return Found(chunks, dict(zip(best.tolist(), scores[best].tolist(), strict=True)), rarities)


def _postings(
    chunks: Chunks, rows: Iterable[tuple[str, int, bytes]]
) -> tuple[dict[str, Numbers], dict[str, NDArray[np.uint32]]]:
    """The numbers of the chunks that hold each stem, and how they do."""
    parts: defaultdict[str, list[bytes]] = defaultdict(list)
    shifts: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for stem, segment, packed in rows:
        parts[stem].append(packed)
        shifts[stem].append((chunks.starts[segment], len(packed) // 4))
    numbers, codes = {}, {}
    for stem, found_parts in parts.items():
        found = np.frombuffer(b"".join(found_parts), np.uint32)
        starts, lengths = zip(*shifts[stem], strict=True)
        at = (found >> NUMBER_BIT).astype(np.int64) + np.repeat(np.array(starts), lengths)
        alive = chunks.is_alive[at]
        numbers[stem], codes[stem] = at[alive], found[alive]
    return numbers, codes


def rarity(count: int, total: int) -> float:
    """Weigh a term that `count` of `total` chunks hold: never 0."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def _worthwhile(counts: Mapping[str, int]) -> list[str]:
    """The terms that something contains, rarest first, as many as are enough."""
    found = sorted((term for term, count in counts.items() if count), key=counts.__getitem__)
    sums = accumulate(counts[term] for term in found)
    return [
        term for at, (term, total) in enumerate(zip(found, sums, strict=True)) if at < LEAST_TERMS or total <= ENOUGH
    ]


def largest(values: Scores, count: int) -> Numbers:
    """Find the places of the largest values above 0, largest first."""
    some = np.flatnonzero(values > 0)
    if count < len(some):
        some = some[np.argpartition(values[some], len(some) - count)[len(some) - count :]]
    return some[np.lexsort((some, -values[some]))]
