"""The nearest known word to a misspelt one, so that every refusal of a name can say what was meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`, did you mean 'x'?` for the known name nearest to `name`, or nothing where none is near."""
    close = difflib.get_close_matches(name[:80], [str(word) for word in known], n=1)
    return f", did you mean {close[0]!r}?" if close else ""
