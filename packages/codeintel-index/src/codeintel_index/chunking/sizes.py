"""The size of a run of lines in tokens, estimated at four characters a token, line breaks counted."""

from collections.abc import Iterable
from itertools import accumulate

CHARACTERS_PER_TOKEN = 4


class Sizes:
    """Sizes of all runs of lines of one file, by prefix sums: any question costs the same."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._before = [0, *accumulate(len(line) + 1 for line in lines)]

    def tokens(self, start: int, end: int) -> int:
        """Estimated tokens of the lines `start` to `end`, 1-based and inclusive; none past the last line."""
        last = len(self._before) - 1
        return -(-(self._before[min(end, last)] - self._before[min(start - 1, last)]) // CHARACTERS_PER_TOKEN)
