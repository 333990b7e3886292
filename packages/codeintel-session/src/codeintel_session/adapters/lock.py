"""One project, one session: a lock the kernel frees when its holder dies, however it dies."""

import json
import os
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from codeintel_contract.violations import ContractViolation

LOCK = "session.lock"


def is_taken(folder: Path) -> bool:
    """Whether a process holds the lock of the sessions in `folder`: it is taken for a moment to find out."""
    if not (folder / LOCK).is_file():
        return False
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


class SessionLock:
    """The lock of one project. The file stays; only the kernel's lock on it means anything."""

    def __init__(self, folder: Path) -> None:
        self._holder = folder / "session.holder.json"
        # A session outlives the call, and so the worker thread, that started it.
        self._path = folder / LOCK
        self._lock = FileLock(self._path, thread_local=False)
        self._inode = 0

    @property
    def held(self) -> bool:
        """True while this process holds it."""
        return bool(self._lock.is_locked)

    def acquire(self, since: str) -> None:
        """Take the lock.

        Raises:
            ContractViolation: `session_active`, with the other process and its start, if it is taken.
        """
        if self.held:
            return
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            holder = self._read_holder()
            raise ContractViolation("tool_errors.start_session.session_active", **holder) from None
        self._inode = _inode(self._path)
        self._holder.write_text(json.dumps({"pid": os.getpid(), "since": since}), encoding="utf-8")

    def retake(self, since: str) -> bool:
        """Take the lock anew if its file was removed, so that another process could lock a new one. True if it was.

        Raises:
            ContractViolation: `session_active`, if another process has it by now.
        """
        if self.held and _inode(self._path) == self._inode:
            return False
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._lock.release()
        self.acquire(since)
        return True

    def _read_holder(self) -> dict[str, Any]:
        try:
            found = json.loads(self._holder.read_text(encoding="utf-8"))
            return {"pid": found["pid"], "since": found["since"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {"pid": "unknown", "since": "unknown"}

    def release(self) -> None:
        """Free the lock; does nothing if it is not held."""
        if self.held:
            self._lock.release()


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
