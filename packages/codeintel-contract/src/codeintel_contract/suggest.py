"""Find the known word nearest to a misspelled one, so that an error can suggest what was meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `, did you mean 'x'?` for the known name nearest to `name`, or nothing if none is near."""
    close = difflib.get_close_matches(name[:80], [str(word) for word in known], n=1)
    return f", did you mean {close[0]!r}?" if close else ""
