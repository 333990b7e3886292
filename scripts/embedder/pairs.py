"""Mined pairs as numbers: who is held out, which words the table knows, and the rows of every text."""

import gzip
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from codeintel_index.embedding.static import Vocabulary
from codeintel_index.text.tokens import split, words

SENTENCES = ("doc", "module", "prose", "inline")
ENOUGH = 300
AT_ONCE = 1000  # texts
REPOSITORIES = 3  # a word is known if so many repositories use it


@dataclass(frozen=True, slots=True)
class Pair:
    """A row of the mined file."""

    repository: str
    kind: str
    language: str
    says: str
    passage: str


def read(path: Path) -> list[Pair]:
    """All mined pairs."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [Pair(*json.loads(line)) for line in file]


def held_out(pairs: Iterable[Pair]) -> set[str]:
    """The repositories that serve for stopping and measuring: of each language, among those with enough sentences about
    code, the one whose name's digest is lowest.
    """
    languages: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        if pair.kind in SENTENCES:
            languages[pair.repository][pair.language.replace("tsx", "typescript")] += 1
    by_language: dict[str, list[str]] = defaultdict(list)
    for repository, count in languages.items():
        if count.total() >= ENOUGH:
            by_language[count.most_common(1)[0][0]].append(repository)
    return {
        min(names, key=lambda name: hashlib.sha256(name.lower().encode()).digest()) for names in by_language.values()
    }


def vocabulary(pairs: Iterable[Pair], size: int, buckets: int) -> tuple[Vocabulary, np.ndarray]:
    """The words that most texts of several repositories use, and how rare each row is (the log of 1 in how many)."""
    texts: Counter[str] = Counter()
    users: dict[str, set[str]] = defaultdict(set)
    total = 0
    for pair in pairs:
        for text in (pair.says, pair.passage):
            total += 1
            for term in set(_terms(text)):
                texts[term] += 1
                if len(users[term]) < REPOSITORIES:
                    users[term].add(pair.repository)
    common = [term for term, _ in texts.most_common() if len(users[term]) >= REPOSITORIES][:size]
    known = sorted(common)
    rarity = [math.log(total / texts[term]) for term in known]
    return Vocabulary(known, buckets), np.array(rarity + [max(rarity)] * buckets, dtype=np.float32)


def _terms(text: str) -> Iterator[str]:
    for word in words(text):
        yield from split(word)


@dataclass(frozen=True, slots=True)
class Bags:
    """Texts as rows and damped counts: text i owns `rows[starts[i]:starts[i + 1]]`."""

    rows: np.ndarray
    counts: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, which: np.ndarray, keep: float, chance: np.random.Generator, most: int) -> tuple[np.ndarray, ...]:
        """Rows, counts and starts of some texts; of each a random share `keep`, at most `most` rows."""
        rows, counts, starts = [], [], [0]
        for text in which:
            part = slice(self.starts[text], self.starts[text + 1])
            row, count = self.rows[part], self.counts[part]
            if keep < 1 or len(row) > most:
                size = max(1, min(most, round(keep * len(row))))
                chosen = chance.permutation(len(row))[:size]
                row, count = row[chosen], count[chosen]
            rows.append(row)
            counts.append(count)
            starts.append(starts[-1] + len(row))
        return np.concatenate(rows), np.concatenate(counts), np.array(starts[:-1])


def bags(texts: Iterable[str], reader: Vocabulary) -> Bags:
    """The rows of all texts."""
    rows: list[np.ndarray] = []
    counts: list[np.ndarray] = []
    starts = [np.zeros(1, dtype=int)]
    left = iter(texts)
    while some := list(islice(left, AT_ONCE)):
        start, row, count = reader.rows(some)
        starts.append(starts[-1][-1] + start[1:])
        rows.append(row.astype(np.int32))
        counts.append(count)
    return Bags(np.concatenate(rows), np.concatenate(counts), np.concatenate(starts))
