"""Snapshots of files as this process last wrote them, to detect changes made by others.

The ctime of a file cannot be set back without changing the clock, so a file with the same marks is not read again; a
file with different marks is compared by its content, because copying or linking a file does not change it.
"""

import hashlib
from pathlib import Path

from codeintel_contract import read_file
from codeintel_session.git.content import Marks, marks

LOG_BYTES = 128 * 1024 * 1024
"""Size of a log that is read; of decisions, that is some ten thousand submissions."""


class FileSnapshot:
    """A file that is always written as a whole."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._digest = b""
        self._size = 0
        self._marks: Marks = None

    def wrote(self, path: Path, data: bytes) -> None:
        """Record what this process wrote."""
        self._path, self._digest, self._marks = path, hashlib.sha256(data).digest(), marks(path)
        self._size = len(data)

    def forget(self) -> None:
        """Stop expecting the file."""
        self._path = None

    def was_changed(self) -> bool:
        """Return True if the file is gone or has other content."""
        if self._path is None or marks(self._path) == self._marks:
            return False
        try:
            data = read_file(self._path.parent, self._path, self._size)
            return hashlib.sha256(data).digest() != self._digest
        except OSError:
            return True


class AppendOnlySnapshot:
    """A file that only grows: its content must stay, and others may add to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = 0
        self._hash = hashlib.sha256()
        self._checked: Marks = None

    def mark(self) -> str:
        """Return size and digest of the content at the last check, as one word."""
        return f"{self._size}:{self._hash.hexdigest()[:32]}"

    def appended(self, data: bytes) -> None:
        """Record bytes that this process appended directly after the last check."""
        self._size += len(data)
        self._hash.update(data)
        found = marks(self._path)
        self._checked = found if found and found[1] == self._size else None

    def is_intact(self) -> bool:
        """Return True if the file still begins with the content of the last check, and accept its present content."""
        found = marks(self._path)
        if found is not None and found == self._checked:
            return True
        before, size = self._hash.hexdigest(), self._size
        data = self._content()
        is_intact = hashlib.sha256(data[:size]).hexdigest() == before
        self._hash, self._size, self._checked = hashlib.sha256(data), len(data), found
        return is_intact

    def contains(self, mark: str) -> bool:
        """Return True if the file still begins with the content that a mark of an earlier process describes."""
        size, _, digest = mark.partition(":")
        if not size.isdecimal():
            return False
        data = self._content()
        return len(data) >= int(size) and hashlib.sha256(data[: int(size)]).hexdigest()[:32] == digest

    def _content(self) -> bytes:
        """The whole file; nothing of one that is missing, no regular file, or too large to have been written here."""
        try:
            return read_file(self._path.parent, self._path, LOG_BYTES)
        except OSError:
            return b""
