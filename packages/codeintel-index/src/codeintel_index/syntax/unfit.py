"""What ended a process that parsed it, or took too much memory or time of one, is never given to a grammar again.

Digests of contents, for the life of this process; the index keeps them for the next one.
"""

from hashlib import sha256

_DIGESTS: set[str] = set()


def give_up(data: bytes) -> None:
    """Remember contents as unfit."""
    _DIGESTS.add(sha256(data).hexdigest())


def is_unfit(data: bytes) -> bool:
    """Whether contents were given up."""
    return bool(_DIGESTS) and sha256(data).hexdigest() in _DIGESTS


def load(line: str) -> None:
    """Add what a process before this one gave up."""
    _DIGESTS.update(line.split())


def forget() -> None:
    """Give everything another chance."""
    _DIGESTS.clear()


def dump() -> str:
    """Return all that was given up, as `load` reads it."""
    return " ".join(sorted(_DIGESTS))
