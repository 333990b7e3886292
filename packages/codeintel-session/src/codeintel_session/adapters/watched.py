"""Files as this process wrote them last, so that a change made behind its back is noticed.

The time of the last change of a file cannot be set back without touching the clock, so a file whose marks are the same
is not read again; one whose marks differ is compared by its content, because copying or linking a file is no change.
"""

import hashlib
from pathlib import Path

Marks = tuple[int, int, int]


def _marks(path: Path) -> Marks | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_ctime_ns


class Written:
    """One file that is written whole."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._digest = b""
        self._marks: Marks | None = None

    def wrote(self, path: Path, data: bytes) -> None:
        """This is what stands there from now on."""
        self._path, self._digest, self._marks = path, hashlib.sha256(data).digest(), _marks(path)

    def forget(self) -> None:
        """Nothing is expected to stand there any more."""
        self._path = None

    def was_changed(self) -> bool:
        """Whether the file is gone or holds something else."""
        if self._path is None or _marks(self._path) == self._marks:
            return False
        try:
            return hashlib.sha256(self._path.read_bytes()).digest() != self._digest
        except OSError:
            return True


class Grown:
    """One file that only grows: what was there once must stay. Others may add to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = 0
        self._hash = hashlib.sha256()
        self._seen: Marks | None = None

    def mark(self) -> str:
        """Size and digest of what was there at the last look, as one word."""
        return f"{self._size}:{self._hash.hexdigest()[:32]}"

    def wrote(self, data: bytes) -> None:
        """These bytes were added by this process, directly after the last look."""
        self._size += len(data)
        self._hash.update(data)
        found = _marks(self._path)
        self._seen = found if found and found[1] == self._size else None

    def look(self) -> bool:
        """Whether all that was there is still there; from now on what is there now is expected."""
        found = _marks(self._path)
        if found is not None and found == self._seen:
            return True
        before, size = self._hash.hexdigest(), self._size
        data = self._path.read_bytes() if found else b""
        stands = hashlib.sha256(data[:size]).hexdigest() == before
        self._hash, self._size, self._seen = hashlib.sha256(data), len(data), found
        return stands

    def holds(self, mark: str) -> bool:
        """Whether a mark of an earlier process still stands."""
        size, _, digest = mark.partition(":")
        if not size.isdecimal():
            return False
        data = self._path.read_bytes() if self._path.is_file() else b""
        return len(data) >= int(size) and hashlib.sha256(data[: int(size)]).hexdigest()[:32] == digest
