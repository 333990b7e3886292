"""The words of many texts with their counts, as arrays."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from codeintel_index.text.tokens import words

Numbers = NDArray[np.int64]


class Bags(NamedTuple):
    """`words` are all words of some texts, each once; entry by entry, `text` and `word` say where which occurs, and
    `times` how often. Entries are in the order of texts.
    """

    words: list[str]
    text: Numbers
    word: Numbers
    times: Numbers

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Count the words of texts."""
        return cls.counted([Counter(words(text)) for text in texts])

    @classmethod
    def counted(cls, counts: Sequence[Counter[str]]) -> Self:
        """Lay out words that are counted."""
        found = [*dict.fromkeys(chain.from_iterable(counts))]
        places = dict(zip(found, range(len(found)), strict=True))
        text: Numbers = np.repeat(np.arange(len(counts)), np.array([*map(len, counts)], np.int64))
        word: Numbers = np.fromiter(map(places.__getitem__, chain.from_iterable(counts)), np.int64)
        times: Numbers = np.fromiter(chain.from_iterable(map(Counter.values, counts)), np.int64)
        return cls(found, text, word, times)

    def beside(self, others: Self, shared: Numbers) -> Self:
        """Add to each text the words of another one, which several may share: `shared` says whose, text by text."""
        sizes = np.bincount(others.text, minlength=int(shared.max(initial=-1)) + 1)
        at, each = spread(shared, sizes)
        return self._replace(
            words=[*self.words, *others.words],
            text=np.concatenate([self.text, np.repeat(np.arange(len(shared)), each)]),
            word=np.concatenate([self.word, others.word[at] + len(self.words)]),
            times=np.concatenate([self.times, others.times[at]]),
        )


def spread(picked: Numbers, sizes: Sequence[int] | Numbers) -> tuple[Numbers, Numbers]:
    """Put several things in the place of each number picked, as many as `sizes` has for it: which of all those things,
    in the order of `sizes`; and how many for each place.
    """
    many: Numbers = np.array(sizes, np.int64)
    each = many[picked]
    ahead = np.cumsum(many) - many
    before = np.cumsum(each) - each
    return np.arange(each.sum()) + np.repeat(ahead[picked] - before, each), each


def grouped(major: Numbers, minor: Numbers) -> tuple[Numbers, Numbers]:
    """Bring pairs of numbers into order: the places of the pairs, and where in that order each distinct pair begins."""
    order = np.argsort(_small(minor), kind="stable")
    order = order[np.argsort(_small(major)[order], kind="stable")]
    first, second = major[order], minor[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    return order, np.flatnonzero(is_new)


def _small(numbers: Numbers) -> NDArray[np.unsignedinteger[Any]]:
    """The numbers in few bytes each: those of two bytes are sorted in linear time."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
