"""Which model a name in the configuration means. What cannot be loaded is replaced by the default, and said."""

from collections.abc import Callable

from codeintel_index.embedding.base import Embedder
from codeintel_index.embedding.hashed import HashedEmbedder

MODELS: dict[str, Callable[[], Embedder]] = {"default": HashedEmbedder, "hashed": HashedEmbedder}


def load(name: str) -> tuple[Embedder, str]:
    """The model and "", or the default model and why it stands in."""
    make = MODELS.get(name)
    if make is not None:
        return make(), ""
    known = ", ".join(sorted(MODELS))
    return HashedEmbedder(), f"embedding model {name!r} is not installed; the default one is used (known: {known})"
