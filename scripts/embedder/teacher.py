"""First vectors of words: a teacher's, on their main axes, or chance."""

from pathlib import Path

import numpy as np

from codeintel_index.embedding.pretrained import OnnxEmbedder

LEAST_SHARE = 0.3  # how long buckets' chance vectors are, words have length 1


def word_vectors(folder: Path | None, known: list[str], buckets: int, dim: int) -> np.ndarray:
    """Shape [words + buckets, dim], float32. Teachers are asked for each word alone."""
    chance = np.random.default_rng(7)
    fresh = chance.normal(size=(len(known) + buckets, dim)).astype(np.float32)
    fresh /= np.linalg.norm(fresh, axis=1, keepdims=True)
    fresh[len(known) :] *= LEAST_SHARE
    if folder is not None:
        fresh[: len(known)] = main_axes(_ask(folder, known), dim)
    return fresh


def main_axes(vectors: np.ndarray, dim: int) -> np.ndarray:
    """The vectors less their mean, in their `dim` widest directions, each of length 1."""
    vectors = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    turned = vectors @ axes[:, ::-1][:, :dim]
    return (turned / np.linalg.norm(turned, axis=1, keepdims=True).clip(1e-6)).astype(np.float32)


def _ask(folder: Path, known: list[str]) -> np.ndarray:
    """The teacher's vectors of words; those it was asked for before are kept beside it."""
    place = folder / "words.npz"
    held: dict[str, np.ndarray] = {}
    if place.exists():
        with np.load(place) as stored:
            held = dict(zip(stored["words"].tobytes().decode().split("\n"), stored["vectors"], strict=True))
    new = [word for word in known if word not in held]
    if new:
        held.update(zip(new, OnnxEmbedder(folder).embed(new), strict=True))
        words = np.frombuffer("\n".join(held).encode(), dtype=np.uint8)
        np.savez(place, words=words, vectors=np.stack(list(held.values())).astype(np.float16))
    return np.stack([held[word] for word in known]).astype(np.float32)
