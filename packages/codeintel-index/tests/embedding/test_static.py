"""The model that comes with the package: what is shipped is what the card says, and it knows what belongs together."""

import hashlib
import io
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from codeintel_index.embedding.static import TABLE, StaticEmbedder

CARD = Path(__file__).parents[2] / "MODEL_CARD.md"
CONTENT = files("codeintel_index.embedding").joinpath(TABLE).read_bytes()
MODEL = StaticEmbedder()


def test_the_card_is_about_the_table_that_is_shipped() -> None:
    stated = re.findall(r"[0-9a-f]{64}", CARD.read_text(encoding="utf-8"))
    assert stated == [hashlib.sha256(CONTENT).hexdigest()]
    assert MODEL.name.endswith(stated[0][:12])
    assert len(CONTENT) <= 8_000_000


def test_another_table_is_another_model() -> None:
    with np.load(io.BytesIO(CONTENT), allow_pickle=False) as stored:
        arrays = dict(stored)
    arrays["rows"] = -arrays["rows"]
    file = io.BytesIO()
    np.savez(file, **arrays)
    assert StaticEmbedder(file.getvalue()).name != MODEL.name


@given(st.lists(st.text(max_size=60), max_size=4))
def test_every_text_has_a_row_of_length_one_or_none_at_all(texts: list[str]) -> None:
    for vectors in (MODEL.embed(texts), MODEL.embed_queries(texts)):
        assert (vectors.shape, vectors.dtype) == ((len(texts), 256), np.float32)
        lengths = np.linalg.norm(vectors, axis=1)
        assert np.all(np.isclose(lengths, 1, atol=1e-4) | (lengths == 0))


def test_the_same_text_has_the_same_vector_whatever_is_beside_it() -> None:
    texts = ["parse the price", "def open_socket(host): ...", "", "x"]
    assert np.array_equal(MODEL.embed(texts), StaticEmbedder().embed([*texts, "more"])[:4])


@pytest.mark.parametrize("word", ["qzxvkw", "frobnicatorish", "価格計算", "Überweisung", "проверка", "हिन्दी"])
def test_a_word_never_seen_has_a_vector_of_its_own(word: str) -> None:
    same, other = MODEL.embed([word, f"{word} {word}", "warhorse"])[:2], MODEL.embed(["warhorse"])
    assert np.linalg.norm(same[0]) == pytest.approx(1, abs=1e-4)
    assert same[0] @ same[1] > 0.99 > other[0] @ same[0]


def test_a_word_never_seen_is_like_others_that_are_written_like_it() -> None:
    one, alike, other = MODEL.embed(["frobnicatorish", "frobnicatorly", "warhorse"])
    assert one @ alike > one @ other + 0.2


PAIRS = (
    (
        "log in with a password",
        "func (s *Server) Authenticate(user, secret string) (*Session, error) { return nil, nil }",
    ),
    (
        "wait before trying again",
        "def backoff(attempt):\n    time.sleep(min(60, 2 ** attempt))\n    return retry(attempt + 1)",
    ),
    (
        "write rows to the database",
        "fn insert(&self, conn: &mut Connection) -> Result<usize> { sql_query(STMT).execute(conn) }",
    ),
    ("turn an object into JSON", "public String serialize(Object value) { return mapper.writeValueAsString(value); }"),
    (
        "draw a button on the screen",
        "fun render(canvas: Canvas) { canvas.drawRect(bounds, paint); label.paint(canvas) }",
    ),
    (
        "listen for connections on a port",
        "int serve(int port) { int fd = socket(AF_INET, SOCK_STREAM, 0); bind(fd, a, n); listen(fd, 8); }",
    ),
    (
        "remove entries that are too old",
        "evictExpired() { for (const [k, v] of this.cache) if (v.ttl < now()) this.cache.delete(k) }",
    ),
    (
        "check that the input is valid",
        "def validate(changeset) do\n  changeset |> validate_required([:name]) |> validate_length(:name)\nend",
    ),
)


def test_a_question_is_nearest_to_the_code_that_answers_it_in_many_languages() -> None:
    near = MODEL.embed_queries([query for query, _ in PAIRS]) @ MODEL.embed([code for _, code in PAIRS]).T
    right = near.diagonal()
    assert np.all(right > near.mean(axis=1) + 0.1)
    assert sum(near.argmax(axis=1) == np.arange(len(PAIRS))) >= len(PAIRS) - 1
