"""A model of sentence-transformers, by name or folder. It must be on this machine already: nothing is downloaded here.

The library (with torch) is an extra, `codeintel-index[sentence-transformers]`, and imported when such a model is asked
for.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from codeintel_index.embedding.base import Vectors
from codeintel_index.embedding.prompts import prompts_of

TOKENS = 512


class SentenceEmbedder:
    """One model, loaded. Raises ImportError without the extra, OSError or ValueError for a model that is not here."""

    def __init__(self, place: str) -> None:
        from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]  # an extra

        folder = Path(place) if Path(place).is_dir() else None
        self._model = SentenceTransformer(place, local_files_only=True, device="cpu")
        self._prompts = prompts_of(place, folder)
        self.max_tokens = int(self._model.max_seq_length or TOKENS)
        readable = re.sub(r"[^A-Za-z0-9]+", "-", Path(place).name).strip("-")[:24]
        # The name alone is not the weights: what the model says to one sentence is.
        said = np.round(self._encode(["the weights that make this vector"]), 3) + 0.0
        self.dim = int(said.shape[1])
        self.name = f"st-{readable}-{hashlib.sha256(place.encode() + said.tobytes()).hexdigest()[:12]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages, shape [n, dim]."""
        return self._encode([self._prompts.passage + each for each in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Questions, shape [n, dim]."""
        return self._encode([self._prompts.query + each for each in texts])

    def _encode(self, texts: list[str]) -> Vectors:
        made = self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(made, dtype=np.float32).reshape(len(texts), -1)
