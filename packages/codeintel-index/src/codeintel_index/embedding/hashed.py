"""The embedder that needs no weights: signed feature hashing of identifier terms.

Every term owns one coordinate and one sign, both from a checksum; a text is the sum over its terms, weighted by
1 + log of how often each occurs, L2-normalised. Texts that share terms point the same way; nothing else is known.
"""

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from codeintel_index.embedding.base import Vectors
from codeintel_index.tokens import STOP_WORDS, tokens


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
            for term, count in kept.items():
                place, sign = _feature(term)
                row[place] += sign * (1.0 + math.log(count))
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        np.divide(out, lengths, out=out, where=lengths > 0)
        return out


@lru_cache(maxsize=200_000)
def _feature(term: str) -> tuple[int, float]:
    checksum = zlib.crc32(term.encode())
    return checksum % HashedEmbedder.dim, 1.0 if checksum >> 16 & 1 else -1.0
