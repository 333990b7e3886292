"""How alike two questions are, 0..1, whatever the model; without a model by the words they share.

0.7 means for every model that nine in ten near misses are less alike (see `embedding.calibration`). Shared words are
counted strictly: two questions are alike only if most of their words are the same.
"""

from collections.abc import Mapping, Sequence

from codeintel_index.dense import Dense
from codeintel_index.errors import DenseUnavailable
from codeintel_index.store.vectors import MAP
from codeintel_index.tokens import fold, query_terms

NEIGHBOURS = 50


def likest(dense: Dense, known: Mapping[str, str], query: str) -> list[tuple[str, float]]:
    """Keys and scores of the questions most like one. Without Chroma the model is enough, without a model the words."""
    try:
        return [(key, dense.calibration.score(near)) for key, near in dense.nearest_of(MAP, known, query, NEIGHBOURS)]
    except DenseUnavailable:
        keys = list(known)
        scores = likeness(dense, [query], [known[key] for key in keys])[0]
        return list(zip(keys, scores, strict=True))


def likeness(dense: Dense, texts_a: Sequence[str], texts_b: Sequence[str]) -> list[list[float]]:
    """The score of every text of `a` (rows) with every text of `b`."""
    try:
        product = dense.embed_queries(list(texts_a)) @ dense.embed_queries(list(texts_b)).T
        return [[dense.calibration.score(float(each)) for each in row] for row in product]
    except DenseUnavailable:
        words = [_words(text) for text in texts_b]
        return [[_shared(_words(text), others) for others in words] for text in texts_a]


def _words(text: str) -> set[str]:
    return {fold(term) for term in query_terms(text)}


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, len(one | other))
