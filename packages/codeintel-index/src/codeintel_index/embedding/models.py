"""Which model a name in the configuration means. What cannot be loaded is unavailable and never another model instead.

`default` is the table that comes with this package. A folder with `model.onnx` and `tokenizer.json` is run by
onnxruntime; any other folder or name belongs to sentence-transformers. Nothing is downloaded.
"""

from pathlib import Path

from codeintel_index.embedding.base import Embedder
from codeintel_index.errors import DenseUnavailable

DEFAULT = "default"
OR_DEFAULT = 'or set `embedding_model` to "default" in .code-intel/config.json'
SHORT_NAMES = {"multilingual-e5-small": "intfloat/multilingual-e5-small"}


def load(name: str, root: Path) -> Embedder:
    """The model; a folder may be named relative to the project's `root`. Raises DenseUnavailable."""
    if name == DEFAULT:
        from codeintel_index.embedding.static import StaticEmbedder

        return StaticEmbedder()
    folder = root / Path(name).expanduser()
    try:
        if (folder / "model.onnx").is_file():
            from codeintel_index.embedding.onnx import OnnxEmbedder

            return OnnxEmbedder(folder)
        from codeintel_index.embedding.sentence import SentenceEmbedder

        return SentenceEmbedder(str(folder) if folder.is_dir() else SHORT_NAMES.get(name, name))
    except ImportError as error:
        extra = "pip install 'codeintel-index[sentence-transformers]'"
        why = f"{extra} is needed" if error.name == "sentence_transformers" else str(error)
        raise DenseUnavailable(f"embedding model {name!r} cannot be loaded: {why}, {OR_DEFAULT}") from error
    except Exception as error:  # the libraries raise bare Exception, and search must go on without them
        why = " ".join(str(error).split())[:160]
        why = f"{why}; nothing is downloaded: name a folder that holds it, {OR_DEFAULT}"
        raise DenseUnavailable(f"embedding model {name!r} cannot be loaded: {why}") from error
