"""Forest search: lexical and dense candidates from the index, ordered by `ranking`, turned into hits.

`score` is 0..1: a hit's share of the best hit's rank score, scaled by how much of the query the best hit covers, so
that a query about nothing in the project scores low throughout.
"""

from codeintel_index.errors import DenseUnavailable
from codeintel_index.results import Chunk, Hit, Page
from codeintel_index.search.lexical import lexical
from codeintel_index.search.query import Query
from codeintel_index.search.ranking import Candidate, Evidence, rank
from codeintel_index.search.weights import WEIGHTS, Weights
from codeintel_index.store.chunks import Chunks
from codeintel_index.store.reader import Reader
from codeintel_index.text.tokens import fold, path_tokens, tokens
from codeintel_index.vectors.dense import Dense
from codeintel_index.vectors.store import FOREST

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
    candidates = _candidates(reader, found.chunks, query, found.scores, near)
    rarity = {term: found.rarity[term] for term in terms}
    return Evidence(query, candidates, rarity, reader.usage), why


def _candidates(
    reader: Reader, chunks: Chunks, query: Query, scores: dict[int, float], near: dict[int, float]
) -> list[Candidate]:
    """What the words found, what the vectors found, and where symbols that the query names are defined."""
    close = dict(zip(chunks.find([*near]), near.values(), strict=True))
    definers = reader.definers([*query.names, *query.types])
    homes = chunks.find([row for *_, row in definers])
    numbers = dict.fromkeys((*scores, *close, *homes))
    numbers.pop(-1, None)  # a sync came between
    found = {
        number: Candidate(place, scores.get(number, 0.0), close.get(number, 0.0))
        for number, place in chunks.places(numbers).items()
    }
    as_named = {name.lower() for name in query.names}
    for (name, kind, _), number in zip(definers, homes, strict=True):
        if number in found and (name in query.types or name.lower() in as_named):
            found[number].defines = (*found[number].defines, (name, kind))
    return list(found.values())


def _nearest(dense: Dense, text: str) -> tuple[dict[int, float], str]:
    try:
        return dict(dense.nearest(text, DENSE_DEPTH)), dense.waiting()
    except DenseUnavailable as error:
        return {}, error.why


def _hits(reader: Reader, ranked: list[Candidate], query: Query, limit: int, offset: int) -> Page[Hit]:
    worthwhile = [each for each in ranked if each.score > 0]
    shown = Page.of(worthwhile, limit, offset)
    chunks = reader.chunks([each.place.row for each in (*worthwhile[:1], *shown)])
    present = [each for each in shown if each.place.row in chunks]  # a sync may have come between
    if not present:
        return Page((), shown.total)
    best = worthwhile[0] if worthwhile[0].place.row in chunks else present[0]
    scale = _coverage(best, chunks[best.place.row], query) / best.score
    hits = [_hit(each, chunks[each.place.row], min(1.0, each.score * scale), query) for each in present]
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
    counts = [_count(line, wanted) for line in lines]
    starts = range(len(lines) - SNIPPET_LINES + 2)
    start = max(starts, key=lambda at: sum(counts[at : at + SNIPPET_LINES - 1]))
    shown = lines[start : start + SNIPPET_LINES - 1]
    if start:
        shown = [lines[0], *(["…"] if start > 1 else []), *shown]
    return "\n".join(shown)[:SNIPPET_CHARS]


def _count(line: str, wanted: set[str]) -> int:
    """Count the wanted terms in a line; most lines hold none, which is seen without splitting them."""
    flat = line.lower().replace("_", "")
    if not any(term in flat for term in wanted):
        return 0
    return len(wanted & {fold(term) for term in tokens(line)})
