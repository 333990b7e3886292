"""The full text of chunks as postings: for each stem the chunks that hold it, one number of 32 bits a chunk.

A posting is the chunk's number within its segment, then how often its path holds the stem, then how often its body
does. A segment is a batch of files that were written together (`store/schema.py`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeintel_index.text.bags import Bags, Numbers, grouped, spread
from codeintel_index.text.stems import stems
from codeintel_index.text.tokens import path_tokens, split

CODE: Final = "I"
CODE_BYTES = 4
NUMBER_BIT, PATH_BIT = 12, 8
MOST_IN_PATH, MOST_IN_BODY = 15, 255
KEPT = 50_000  # words whose stems are remembered, of every process that parses

_WORDS: dict[str, tuple[str, ...]] = {}


class Postings(NamedTuple):
    """`stems` in order, how many chunks hold each, and the postings of one after the other."""

    stems: list[str]
    held: list[int]
    packed: bytes

    def each(self) -> Iterator[tuple[str, bytes]]:
        """List the stems, each with its own postings."""
        ends = [CODE_BYTES * end for end in accumulate(self.held, initial=0)]
        return ((stem, self.packed[start:end]) for stem, (start, end) in zip(self.stems, pairwise(ends), strict=True))


def postings(paths: Sequence[str], bodies: Bags, file: Numbers) -> tuple[Postings, list[int]]:
    """Make the postings of chunks, and count the terms of each. `file` is the place in `paths` of each chunk."""
    names = Bags.counted([Counter(path_tokens(path)) for path in paths])
    _learn({*bodies.words, *names.words})
    places: dict[str, int] = {}
    stem, number, times = _stemmed(bodies, places)
    in_path, of, often = _stemmed(names, places)
    sizes = np.bincount(number, times, len(file)) + np.bincount(of, often, len(paths))[file]
    order = np.argsort(of, kind="stable")
    at, each = spread(file, np.bincount(of, minlength=len(paths)))
    stem = np.concatenate([stem, in_path[order][at]])
    number = np.concatenate([number, np.repeat(np.arange(len(file)), each)])
    beside = np.minimum(often, MOST_IN_PATH)[order][at] << PATH_BIT
    counts = np.concatenate([np.minimum(times, MOST_IN_BODY), beside])
    order, first = grouped(stem, number)
    codes = number[order[first]] << NUMBER_BIT | np.add.reduceat(counts[order], first)
    return _laid_out(places, stem[order[first]], codes), sizes.astype(np.int64).tolist()


def joined(parts: Sequence[tuple[Postings, int]]) -> Postings:
    """Make one of several; the chunks of each, so many, are numbered after those of the ones before it."""
    if len(parts) == 1:
        return parts[0][0]
    places: dict[str, int] = {}
    stem, codes, first = [], [], 0
    for part, count in parts:
        ids = np.array([places.setdefault(each, len(places)) for each in part.stems], np.int64)
        stem.append(np.repeat(ids, part.held))
        codes.append(np.frombuffer(part.packed, CODE) + (first << NUMBER_BIT))
        first += count
    return _laid_out(places, np.concatenate(stem), np.concatenate(codes))


def _laid_out(places: Mapping[str, int], stem: Numbers, codes: NDArray[np.integer[Any]]) -> Postings:
    """The codes, whose stems are given by their places, in the order of the stems."""
    stems = sorted(places)
    rank = np.empty(len(stems), np.int64)
    rank[[places[each] for each in stems]] = np.arange(len(stems))
    order, _ = grouped(rank[stem], np.zeros(len(stem), np.int64))
    held = np.bincount(rank[stem], minlength=len(stems))
    return Postings(stems, held.tolist(), codes[order].astype(CODE).tobytes())


def _stemmed(bags: Bags, places: dict[str, int]) -> tuple[Numbers, Numbers, Numbers]:
    """Count the stems of texts: place of the stem, text, and how often. New stems are added to `places`."""
    found = [_WORDS[word] for word in bags.words]
    ids = np.array([places.setdefault(stem, len(places)) for stem in chain.from_iterable(found)], np.int64)
    at, each = spread(bags.word, [*map(len, found)])
    stem, text, times = ids[at], np.repeat(bags.text, each), np.repeat(bags.times, each)
    order, first = grouped(stem, text)
    return stem[order[first]], text[order[first]], np.add.reduceat(times[order], first)


def _learn(wanted: Iterable[str]) -> None:
    if len(_WORDS) > KEPT:
        _WORDS.clear()
    parts = {word: split(word) for word in wanted if word not in _WORDS}
    known = stems(part for each in parts.values() for part in each)
    _WORDS.update({word: tuple(stem for part in each if (stem := known[part])) for word, each in parts.items()})
