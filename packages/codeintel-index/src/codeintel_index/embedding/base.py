"""What a model must do to take part in the dense half of the search."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """A model. `name` stands for its weights: another name means other vectors, which are then all made again."""

    @property
    def name(self) -> str:
        """Letters, digits, `-` and `_`."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def max_tokens(self) -> int:
        """Longer texts are cut."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages, that is what is searched: one L2-normalised row a text, shape [n, dim].

        A text without any word may give a row of zeros.
        """

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Questions, as `embed`: many models want them marked, or weigh their words otherwise."""


def normalized(vectors: Vectors) -> Vectors:
    """The rows at length 1, in place; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors
