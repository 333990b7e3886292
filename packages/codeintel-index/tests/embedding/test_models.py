"""What `embedding_model` may name, and what happens when it cannot be loaded: search goes on and says so."""

import importlib.util
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from codeintel_index import Index, IndexConfig
from codeintel_index.embedding.models import load
from codeintel_index.embedding.pretrained import E5, Prompts, prompts_of
from codeintel_index.errors import DenseUnavailable
from codeintel_index.results import MapEntry

pytestmark = pytest.mark.draws(18)

Make = Callable[..., Path]


def test_a_folder_with_an_onnx_model_is_a_model(onnx_folder: Make) -> None:
    model = load(str(onnx_folder()), Path())
    vectors = model.embed(["price", "cost", "letter mail", "price cost letter"])
    assert (model.dim, vectors.shape, vectors.dtype) == (4, (4, 4), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[0] @ vectors[1] > 0.9 > 0.3 > vectors[0] @ vectors[2]


def test_vectors_do_not_depend_on_the_other_texts_of_a_batch(onnx_folder: Make) -> None:
    model = load(str(onnx_folder()), Path())
    texts = ["price " * at + "mail" for at in range(70)]
    together = model.embed(texts)
    assert np.allclose(together, np.concatenate([model.embed([text]) for text in texts]), atol=1e-6)
    assert model.embed([]).shape[0] == 0


def test_a_folder_may_be_named_from_the_root_of_the_project(onnx_folder: Make) -> None:
    folder = onnx_folder("models/tiny")
    assert load("models/tiny", folder.parents[1]).name == load(str(folder), Path("/")).name


def test_prompts_of_a_folder_are_put_in_front(onnx_folder: Make) -> None:
    plain = load(str(onnx_folder("plain")), Path())
    model = load(str(onnx_folder("other", {"query": "query: ", "passage": "passage: "})), Path())
    assert np.allclose(model.embed_queries(["price"]), plain.embed(["query: price"]))
    assert np.allclose(model.embed(["price"]), plain.embed(["passage: price"]))
    assert model.name != plain.name


@pytest.mark.parametrize(
    ("name", "prompts"),
    [
        ("intfloat/multilingual-e5-small", E5),
        ("models/e5-base-v2", E5),
        ("sentence-transformers/all-MiniLM-L6-v2", Prompts()),
        ("kettle5", Prompts()),
    ],
)
def test_the_e5_family_is_known_by_its_name(name: str, prompts: Prompts) -> None:
    assert prompts_of(name) == prompts


def test_a_configured_onnx_model_takes_part_in_the_search(shop: Path, onnx_folder: Make) -> None:
    with Index.open(shop, IndexConfig(embedding_model=str(onnx_folder()))) as index:
        index.sync()
        assert index.wait_dense() == 0
        page = index.search("mail a letter", "forest")
        assert (page.dense, index.stats().embedder[:5]) == ("", "onnx-")
    assert page.hits[0].symbol == "send_receipt"


@pytest.mark.parametrize("name", ["multilingual-e5-small", "no-such/model", "shop"])
def test_a_model_that_cannot_be_loaded_is_said_and_no_other_stands_in(shop: Path, name: str) -> None:
    with Index.open(shop, IndexConfig(embedding_model=name)) as index:
        index.sync()
        assert index.wait_dense() == 0
        page = index.search("mail a receipt", "forest")
        stats = index.stats()
    assert page.hits[0].symbol == "send_receipt"
    assert repr(name) in page.dense
    assert "cannot be loaded" in page.dense
    assert (stats.embedder, stats.dense, stats.pending) == (name, page.dense, 0)


def test_a_damaged_model_is_said(shop: Path, onnx_folder: Make) -> None:
    folder = onnx_folder()
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(DenseUnavailable, match="cannot be loaded"):
        load(str(folder), shop)


def test_without_a_model_the_map_knows_the_same_words_and_no_others(shop: Path) -> None:
    entry = MapEntry("how is the basket summed up", "add_prices", "shop/money.py", 1.0, "s1", "MODIFY", "2999-01-01")
    with Index.open(shop, IndexConfig(embedding_model="no-such/model")) as index:
        index.sync()
        index.learn([entry])
        assert index.search("the basket, how is it summed up?").shortcut
        assert not index.search("how are letters sent").shortcut
        assert index.relevance(["mailed receipts"], ["mail a receipt", "mail", "price"]) == [[1.0, 0.5, 0.0]]


def test_no_library_of_another_model_is_loaded_for_the_default_one() -> None:
    said = "import sys; from codeintel_index.embedding.models import load; from pathlib import Path;"
    said += "load('default', Path()); print({'torch', 'onnxruntime', 'chromadb'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is None, reason="the extra is not installed")
def test_a_sentence_transformers_model_in_a_folder_is_a_model(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # it moved between versions
        from sentence_transformers.models import BoW

    SentenceTransformer(modules=[BoW(["price", "mail", "letter"])]).save(str(tmp_path / "bow"))
    model = load("bow", tmp_path)
    assert model.embed(["price", "a letter by mail"]).shape == (2, 3)
