"""The full text of chunks as postings: for each stem the chunks that hold it, one number of 32 bits a chunk.

A posting is the chunk's number within its segment, then how often its path holds the stem, then how often its body
does. A segment is a batch of files that were written together (`store/schema.py`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Final

import numpy as np

from codeintel_index.text.bags import Bags, Numbers, grouped, spread
from codeintel_index.text.stems import stems
from codeintel_index.text.tokens import path_tokens, split

CODE: Final = "I"
NUMBER_BIT, PATH_BIT = 12, 8
MOST_IN_PATH, MOST_IN_BODY = 15, 255
MOST_CHUNKS = 1 << (32 - NUMBER_BIT)
KEPT = 50_000  # words whose stems are remembered, of every process that parses

_WORDS: dict[str, tuple[str, ...]] = {}


def postings(paths: Sequence[str], bodies: Bags, file: Numbers) -> tuple[list[tuple[str, bytes]], list[int]]:
    """List the stems of chunks in order, each with its postings; and how many terms each chunk has. `file` is the place
    in `paths` of each chunk.
    """
    names = Bags.counted([Counter(path_tokens(path)) for path in paths])
    _learn({*bodies.words, *names.words})
    places: dict[str, int] = {}
    stem, number, times = _stemmed(bodies, places)
    sizes = np.bincount(number, times, len(file))
    in_path, of, often = _stemmed(names, places)
    sizes += np.bincount(of, often, len(paths))[file]
    order = np.argsort(of, kind="stable")
    at, each = spread(file, np.bincount(of, minlength=len(paths)))
    stem = np.concatenate([stem, in_path[order][at]])
    number = np.concatenate([number, np.repeat(np.arange(len(file)), each)])
    beside = np.minimum(often, MOST_IN_PATH)[order][at] << PATH_BIT
    counts = np.concatenate([np.minimum(times, MOST_IN_BODY), beside])
    order, first = grouped(stem, number)
    codes = number[order[first]] << NUMBER_BIT | np.add.reduceat(counts[order], first)
    packed, width = codes.astype(CODE).tobytes(), np.dtype(CODE).itemsize
    bounds = (np.searchsorted(stem[order[first]], np.arange(len(places) + 1)) * width).tolist()
    found = zip(places, pairwise(bounds), strict=True)
    return sorted((term, packed[start:end]) for term, (start, end) in found), sizes.astype(np.int64).tolist()


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
    parts = {word: split.__wrapped__(word) for word in wanted if word not in _WORDS}  # not cached twice
    known = stems(part for each in parts.values() for part in each)
    _WORDS.update({word: tuple(stem for part in each if (stem := known[part])) for word, each in parts.items()})
