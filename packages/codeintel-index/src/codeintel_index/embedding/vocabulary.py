"""Which rows of a table stand for a text. Training and search read texts through this one file, or they would drift.

A word is itself and its parts. A part that the table does not know is looked up by its stem, then by its groups of
four characters, each hashed to a bucket, so that no word, in whatever script, is without a vector. Counts are damped by
their square root.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from math import sqrt

from codeintel_index.tokens import fold, split, words

GRAM = 4
CACHED = 200_000  # words whose rows are remembered
Shares = tuple[tuple[int, float], ...]


class Vocabulary:
    """`known` words own the first rows, `buckets` of character groups the rest."""

    def __init__(self, known: Sequence[str], buckets: int) -> None:
        self.known = {word: row for row, word in enumerate(known)}
        self.buckets = buckets
        self._cache: dict[str, Shares] = {}

    def __len__(self) -> int:
        return len(self.known) + self.buckets

    def rows(self, text: str) -> tuple[list[int], list[float]]:
        """The rows of a text, each once, and their damped counts. Both are empty for a text without words."""
        sums: dict[int, float] = {}
        for word, count in Counter(words(text)).items():
            shares = self._cache.get(word)
            if shares is None:
                shares = self._remember(word)
            for row, share in shares:
                sums[row] = sums.get(row, 0.0) + count * share
        return list(sums), [sqrt(each) for each in sums.values()]

    def _remember(self, word: str) -> Shares:
        if len(self._cache) >= CACHED:
            self._cache.clear()
        shares = self._cache[word] = tuple(self._shares(word))
        return shares

    def _shares(self, word: str) -> list[tuple[int, float]]:
        whole, *parts = split(word) or ("",)
        if not word.isascii():
            return [share for term in (whole, *parts) if term for share in self._part(term)]
        if not parts:
            return self._part(whole) if whole else []
        known = [(self.known[whole], 1.0)] if whole in self.known else []
        return known + [share for part in parts for share in self._part(part)]

    def _part(self, term: str) -> list[tuple[int, float]]:
        row = self.known.get(term, self.known.get(fold(term)))
        if row is not None:
            return [(row, 1.0)]
        marked = f"<{term}>"
        grams = [marked[at : at + GRAM] for at in range(max(1, len(marked) - GRAM + 1))]
        first = len(self.known)
        return [(first + zlib.crc32(gram.encode(errors="replace")) % self.buckets, 1 / len(grams)) for gram in grams]
