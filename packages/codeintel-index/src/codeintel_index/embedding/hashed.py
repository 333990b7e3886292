"""The embedder that needs no weights: signed feature hashing of identifier terms.

Every stem owns four coordinates and signs, all from a digest; a text is the sum over its stems, weighted by 1 + log of
how often each occurs, L2-normalised. Texts that share terms point the same way; nothing else is known. Four, because
with one a single unlucky pair of terms could cancel each other out.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from codeintel_index.embedding.base import Vectors
from codeintel_index.tokens import STOP_WORDS, fold, tokens

PLACES = 4


class HashedEmbedder:
    """Deterministic on every machine; some thousand texts a second."""

    name = "hashed1-256"
    dim = 256
    max_tokens = 8192

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape [n, 256], float32."""
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            counts = Counter(tokens(text)[: self.max_tokens])
            kept = {term: count for term, count in counts.items() if term not in STOP_WORDS} or counts
            sums = [0.0] * self.dim  # a list: single cells of an array are slow to change
            for term, count in kept.items():
                weight = 1.0 + math.log(count)
                for place, sign in _features(term):
                    sums[place] += sign * weight
            row[:] = sums
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        np.divide(out, lengths, out=out, where=lengths > 0)
        return out

    embed_queries = embed


@lru_cache(maxsize=100_000)
def _features(term: str) -> tuple[tuple[int, float], ...]:
    digest = hashlib.blake2b(fold(term).encode(), digest_size=2 * PLACES).digest()
    pairs = zip(digest[::2], digest[1::2], strict=True)
    return tuple((place, 1.0 if other & 1 else -1.0) for place, other in pairs)
