"""Forest search: lexical and dense candidates from the index, ordered by `ranking`, turned into hits.

`score` is 0..1: a hit's share of the best hit's rank score, scaled by how much of the query the best hit covers, so
that a query about nothing in the project scores low throughout.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from itertools import accumulate

import numpy as np

from codeintel_index.errors import DenseUnavailable
from codeintel_index.results import Chunk, Hit, Page
from codeintel_index.search.lexical import Found, lexical
from codeintel_index.search.query import Query
from codeintel_index.search.ranking import Defines, Evidence, Ranked, rank
from codeintel_index.search.weights import WEIGHTS, Weights
from codeintel_index.store.reader import FOREST, Reader
from codeintel_index.text.tokens import fold, path_tokens, tokens
from codeintel_index.vectors.dense import Dense

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
    near, why = _nearest(reader, dense, query.text) if use_dense else ({}, "")
    with reader.snapshot():
        evidence = collect(reader, query, near, weights)
        return _hits(reader, evidence, rank(evidence, weights), limit, offset), why


def collect(reader: Reader, query: Query, near: Mapping[int, float], weights: Weights = WEIGHTS) -> Evidence:
    """Collect what the ranking looks at: what the words found, what the vectors found (`near`, similarities by row),
    and where symbols that the query names are defined. Call within a snapshot of the rows.
    """
    terms = dict.fromkeys(query.terms, 1.0)
    joined = dict.fromkeys(query.joined, weights.joined) if weights.joined else {}
    found = lexical(reader, {**terms, **joined}, (weights.path, weights.body), LEXICAL_DEPTH)
    close = dict(zip(found.chunks.find([*near]), near.values(), strict=True))
    defines = _defines(reader, found, query)
    numbers = dict.fromkeys((*found.scores, *close, *defines))
    numbers.pop(-1, None)  # the vectors were searched a moment before
    return Evidence(
        query,
        found.chunks,
        np.array([*numbers], np.int64),
        np.array([found.scores.get(number, 0.0) for number in numbers]),
        np.array([close.get(number, 0.0) for number in numbers]),
        {number: defined for number, defined in defines.items() if defined},
        {term: found.rarity[term] for term in terms},
        reader.users,
    )


def _defines(reader: Reader, found: Found, query: Query) -> dict[int, Defines]:
    """The symbols that the query names, by the chunk that defines them; none for those that it names otherwise."""
    definers = reader.definers([*query.names, *query.types])
    as_named = {name.lower() for name in query.names}
    defines: dict[int, Defines] = {}
    for number, (name, kind, _) in zip(found.chunks.find([row for *_, row in definers]), definers, strict=True):
        is_named = name in query.types or name.lower() in as_named
        defines[number] = (*defines.get(number, ()), *([(name, kind)] if is_named else []))
    return defines


def _nearest(reader: Reader, dense: Dense, text: str) -> tuple[dict[int, float], str]:
    try:
        with nullcontext() if dense.asks_server else reader.snapshot():
            return dict(dense.nearest(text, DENSE_DEPTH)), dense.waiting()
    except DenseUnavailable as error:
        return {}, error.why


def _hits(reader: Reader, evidence: Evidence, ranked: Ranked, limit: int, offset: int) -> Page[Hit]:
    shown = Page.of(range(np.count_nonzero(ranked.scores > 0)), limit, offset)
    numbers = ranked.numbers[[0, *shown]].tolist() if shown else []
    rows = evidence.chunks.row[numbers].tolist()
    chunks = reader.chunks(rows)
    if not all(row in chunks for row in rows) or not rows:  # a damaged file
        return Page((), shown.total)
    best = float(evidence.dense[evidence.numbers == numbers[0]][0])
    scores = ranked.scores[[0, *shown]].tolist()
    scale = _coverage(best, chunks[rows[0]], evidence.query) / scores[0]
    hits = [
        _hit(chunks[row], evidence.defines.get(number, ()), min(1.0, score * scale), evidence.query)
        for number, row, score in zip(numbers[1:], rows[1:], scores[1:], strict=True)
    ]
    return Page(hits, shown.total)


def _coverage(dense: float, chunk: Chunk, query: Query) -> float:
    said = {*tokens(f"{chunk.parent} {chunk.symbol} {chunk.text}"), *path_tokens(chunk.path)}
    present = set(map(fold, said))
    share = sum(fold(term) in present for term in query.terms) / len(query.terms)
    return max(share, dense, 0.05)


def _hit(chunk: Chunk, defines: Defines, score: float, query: Query) -> Hit:
    symbol = defines[0][0] if defines else chunk.symbol
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
    counts = _counts(text, lines, {fold(term) for term in query.terms})
    sums = [0, *accumulate(counts)]
    length = SNIPPET_LINES - 1
    start = max(range(len(lines) - length + 1), key=lambda at: sums[at + length] - sums[at])
    shown = lines[start : start + length]
    if start:
        shown = [lines[0], *(["…"] if start > 1 else []), *shown]
    return "\n".join(shown)[:SNIPPET_CHARS]


def _counts(text: str, lines: list[str], wanted: set[str]) -> list[int]:
    """Count the wanted terms in each line; most lines hold none, and only the others are split."""
    flat = text.lower().replace("_", "")
    counts = [0] * len(lines)
    for term in wanted:
        at = flat.find(term)
        while at >= 0:
            number = flat.count("\n", 0, at)
            counts[number] = counts[number] or len(wanted.intersection(map(fold, tokens(lines[number]))))
            end = flat.find("\n", at)
            at = flat.find(term, end) if end >= 0 else -1
    return counts
