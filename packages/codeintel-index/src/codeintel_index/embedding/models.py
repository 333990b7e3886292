"""The protocol of an embedding model, and which model a name in the configuration means.

`default` is the table that comes with this package. A folder with `model.onnx` and `tokenizer.json` is run by
onnxruntime; any other folder or name belongs to sentence-transformers. Nothing is downloaded, and a model that cannot
be loaded is unavailable: no other model replaces it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from codeintel_index.config import DEFAULT_MODEL
from codeintel_index.errors import DenseUnavailable

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """A model. `name` identifies its weights: another name means other vectors, and all are then made again."""

    @property
    def name(self) -> str:
        """Letters, digits, `-` and `_`."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, that is what is searched: one L2-normalized row a text, shape [n, dim].

        A text without any word may give a row of zeros.
        """

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, as `embed`: many models want them marked, or weigh their words differently."""


def normalized(vectors: Vectors) -> Vectors:
    """Scale the rows to length 1, in place; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors


def passage(path: str, symbol: str, parent: str, text: str) -> str:
    """Make the text that is embedded for a chunk: its path, its name, and itself."""
    return f"{path} {parent} {symbol}\n{text}"


OR_DEFAULT = 'or set `embedding_model` to "default" in .code-intel/config.json'
SHORT_NAMES = {"multilingual-e5-small": "intfloat/multilingual-e5-small"}


def load(name: str, root: Path) -> Embedder:
    """Load a model; a folder may be named relative to the project's `root`. Raises DenseUnavailable."""
    if name == DEFAULT_MODEL:
        from codeintel_index.embedding.static import default

        return default()
    folder = root / Path(name).expanduser()
    try:
        if (folder / "model.onnx").is_file():
            from codeintel_index.embedding.pretrained import OnnxEmbedder

            return OnnxEmbedder(folder)
        from codeintel_index.embedding.pretrained import SentenceEmbedder

        return SentenceEmbedder(str(folder) if folder.is_dir() else SHORT_NAMES.get(name, name))
    except ImportError as error:
        extra = "pip install 'codeintel-index[sentence-transformers]'"
        why = f"{extra} is needed" if error.name == "sentence_transformers" else str(error)
        raise DenseUnavailable(f"embedding model {name!r} cannot be loaded: {why}, {OR_DEFAULT}") from error
    except Exception as error:  # the libraries raise bare Exception, and search must continue without them
        why = " ".join(str(error).split())[:160]
        why = f"{why}; nothing is downloaded: name a folder that holds it, {OR_DEFAULT}"
        raise DenseUnavailable(f"embedding model {name!r} cannot be loaded: {why}") from error
