"""Forest search: lexical and dense candidates from the index, ordered by `ranking`, turned into hits.

The lexical half is BM25 over paths and bodies, assembled from SQLite's own, term by term. SQLite's `bm25` gives no
weight to a term that most chunks hold, which in a small project may be the very one that matters, and it weighs
all terms of a query alike. So each term is queried by itself, SQLite's rarity is divided out and `rarity` is multiplied
in.

`score` is 0..1: a hit's share of the best hit's rank score, scaled by how much of the query the best hit covers, so
that a query about nothing in the project scores low throughout.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from codeintel_index.errors import DenseUnavailable
from codeintel_index.results import Chunk, Hit, Page
from codeintel_index.search.query import Query
from codeintel_index.search.ranking import Candidate, Evidence, rank
from codeintel_index.search.weights import WEIGHTS, Weights
from codeintel_index.store.reader import Reader
from codeintel_index.text.tokens import fold, path_tokens, tokens
from codeintel_index.vectors.dense import Dense
from codeintel_index.vectors.store import FOREST

ENOUGH = 20_000  # chunks looked at for a query; the commonest terms are left out beyond that, so that time stays flat
LEAST_TERMS = 2
_SQLITE_LEAST = 1e-6  # SQLite's rarity of a term that half of the rows or more hold


class Found(NamedTuple):
    """`scores` by row of the best chunks; `rarity` of each term, also of those that nothing contains."""

    scores: dict[int, float]
    rarity: dict[str, float]


def lexical(reader: Reader, terms: Mapping[str, float], fields: tuple[float, float], limit: int) -> Found:
    """Find the best chunks for weighted terms. `fields` weigh path and body."""
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
    """Weigh a term that `count` of `total` chunks hold: never 0."""
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


LEXICAL_DEPTH = 300
DENSE_DEPTH = 100
SNIPPET_LINES = 8
SNIPPET_CHARS = 600


def forest(
    reader: Reader,
    dense: Dense,
    text: str,
    limit: int,
    offset: int = 0,
    *,
    use_dense: bool = True,
    weights: Weights = WEIGHTS,
) -> tuple[Page[Hit], str]:
    """Find the best hits, and say why vectors took no part or only some did ("" if all did)."""
    query = Query(text)
    if not query.terms:
        return Page((), 0), ""
    evidence, why = collect(reader, dense, query, use_dense, weights)
    return _hits(reader, rank(evidence, weights), query, limit, offset), why


def collect(
    reader: Reader, dense: Dense, query: Query, use_dense: bool = True, weights: Weights = WEIGHTS
) -> tuple[Evidence, str]:
    """Collect what the ranking looks at, and say why vectors took no part or only some did."""
    terms = dict.fromkeys(query.terms, 1.0)
    joined = dict.fromkeys(query.joined, weights.joined) if weights.joined else {}
    fields = (weights.path, weights.body)
    found = lexical(reader, {**terms, **joined}, fields, LEXICAL_DEPTH)
    near, why = _nearest(dense, query.text) if use_dense else ({}, "")
    candidates = _candidates(reader, query, found.scores, near)
    rarity = {term: found.rarity[term] for term in terms}
    return Evidence(query, candidates, rarity, reader.usage), why


def _candidates(reader: Reader, query: Query, scores: dict[int, float], near: dict[str, float]) -> list[Candidate]:
    """What the words found, what the vectors found, and where symbols that the query names are defined."""
    rows = reader.places("id", scores)
    found = {place.id: Candidate(place, lexical=scores[row]) for row, place in rows.items()}
    for key, place in reader.places("chunk_id", [key for key in near if key not in found]).items():
        found[key] = Candidate(place)
    for key, similarity in near.items():
        if key in found:
            found[key].dense = similarity
    for name, kind, place in reader.definers([*query.names, *query.types]):
        if name in query.types or name.lower() in {each.lower() for each in query.names}:
            candidate = found.setdefault(place.id, Candidate(place))
            candidate.defines = (*candidate.defines, (name, kind))
    return list(found.values())


def _nearest(dense: Dense, text: str) -> tuple[dict[str, float], str]:
    try:
        return dict(dense.nearest(text, DENSE_DEPTH)), dense.waiting()
    except DenseUnavailable as error:
        return {}, error.why


def _hits(reader: Reader, ranked: list[Candidate], query: Query, limit: int, offset: int) -> Page[Hit]:
    worthwhile = [each for each in ranked if each.score > 0]
    shown = Page.of(worthwhile, limit, offset)
    chunks = reader.chunks(each.place.id for each in (*worthwhile[:1], *shown))
    present = [each for each in shown if each.place.id in chunks]  # a sync may have come between
    if not present:
        return Page((), shown.total)
    best = worthwhile[0] if worthwhile[0].place.id in chunks else present[0]
    scale = _coverage(best, chunks[best.place.id], query) / best.score
    hits = [_hit(each, chunks[each.place.id], min(1.0, each.score * scale), query) for each in present]
    return Page(hits, shown.total)


def _coverage(best: Candidate, chunk: Chunk, query: Query) -> float:
    present = {
        fold(term) for term in (*tokens(f"{chunk.parent} {chunk.symbol} {chunk.text}"), *path_tokens(chunk.path))
    }
    share = sum(fold(term) in present for term in query.terms) / len(query.terms)
    return max(share, best.dense, 0.05)


def _hit(candidate: Candidate, chunk: Chunk, score: float, query: Query) -> Hit:
    symbol = candidate.defines[0][0] if candidate.defines else chunk.symbol
    return make_hit(chunk, symbol, round(score, 4), snippet(chunk.text, query), FOREST)


def make_hit(chunk: Chunk, symbol: str, score: float, text: str, collection: str) -> Hit:
    """Make a hit of a chunk, named after a symbol in it."""
    return Hit(
        chunk.path,
        chunk.start_line,
        chunk.end_line,
        symbol,
        chunk.kind,
        score,
        text,
        chunk.id,
        collection,
        parent=chunk.parent,
    )


def snippet(text: str, query: Query) -> str:
    """Cut out the chunk's first line and the stretch of lines that holds most of the query's terms."""
    lines = text.split("\n")
    if len(lines) <= SNIPPET_LINES:
        return text[:SNIPPET_CHARS]
    wanted = {fold(term) for term in query.terms}
    counts = [len(wanted & {fold(term) for term in tokens(line)}) for line in lines]
    starts = range(len(lines) - SNIPPET_LINES + 2)
    start = max(starts, key=lambda at: sum(counts[at : at + SNIPPET_LINES - 1]))
    shown = lines[start : start + SNIPPET_LINES - 1]
    if start:
        shown = [lines[0], *(["…"] if start > 1 else []), *shown]
    return "\n".join(shown)[:SNIPPET_CHARS]
