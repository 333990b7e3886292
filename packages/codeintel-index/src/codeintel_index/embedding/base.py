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
        """One L2-normalised row a text, shape [n, dim]; a text without any term gives a row of zeros."""
