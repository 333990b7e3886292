"""Models that a project configures: a folder run by onnxruntime, or a model of sentence-transformers.

The first is a folder with `model.onnx` and `tokenizer.json`; the vectors of a text's tokens are averaged, and both
libraries come with Chroma. The second needs the extra `codeintel-index[sentence-transformers]`, which brings torch, and
must already be on this machine. A model may want a prompt before a question or a passage: its folder says so in
`config_sentence_transformers.json`; the e5 family wants one and does not say so.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from codeintel_index.embedding.models import Vectors, normalized

PROMPTS = "config_sentence_transformers.json"


class Prompts(NamedTuple):
    """Texts put in front, "" for nothing."""

    query: str = ""
    passage: str = ""


E5 = Prompts("query: ", "passage: ")


def prompts_of(name: str, folder: Path | None = None) -> Prompts:
    """Find the prompts of a model: in its folder if that says, else by its name."""
    said = _said(folder / PROMPTS) if folder is not None else Prompts()
    if any(said):
        return said
    return E5 if "e5" in name.lower().rpartition("/")[2].split("-") else Prompts()


def _said(place: Path) -> Prompts:
    """What the folder says. Raises ValueError for a file that is not JSON."""
    if not place.is_file():
        return Prompts()
    document = json.loads(place.read_text(encoding="utf-8"))
    prompts = document.get("prompts") if isinstance(document, dict) else None
    if not isinstance(prompts, dict):
        return Prompts()
    return Prompts(str(prompts.get("query") or ""), str(prompts.get("passage") or prompts.get("document") or ""))


BATCH = 32
TOKENS = 512
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"


class OnnxEmbedder:
    """One model, loaded. Raises OSError, ValueError, ImportError or RuntimeError where the folder holds none."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # it has no types
        from tokenizers import Tokenizer

        content = (folder / MODEL).read_bytes()
        written = (folder / TOKENIZER).read_bytes()
        self._prompts = prompts_of(folder.name, folder)
        self._tokenizer = Tokenizer.from_buffer(written)
        self._tokenizer.enable_truncation(TOKENS)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors only
        self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._session.get_inputs()}
        digest = hashlib.sha256(content + written + "\0".join(self._prompts).encode()).hexdigest()
        self.name = f"onnx-{digest[:12]}"
        self.dim = int(self.embed(["a"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, shape [n, dim]."""
        return self._embed([self._prompts.passage + each for each in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, shape [n, dim]."""
        return self._embed([self._prompts.query + each for each in texts])

    def _embed(self, texts: list[str]) -> Vectors:
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))  # alike in length: little padding
        batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        vectors = np.zeros((len(texts), 0), np.float32)
        for batch in batches:
            made = self._run([texts[at] for at in batch])
            vectors = vectors if vectors.shape[1] else np.zeros((len(texts), made.shape[1]), np.float32)
            vectors[batch] = made
        return vectors

    def _run(self, texts: list[str]) -> Vectors:
        read = self._tokenizer.encode_batch(texts)
        mask = np.array([each.attention_mask for each in read], dtype=np.int64)
        given = {
            "input_ids": np.array([each.ids for each in read], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([each.type_ids for each in read], dtype=np.int64),
        }
        made = self._session.run(None, {name: given[name] for name in self._inputs})
        tokens = next((each for each in made if each.ndim == 3), None)
        if tokens is None:
            raise ValueError("the model gives no vector a token")
        return normalized(np.einsum("btd,bt->bd", tokens, mask).astype(np.float32))


class SentenceEmbedder:
    """One model, loaded. Raises ImportError without the extra, OSError or ValueError for a model that is not here."""

    def __init__(self, place: str) -> None:
        from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]  # an extra

        folder = Path(place) if Path(place).is_dir() else None
        self._model = SentenceTransformer(place, local_files_only=True, device="cpu")
        self._prompts = prompts_of(place, folder)
        readable = re.sub(r"[^A-Za-z0-9]+", "-", Path(place).name).strip("-")[:24]
        # The name alone is not the weights: what the model says to one sentence is.
        said = np.round(self._encode(["the weights that make this vector"]), 3) + 0.0
        self.name = f"st-{readable}-{hashlib.sha256(place.encode() + said.tobytes()).hexdigest()[:12]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, shape [n, dim]."""
        return self._encode([self._prompts.passage + each for each in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, shape [n, dim]."""
        return self._encode([self._prompts.query + each for each in texts])

    def _encode(self, texts: list[str]) -> Vectors:
        made = self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(made, dtype=np.float32).reshape(len(texts), -1)
