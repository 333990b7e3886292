"""Forest search: lexical and dense candidates from the index, ordered by `ranking`, made into hits.

`score` is 0..1: a hit's share of the best hit's rank score, scaled by how much of the query the best hit covers, so
that a query about nothing in the project scores low throughout.
"""

from codeintel_index.dense import Dense
from codeintel_index.errors import DenseUnavailable
from codeintel_index.lexical import lexical
from codeintel_index.query import Query
from codeintel_index.ranking import WEIGHTS, Candidate, Evidence, Weights, rank
from codeintel_index.results import Chunk, Hit
from codeintel_index.store.reader import Reader
from codeintel_index.store.vectors import FOREST
from codeintel_index.tokens import fold, path_tokens, tokens

LEXICAL_DEPTH = 300
DENSE_DEPTH = 100
SNIPPET_LINES = 8
SNIPPET_CHARS = 600


def forest(
    reader: Reader, dense: Dense, text: str, limit: int, use_dense: bool = True, weights: Weights = WEIGHTS
) -> tuple[list[Hit], str]:
    """The best hits, and why vectors took no part or only some did ("" if all did)."""
    query = Query(text)
    if not query.terms:
        return [], ""
    evidence, why = collect(reader, dense, query, use_dense, weights)
    return _hits(reader, rank(evidence, weights), query, limit), why


def collect(
    reader: Reader, dense: Dense, query: Query, use_dense: bool = True, weights: Weights = WEIGHTS
) -> tuple[Evidence, str]:
    """What the ranking is to look at for a query with terms, and why vectors took no part or only some did."""
    terms = dict.fromkeys(query.terms, 1.0)
    joined = dict.fromkeys(query.joined, weights.joined) if weights.joined else {}
    fields = (weights.path, weights.body)
    found = lexical(reader, {**terms, **joined}, fields, LEXICAL_DEPTH)
    near, why = _nearest(dense, query.text) if use_dense else ({}, "")
    candidates = _candidates(reader, query, found.scores, near)
    rarity = {term: found.rarity[term] for term in terms}
    return Evidence(query, candidates, rarity, reader.standing), why


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


def _hits(reader: Reader, ranked: list[Candidate], query: Query, limit: int) -> list[Hit]:
    shown = [each for each in ranked[:limit] if each.score > 0]
    chunks = reader.chunks(each.place.id for each in shown)
    shown = [each for each in shown if each.place.id in chunks]  # a sync may have come between
    if not shown:
        return []
    scale = _coverage(shown[0], chunks[shown[0].place.id], query) / shown[0].score
    return [_hit(each, chunks[each.place.id], min(1.0, each.score * scale), query) for each in shown]


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
    """A hit on a chunk, for the sake of a symbol in it."""
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
    """The chunk's first line and the stretch of lines that holds most of the query's terms."""
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
