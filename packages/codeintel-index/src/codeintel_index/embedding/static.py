"""The default embedder: a table of word vectors learned from sentences and the code they describe, 256 numbers a word.

A text is the weighted sum of the rows of its words, L2-normalised. A word weighs otherwise in a question than in a
passage. Rows are stored as bytes with two scales each. How the table was made and what from, MODEL_CARD.md says; the
name carries the digest of the file, so that vectors of another table are made again by themselves.
"""

import hashlib
import io
from collections.abc import Sequence
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from codeintel_index.embedding.base import Vectors, normalized
from codeintel_index.embedding.vocabulary import Vocabulary

TABLE = "static.npz"


class StaticEmbedder:
    """Deterministic, some thousand passages a second on one core, nothing but numpy."""

    max_tokens = 8192

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
        """Passages: shape [n, dim], float32."""
        return self._embed(texts, self._scales["passage"])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Questions: shape [n, dim], float32."""
        return self._embed(texts, self._scales["query"])

    def _embed(self, texts: Sequence[str], scales: Vectors) -> Vectors:
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        for vector, text in zip(out, texts, strict=True):
            rows, counts = self._vocabulary.rows(text)
            if rows:
                weights = scales[rows] * np.array(counts, dtype=np.float32)
                np.matmul(weights, self._rows[rows].astype(np.float32), out=vector)
        return normalized(out)
