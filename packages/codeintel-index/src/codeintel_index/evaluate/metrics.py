"""The figures, as pure functions over what was asked for and what came back. Nothing here touches a file or an index.

A target is hit at the rank of the first answer whose path is the target's (either may be a suffix of the other, by
whole folders) and whose lines overlap the target's, if it has lines. All figures lie between 0 and 1.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import quantiles

DEPTH = 10
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Target:
    """A file that answers a question, or only its lines `start` to `end` (1-based, inclusive; 0: all lines)."""

    path: str
    start: int = 0
    end: int = 0

    def is_hit_by(self, answer: "Answer") -> bool:
        """Whether an answer shows any of the target."""
        return _same_file(self.path, answer.path) and (
            not self.start or (answer.start <= self.end and answer.end >= self.start)
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """One returned chunk: its place, how many characters its text has, and how many an answer shows for it."""

    path: str
    start: int
    end: int
    characters: int = 0
    shown: int = 0


def ranks(targets: Sequence[Target], answers: Sequence[Answer]) -> list[int]:
    """Find the rank (from 1) at which each target is first hit, 0 for one that never is."""
    return [next((at for at, each in enumerate(answers, 1) if target.is_hit_by(each)), 0) for target in targets]


def ndcg(found: Sequence[int], depth: int = DEPTH) -> float:
    """Compute NDCG with binary gain of the targets' ranks; the ideal has them all at the top, as far as they fit."""
    gain = math.fsum(_discount(rank) for rank in found if 0 < rank <= depth)
    ideal = math.fsum(_discount(rank) for rank in range(1, min(depth, len(found)) + 1))
    return gain / ideal if ideal else 0.0


def recall(found: Sequence[int], depth: int = DEPTH) -> float:
    """Compute the share of targets that are hit within the first `depth` answers."""
    return sum(0 < rank <= depth for rank in found) / len(found) if found else 0.0


def depth_of_budget(characters: Iterable[int], tokens: int) -> int:
    """Count how many of the first texts of these lengths fit whole into a budget, at four characters a token."""
    return sum(total <= tokens * CHARACTERS_PER_TOKEN for total in accumulate(characters))


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Compute the median and the 95th percentile; a single value is both."""
    if len(values) < 2:
        return (values[0], values[0]) if values else (0.0, 0.0)
    cuts = quantiles(values, n=20, method="inclusive")
    return cuts[9], cuts[18]


def mean(values: Sequence[float]) -> float:
    """Compute the mean, 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _same_file(one: str, other: str) -> bool:
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return longer == shorter or longer.endswith(f"/{shorter}")
