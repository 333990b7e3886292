"""The systems that are compared, each a function from a query and a limit to answers, over the same files."""

import subprocess
from collections.abc import Callable

from codeintel_index import Index
from codeintel_index.evaluate.measure import Search, answer
from codeintel_index.evaluate.metrics import DEPTH, Answer
from codeintel_index.search.forest import LEXICAL_DEPTH, forest, make_hit, snippet
from codeintel_index.search.lexical import lexical
from codeintel_index.search.query import Query
from codeintel_index.search.weights import WEIGHTS, Weights
from codeintel_index.store.reader import FOREST
from codeintel_index.tools.binaries import find_rg


def ripgrep(index: Index) -> Search:
    """What an agent without an index has: files by how many lines have a word of the query; a file is one answer."""

    def search(query: str, limit: int) -> list[Answer]:
        patterns = [part for term in Query(query).terms for part in ("-e", term)]
        command = [str(find_rg()), "--no-config", "-i", "-F", "--count", *patterns, "--", "."]
        done = subprocess.run(command, cwd=index.root, capture_output=True, text=True, check=False)
        counted = [line.removeprefix("./").rpartition(":") for line in done.stdout.splitlines()]
        ranked = sorted((-int(count), path) for path, _, count in counted)[:limit]
        sizes = [(index.root / path).stat().st_size for _, path in ranked]
        return [Answer(path, 1, 10**9, size, size) for (_, path), size in zip(ranked, sizes, strict=True)]

    return search


def plain_bm25(index: Index) -> Search:
    """BM25 over chunks with identifiers split and words stemmed, all fields alike, and nothing else."""

    def search(query: str, limit: int) -> list[Answer]:
        reader = index._reader
        with reader.snapshot():
            found = lexical(reader, dict.fromkeys(Query(query).terms, 1.0), (1.0, 1.0), LEXICAL_DEPTH)
            rows = found.chunks.row[[*found.scores][:limit]].tolist()
            chunks = reader.chunks(rows)
        return [
            answer(make_hit(each, each.symbol, 1.0, snippet(each.text, Query(query)), FOREST), len(each.text))
            for each in map(chunks.__getitem__, rows)
        ]

    return search


def ranked(use_dense: bool, weights: Weights = WEIGHTS) -> Callable[[Index], Search]:
    """The search of this package, with vectors or without, with its own weights or others."""

    def of(index: Index) -> Search:
        def search(query: str, limit: int) -> list[Answer]:
            hits, _ = forest(index._reader, index._dense, query, limit, use_dense=use_dense, weights=weights)
            sizes = {each.chunk_id: len(index.chunk(each.chunk_id).text) for each in hits if limit > DEPTH}
            return [answer(each, sizes.get(each.chunk_id, 0)) for each in hits]

        return search

    return of


SYSTEMS: dict[str, Callable[[Index], Search]] = {
    "ripgrep": ripgrep,
    "plain BM25": plain_bm25,
    "BM25 and ranking": ranked(use_dense=False),
    "hybrid (default)": ranked(use_dense=True),
}
