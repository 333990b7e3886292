"""Forest search: lexical and dense candidates from the index, ordered by `ranking`, made into hits.

`score` is 0..1: a hit's share of the best hit's rank score, scaled by how much of the query the best hit covers, so
that a query about nothing in the project scores low throughout.
"""

from collections.abc import Iterable

from codeintel_index.dense import Dense
from codeintel_index.errors import DenseUnavailable
from codeintel_index.query import Query
from codeintel_index.ranking import DENSE_DEPTH, FIELD_WEIGHTS, LEXICAL_DEPTH, Candidate, rank
from codeintel_index.results import Chunk, Hit
from codeintel_index.store.reader import Reader
from codeintel_index.store.vectors import FOREST
from codeintel_index.tokens import fold, path_tokens, tokens

COUNTED = 40  # best candidates whose users are counted
SNIPPET_LINES = 8
SNIPPET_CHARS = 600


def forest(reader: Reader, dense: Dense, text: str, limit: int, use_dense: bool = True) -> tuple[list[Hit], str]:
    """The best hits, and why vectors took no part or only some did ("" if all did)."""
    query = Query(text)
    if not query.terms:
        return [], ""
    candidates = _named(reader, query)
    lexical = dict(reader.lexical(query.terms, FIELD_WEIGHTS, LEXICAL_DEPTH))
    near, why = _nearest(dense, text) if use_dense else ({}, "")
    missing = [key for key in {**lexical, **near} if key not in candidates]
    candidates.update({key: Candidate(chunk) for key, chunk in reader.chunks(missing).items()})
    for key, candidate in candidates.items():
        candidate.lexical = lexical.get(key, 0.0)
        candidate.dense = near.get(key, 0.0)
    _count_users(reader, candidates.values())
    ranked = rank(candidates.values(), query)
    return _hits(ranked[:limit], query), why


def _named(reader: Reader, query: Query) -> dict[str, Candidate]:
    """Chunks in which a symbol that the query names is defined, whether or not their text matches well."""
    found: dict[str, Candidate] = {}
    for symbol in reader.definitions_folded(query.names, limit=50) if query.names else []:
        chunk = reader.chunk_at(symbol.path, symbol.line)
        if chunk is not None:
            candidate = found.setdefault(chunk.id, Candidate(chunk))
            candidate.defines = (*candidate.defines, symbol.name)
    return found


def _nearest(dense: Dense, text: str) -> tuple[dict[str, float], str]:
    try:
        return dict(dense.nearest(text, DENSE_DEPTH)), dense.waiting()
    except DenseUnavailable as error:
        return {}, error.why


def _count_users(reader: Reader, candidates: Iterable[Candidate]) -> None:
    for each in sorted(candidates, key=lambda each: -each.lexical)[:COUNTED]:
        names = each.chunk.symbol.split(", ")  # a merged chunk names all its symbols
        each.users = max(map(reader.count_users, names)) if each.chunk.symbol else 0


def _hits(ranked: list[Candidate], query: Query) -> list[Hit]:
    if not ranked or ranked[0].score <= 0:
        return []
    scale = _coverage(ranked[0], query) / ranked[0].score
    return [_hit(each, min(1.0, each.score * scale), query) for each in ranked if each.score > 0]


def _coverage(best: Candidate, query: Query) -> float:
    chunk = best.chunk
    present = {
        fold(term) for term in (*tokens(f"{chunk.parent} {chunk.symbol} {chunk.text}"), *path_tokens(chunk.path))
    }
    share = sum(fold(term) in present for term in query.terms) / len(query.terms)
    return max(share, best.dense, 0.05)


def _hit(candidate: Candidate, score: float, query: Query) -> Hit:
    chunk = candidate.chunk
    symbol = candidate.defines[0] if candidate.defines else chunk.symbol
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
