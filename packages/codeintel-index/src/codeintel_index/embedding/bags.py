"""The words of many texts with their counts, as arrays."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeintel_index.text.tokens import words

Numbers = NDArray[np.int64]


class Bags:
    """`words` are all words of some texts, each once; entry by entry, `text` and `word` say where which occurs, and
    `times` how often.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(words(text)) for text in texts]
        self.words = [*dict.fromkeys(chain.from_iterable(counted))]
        places = dict(zip(self.words, range(len(self.words)), strict=True))
        self.text: Numbers = np.repeat(np.arange(len(texts)), np.array([*map(len, counted)], np.int64))
        self.word: Numbers = np.fromiter(map(places.__getitem__, chain.from_iterable(counted)), np.int64)
        self.times: Numbers = np.fromiter(chain.from_iterable(map(Counter.values, counted)), np.int64)


def spread(picked: Numbers, sizes: Sequence[int]) -> tuple[Numbers, Numbers]:
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
