"""The default embedder: a table of word vectors learned from sentences and the code they describe, 256 numbers a word.

A text is the weighted sum of the rows of its words, L2-normalized; a word has one weight in a question and another in a
passage. A word is itself and its parts. A part that the table lacks is looked up by its stem, then by its groups of
four characters, each hashed to a bucket, so that every word in every script has a vector. Counts are damped by their
square root. Training and search read texts through `Vocabulary`, or they would drift apart.

Rows are stored as bytes with two scales each. MODEL_CARD.md says how the table was made; the name carries the digest of
the file, so that vectors of another table are replaced.
"""

import hashlib
import io
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from codeintel_index.embedding.models import Vectors, normalized
from codeintel_index.text.bags import Bags, Numbers, grouped, spread
from codeintel_index.text.tokens import fold, split

GRAM = 4
CACHED = 200_000  # words whose rows are remembered
Shares = tuple[tuple[int, float], ...]


class Vocabulary:
    """`known` words own the first rows, `buckets` of character groups the rest."""

    def __init__(self, known: Sequence[str], buckets: int) -> None:
        self.known = {word: row for row, word in enumerate(known)}
        self.buckets = buckets
        self._cache: dict[str, Shares] = {}
        self._parts: dict[str, Shares] = {}

    def __len__(self) -> int:
        return len(self.known) + self.buckets

    def rows(self, texts: Sequence[str]) -> tuple[Numbers, Numbers, Vectors]:
        """Find the rows of texts, as `rows_of`."""
        return self.rows_of(Bags.of(texts), len(texts))

    def rows_of(self, bags: Bags, count: int) -> tuple[Numbers, Numbers, Vectors]:
        """Find the rows of `count` texts, each once, and their damped counts: those of the text at `n` are from
        `starts[n]` to `starts[n + 1]`. A text without words has none.
        """
        shares = [self._cache.get(word) or self._remember(word) for word in bags.words]
        flat = np.array([*chain.from_iterable(shares)], np.float64).reshape(-1, 2)
        at, each = spread(bags.word, [*map(len, shares)])
        text, row = np.repeat(bags.text, each), flat[at, 0].astype(np.int64)
        order, first = grouped(text, row)
        sums = np.add.reduceat((np.repeat(bags.times, each) * flat[at, 1])[order], first)
        text, row = text[order[first]], row[order[first]]
        starts = np.searchsorted(text, np.arange(count + 1))
        return starts, row, np.sqrt(sums).astype(np.float32)

    def _remember(self, word: str) -> Shares:
        if len(self._cache) >= CACHED:
            self._cache.clear()
            self._parts.clear()
        shares = self._cache[word] = tuple(self._shares(word))
        return shares

    def _shares(self, word: str) -> Iterable[tuple[int, float]]:
        whole, *parts = split(word) or ("",)
        if not word.isascii():
            return [share for term in (whole, *parts) if term for share in self._part(term)]
        if not parts:
            return self._part(whole) if whole else ()
        known = [(self.known[whole], 1.0)] if whole in self.known else []
        return known + [share for part in parts for share in self._part(part)]

    def _part(self, term: str) -> Shares:
        if term not in self._parts:
            self._parts[term] = tuple(self._made(term))
        return self._parts[term]

    def _made(self, term: str) -> list[tuple[int, float]]:
        row = self.known.get(term)
        row = self.known.get(fold(term)) if row is None else row
        if row is not None:
            return [(row, 1.0)]
        marked = f"<{term}>"
        grams = [marked[at : at + GRAM] for at in range(max(1, len(marked) - GRAM + 1))]
        first = len(self.known)
        return [(first + zlib.crc32(gram.encode(errors="replace")) % self.buckets, 1 / len(grams)) for gram in grams]


TABLE = "static.npz"


@cache
def default() -> "StaticEmbedder":
    """Load the table that comes with this package, once a process."""
    return StaticEmbedder()


class StaticEmbedder:
    """Deterministic, some thousand passages a second on one core, nothing but numpy."""

    def __init__(self, content: bytes | None = None) -> None:
        content = files(__package__).joinpath(TABLE).read_bytes() if content is None else content
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            self._rows: NDArray[np.int8] = stored["rows"]
            self._scales: dict[str, Vectors] = {side: stored[side].astype(np.float32) for side in ("query", "passage")}
            known = stored["words"].tobytes().decode().split("\n")
        self._vocabulary = Vocabulary(known, len(self._rows) - len(known))
        self.dim = int(self._rows.shape[1])
        self.name = f"static-{self.dim}-{hashlib.sha256(content).hexdigest()[:12]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: shape [n, dim], float32."""
        return self.embed_bags(Bags.of(texts), len(texts))

    def embed_bags(self, bags: Bags, count: int) -> Vectors:
        """Embed the passages whose words are in `bags`."""
        return self._embed(bags, count, self._scales["passage"])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions: shape [n, dim], float32."""
        return self._embed(Bags.of(texts), len(texts), self._scales["query"])

    def _embed(self, bags: Bags, count: int, scales: Vectors) -> Vectors:
        out = np.zeros((count, self.dim), dtype=np.float32)
        starts, rows, counts = self._vocabulary.rows_of(bags, count)
        weights = scales[rows] * counts
        for vector, (start, end) in zip(out, pairwise(starts.tolist()), strict=True):
            np.matmul(weights[start:end], self._rows.take(rows[start:end], axis=0).astype(np.float32), out=vector)
        return normalized(out)
