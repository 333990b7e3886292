"""Comparing words of a query with the words of a file's name: equal, the same stem, or one the beginning of the other.

Beginnings make a table of abbreviations unnecessary: auth and authentication, config and configuration, param and
parameters, err and error.
"""

from collections.abc import Mapping
from functools import lru_cache

from codeintel_index.tokens import fold, tokens

SHORTEST = 3  # letters that the shorter of two words must have to count as the beginning of the other
SURE = 4  # below so many letters it counts half


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


def _alike(term: str, part: str, near: float) -> float:
    if term == part or fold(term) == fold(part):
        return 1.0
    shorter, longer = sorted((term, part), key=len)
    if len(shorter) < SHORTEST or not longer.startswith(shorter):
        return 0.0
    return near if len(shorter) >= SURE else near / 2
