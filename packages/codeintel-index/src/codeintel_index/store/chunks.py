"""The chunks of an index as one table in memory: what a search needs of all of them. A change has it read again."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from codeintel_index.store.reader import Reader
from codeintel_index.store.schema import COLUMNS

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


class Chunks:
    """The chunks of all files that there are, by their place in the segments, a column for each thing to know of them.

    `row` is a chunk's id, `file` leads to its path in `paths`, `named` says whether it bears the name of a symbol,
    `length` is relative to the mean.
    """

    def __init__(self, segments: Sequence[tuple[int, bytes]], paths: Mapping[int, str]) -> None:
        parts = [np.frombuffer(packed, np.int64).reshape(-1, COLUMNS) for _, packed in segments]
        starts = accumulate((len(part) for part in parts), initial=0)
        self.starts = {segment: start for (segment, _), start in zip(segments, starts, strict=False)}
        table: Numbers = np.concatenate(parts) if parts else np.empty((0, COLUMNS), np.int64)
        self.row, self.file, self.start, _, self.named, size = table.T
        self.paths = paths
        self.is_alive = np.isin(self.file, np.fromiter(paths, np.int64, len(paths)))
        self.total = int(np.count_nonzero(self.is_alive))
        mean = float(size[self.is_alive].mean()) if self.total else 1.0
        self.length = size / mean
        self._order = np.argsort(np.where(self.is_alive, self.row, -1), kind="stable")
        self._rows = self.row[self._order] * self.is_alive[self._order]

    def find(self, rows: Sequence[int]) -> list[int]:
        """Find the numbers of chunks by their rows; -1 for those that are gone."""
        if not self.total:
            return [-1] * len(rows)
        wanted = np.asarray(rows, np.int64)
        at = np.minimum(np.searchsorted(self._rows, wanted), len(self._rows) - 1)
        found: list[int] = np.where(self._rows[at] == wanted, self._order[at], -1).tolist()
        return found


def chunks_of(reader: Reader) -> Chunks:
    """Return the chunks of an index. Call within a snapshot of the rows: else a later state may pass for an earlier."""
    return reader.once("chunks", lambda: Chunks(reader.segments(), reader.paths_by_id()))
