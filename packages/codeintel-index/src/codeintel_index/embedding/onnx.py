"""A sentence transformer as a folder with `model.onnx` and `tokenizer.json`, run by onnxruntime: no torch, no network.

The vectors of a text's tokens are averaged. Both libraries come with Chroma.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from codeintel_index.embedding.base import Vectors, normalized
from codeintel_index.embedding.prompts import prompts_of

BATCH = 32
TOKENS = 512
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"


class OnnxEmbedder:
    """One model, loaded. Raises OSError, ValueError, ImportError or RuntimeError where the folder holds none."""

    max_tokens = TOKENS

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # it has no types
        from tokenizers import Tokenizer

        content = (folder / MODEL).read_bytes()
        written = (folder / TOKENIZER).read_bytes()
        self._prompts = prompts_of(folder.name, folder)
        self._tokenizer = Tokenizer.from_buffer(written)
        self._tokenizer.enable_truncation(self.max_tokens)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors only
        self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._session.get_inputs()}
        digest = hashlib.sha256(content + written + "\0".join(self._prompts).encode()).hexdigest()
        self.name = f"onnx-{digest[:12]}"
        self.dim = int(self.embed(["a"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages, shape [n, dim]."""
        return self._embed([self._prompts.passage + each for each in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Questions, shape [n, dim]."""
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
