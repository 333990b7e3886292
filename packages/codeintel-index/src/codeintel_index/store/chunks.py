"""The chunks of an index as one table in memory: what a search needs of all of them. A change has it read again."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeintel_index.store.reader import Reader
from codeintel_index.store.schema import COLUMNS

Numbers = NDArray[np.int64]


class Place(NamedTuple):
    """A chunk without its text. `named` says whether it bears the name of a symbol."""

    row: int
    path: str
    start_line: int
    end_line: int
    named: bool


class Chunks:
    """The chunks of all files that there are, by their place in the segments. `length` is relative to the mean."""

    def __init__(self, segments: Sequence[tuple[int, bytes]], paths: Mapping[int, str]) -> None:
        parts = [np.frombuffer(packed, np.int64).reshape(-1, COLUMNS) for _, packed in segments]
        starts = accumulate((len(part) for part in parts), initial=0)
        self.starts = {segment: start for (segment, _), start in zip(segments, starts, strict=False)}
        table: Numbers = np.concatenate(parts) if parts else np.empty((0, COLUMNS), np.int64)
        self._paths = paths
        self.is_alive = np.isin(table[:, 1], np.fromiter(paths, np.int64, len(paths)))
        self.total = int(np.count_nonzero(self.is_alive))
        size = table[:, 5].astype(np.float64)
        mean = float(size[self.is_alive].mean()) if self.total else 1.0
        self.length = size / mean
        self._table = table
        self._order = np.argsort(np.where(self.is_alive, table[:, 0], -1), kind="stable")
        self._rows = table[self._order, 0] * self.is_alive[self._order]

    def find(self, rows: Sequence[int]) -> list[int]:
        """Find the numbers of chunks by their rows; -1 for those that are gone."""
        if not self.total:
            return [-1] * len(rows)
        wanted = np.asarray(rows, np.int64)
        at = np.minimum(np.searchsorted(self._rows, wanted), len(self._rows) - 1)
        found: list[int] = np.where(self._rows[at] == wanted, self._order[at], -1).tolist()
        return found

    def places(self, numbers: Iterable[int]) -> dict[int, Place]:
        """Describe chunks, by their numbers."""
        wanted = list(numbers)
        rows = self._table[np.asarray(wanted, np.int64), :5].tolist()
        return {
            number: Place(row, self._paths[file], start, end, bool(named))
            for number, (row, file, start, end, named) in zip(wanted, rows, strict=True)
        }


def chunks_of(reader: Reader) -> Chunks:
    """Return the chunks of an index as they are now."""
    return reader.once("chunks", lambda: Chunks(reader.segments(), reader.paths_by_id()))
