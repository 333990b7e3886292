"""Vectors in the rows, one byte a number, written in the transaction that marks their chunks. A question is compared
with all of them, in blocks that stay in the processor's cache: 2 ms for 35,000 vectors.

A vector is its largest number as a float, then its numbers as 127ths of that.
"""

import threading
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from codeintel_index.embedding.models import Vectors
from codeintel_index.store.chunks import chunks_of
from codeintel_index.store.reader import Reader

BLOCK = 1024
READ = 4000  # rows read at once
STEPS = 127
_SCALE = 4  # bytes


def pack(rows: Vectors) -> list[bytes]:
    """Write each vector as its scale and one byte a number."""
    largest = np.abs(rows).max(axis=1).astype("<f4")
    steps = np.divide(STEPS, largest, out=np.zeros_like(largest), where=largest > 0)
    codes = np.rint(rows * steps[:, None]).astype(np.int8)
    return [scale.tobytes() + row.tobytes() for scale, row in zip(largest / STEPS, codes, strict=True)]


def similarities(codes: NDArray[np.int8], scales: Vectors, vector: Vectors) -> Vectors:
    """Compare a vector with packed ones: cosine similarities if all of them have length 1."""
    found = np.empty(len(codes), np.float32)
    for start in range(0, len(codes), BLOCK):
        part = slice(start, start + BLOCK)
        np.matmul(codes[part].astype(np.float32), vector, out=found[part])
    return found * scales


def unpack(packed: list[bytes]) -> tuple[NDArray[np.int8], Vectors]:
    """Read packed rows as codes and scales."""
    together = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1)
    scales = np.ascontiguousarray(together[:, :_SCALE]).view("<f4")[:, 0]
    return together[:, _SCALE:].view(np.int8), scales


def unpacked(packed: list[bytes]) -> Vectors:
    """Read packed rows as vectors."""
    codes, scales = unpack(packed)
    return codes * scales[:, None]


def nearest_packed(packed: Mapping[str, bytes], vector: Vectors, count: int) -> list[tuple[str, float]]:
    """Find the nearest among a few packed vectors: keys and similarities, best first."""
    keys = [*packed]
    if not keys:
        return []
    found = similarities(*unpack([packed[key] for key in keys]), vector)
    return [(keys[at], float(found[at])) for at in _largest(found, count)]


class LocalVectors:
    """The vectors of one index in memory, brought up to date before each question. Safe to share between threads."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._guard = threading.Lock()
        self._state = self._resets = ""
        self._forget()

    def _forget(self) -> None:
        self._last = 0
        self._rows = np.empty(0, np.int64)
        self._codes = np.empty((0, 0), np.int8)
        self._scales = np.empty(0, np.float32)

    def nearest(self, vector: Vectors, count: int) -> list[tuple[int, float]]:
        """Find the chunks nearest to a vector: rows and similarities, best first; those that are gone are left out."""
        chunks = chunks_of(self._reader)
        with self._guard:
            self._update(_SCALE + len(vector))
            rows, codes, scales = self._rows, self._codes, self._scales
        found = similarities(codes, scales, vector)
        asked = count
        while True:
            best = _largest(found, asked)
            near = [int(row) for row in rows[best]]
            numbers = chunks.find(near)
            here = [(row, float(found[at])) for row, at, number in zip(near, best, numbers, strict=True) if number >= 0]
            if len(here) >= count or asked >= len(found):
                return here[:count]
            asked *= 8

    def _update(self, size: int) -> None:
        """Read what is new; read everything if vectors were reset, or if most of those in memory are gone."""
        state = self._reader.generation()
        if state == self._state:
            return
        resets, total = self._reader.vector_generation()
        if resets != self._resets or len(self._rows) > 2 * total + READ:
            self._forget()
            self._resets = resets
        rows, codes, scales = [self._rows], [self._codes] if len(self._rows) else [], [self._scales]
        for some in self._new(size):
            rows.append(np.array([row for _, row, _ in some], np.int64))
            some_codes, some_scales = unpack([packed for *_, packed in some])
            codes.append(some_codes)
            scales.append(some_scales)
        if len(rows) > 1:
            self._rows, self._codes = np.concatenate(rows), np.concatenate(codes)
            self._scales = np.concatenate(scales)
        self._state = state

    def _new(self, size: int) -> Iterator[list[tuple[int, int, bytes]]]:
        """Yield vectors that are not in memory yet; one of another size was made by another model a moment ago."""
        while some := self._reader.packed_vectors(self._last, READ):
            self._last = some[-1][0]
            if fitting := [each for each in some if len(each[2]) == size]:
                yield fitting


def _largest(values: Vectors, count: int) -> list[int]:
    """The places of the largest values, largest first."""
    if count < len(values):
        some = np.argpartition(values, len(values) - count)[len(values) - count :]
    else:
        some = np.arange(len(values))
    return [int(at) for at in some[np.argsort(-values[some], kind="stable")]]
