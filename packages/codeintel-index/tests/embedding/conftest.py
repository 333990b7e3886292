"""A sentence transformer small enough to be written down: eight words, four numbers each, in a real ONNX file."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

WORDS = ("[UNK]", "query", "passage", "price", "cost", "letter", "mail", ":")
VECTORS = np.array(
    [[0, 0, 0, 0.01], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [1, 0.2, 0, 0], [0, 1, 0, 0], [0.2, 1, 0, 0], [0] * 4],
    dtype=np.float32,
)
FLOAT, INT64 = 1, 7


@pytest.fixture
def onnx_folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder with such a model; `prompts` are what its configuration says is put in front."""

    def make(name: str = "tiny", prompts: dict[str, str] | None = None) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(model())
        tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
        tokenizer.normalizer = Lowercase()
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.save(str(folder / "tokenizer.json"))
        if prompts is not None:
            (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
        return folder

    return make


def model() -> bytes:
    """One node, Gather: the vector of each token. The message ModelProto, field by field."""
    table = _field(1, 8) + _field(1, 4) + _field(2, FLOAT) + _field(8, b"table") + _field(9, VECTORS.tobytes())
    node = _field(1, b"table") + _field(1, b"input_ids") + _field(2, b"states") + _field(4, b"Gather")
    given = _value(b"input_ids", INT64, b"batch", b"length")
    made = _value(b"states", FLOAT, b"batch", b"length", b"size")
    graph = _field(1, node) + _field(2, b"tiny") + _field(5, table) + _field(11, given) + _field(12, made)
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 13))


def _value(name: bytes, kind: int, *axes: bytes) -> bytes:
    shape = b"".join(_field(1, _field(2, axis)) for axis in axes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
