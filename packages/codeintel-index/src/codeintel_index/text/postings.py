"""The full text of chunks as postings: for each stem the chunks that hold it, one number of 32 bits a chunk.

A posting is the chunk's number within its segment, then how often its path holds the stem, then how often its body
does. A segment is a batch of files that were written together (`store/schema.py`).
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Final

from codeintel_index.text.stems import stems
from codeintel_index.text.tokens import path_tokens, split, words

CODE: Final = "I"
NUMBER_BIT, PATH_BIT = 12, 8
MOST_IN_PATH, MOST_IN_BODY = 15, 255
MOST_CHUNKS = 1 << (32 - NUMBER_BIT)
KEPT = 50_000  # words whose stems are remembered, of every process that parses

_WORDS: dict[str, tuple[str, ...]] = {}


class Postings:
    """The postings of one segment in the making."""

    def __init__(self) -> None:
        self.sizes: list[int] = []  # terms of each chunk
        self._codes: defaultdict[str, array[int]] = defaultdict(partial(array, CODE))

    def add(self, path: str, texts: Iterable[str]) -> None:
        """Add the chunks of a file."""
        found = [Counter(words(text)) for text in texts]
        names = Counter(path_tokens(path))
        _learn({*names, *chain.from_iterable(found)})
        in_path = _stemmed(names)
        beside = {term: min(count, MOST_IN_PATH) << PATH_BIT for term, count in in_path.items()}
        size = sum(in_path.values())
        for each in found:
            number = len(self.sizes) << NUMBER_BIT
            body = _stemmed(each)
            self.sizes.append(size + sum(body.values()))
            for term in beside.keys() - body.keys():
                self._codes[term].append(number | beside[term])
            for term, count in body.items():
                code = number | (count if count < MOST_IN_BODY else MOST_IN_BODY)
                self._codes[term].append(code | beside[term] if term in beside else code)

    def packed(self) -> list[tuple[str, bytes]]:
        """List the stems in order, each with its postings."""
        return [(term, self._codes[term].tobytes()) for term in sorted(self._codes)]


def _stemmed(counts: Counter[str]) -> dict[str, int]:
    """Count the stems of words."""
    total: dict[str, int] = {}
    for word, count in counts.items():
        for term in _WORDS[word]:
            total[term] = total.get(term, 0) + count
    return total


def _learn(wanted: set[str]) -> None:
    if len(_WORDS) > KEPT:
        _WORDS.clear()
    parts = {word: split.__wrapped__(word) for word in wanted if word not in _WORDS}  # not cached twice
    known = stems(part for each in parts.values() for part in each)
    _WORDS.update({word: tuple(stem for part in each if (stem := known[part])) for word, each in parts.items()})
