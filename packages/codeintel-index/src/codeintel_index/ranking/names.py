"""Comparing words of a query with the words of a file's name: the same stem, or the same beginning.

Beginnings make tables of abbreviations and of endings unnecessary: auth and authentication, err and error, config and
configuration, recoverer and recovery.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import takewhile
from operator import eq

from codeintel_index.tokens import fold, tokens

SHORTEST = 3  # letters that two words must begin with alike: all of the shorter one, or the share below of the longer
SHARED = 0.7


@lru_cache(maxsize=50_000)
def stem_of(path: str) -> tuple[str, ...]:
    """The terms of a file's name up to its first dot; the first is the whole, the others its parts, if it has any."""
    name = path.rpartition("/")[2]
    return tuple(dict.fromkeys(tokens(name.partition(".")[0] or name)))


def likeness(name: tuple[str, ...], wanted: Mapping[str, float], near: float) -> float:
    """How much of what is wanted (term → how much it tells) the name says, 0..1; less if it says other things too."""
    total, got = sum(wanted.values()), 0.0
    met: set[str] = set()
    for term, rarity in wanted.items():
        alike, part = max(((_alike(term, each, near), each) for each in name), default=(0.0, ""))
        if alike > 0:
            got += rarity * alike
            met.add(part)
    if not met or total <= 0:
        return 0.0
    parts = name[1:] or name
    share = 1.0 if name[0] in met else sum(each in met for each in parts) / len(parts)
    return got / total * float(share**0.5)


@lru_cache(maxsize=100_000)
def _alike(term: str, part: str, near: float) -> float:
    one, other = fold(term), fold(part)
    if one == other:
        return 1.0
    alike = sum(1 for _ in takewhile(bool, map(eq, one, other)))
    begins = alike == min(len(one), len(other)) or alike >= SHARED * max(len(one), len(other))
    return near if alike >= SHORTEST and begins else 0.0
