"""One project, one session: a lock that the kernel releases when its holder dies, however it dies."""

import json
import os
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from codeintel_contract import ContractViolation, read_file

LOCK = "session.lock"
MAX_HOLDER = 10_000


def is_session_running(folder: Path) -> bool:
    """Return True if a process holds the lock of the sessions in `folder`, by acquiring it for a moment."""
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
    """The lock of one project. The file stays; only the kernel's lock on it counts.

    `work_tree` is a folder for the lock that all projects of a work tree share, where there may be several: they would
    switch each other's branch.
    """

    def __init__(self, folder: Path, work_tree: Path | None = None) -> None:
        self._shared = SessionLock(work_tree) if work_tree else None
        self._holder = folder / "session.holder.json"
        # A session outlives the call that started it, and so the worker thread of that call.
        self._path = folder / LOCK
        self._lock = FileLock(self._path, thread_local=False)
        self._inode = 0

    @property
    def held(self) -> bool:
        """True while this process holds the lock."""
        return bool(self._lock.is_locked)

    def acquire(self, since: str) -> None:
        """Acquire the lock.

        Raises ContractViolation: `session_active`, with the id and start of the process that holds it.
        """
        if self.held:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            holder = self._read_holder()
            raise ContractViolation("tool_errors.start_session.session_active", **holder) from None
        self._inode = _inode(self._path)
        self._holder.write_text(json.dumps({"pid": os.getpid(), "since": since}), encoding="utf-8")
        if self._shared is not None:
            self._acquire_shared(self._shared, since)

    def _acquire_shared(self, shared: "SessionLock", since: str) -> None:
        try:
            shared.acquire(since)
        except ContractViolation as violation:
            self.release()
            raise ContractViolation("tool_errors.start_session.work_tree_busy", **violation.values) from None

    def retake(self, since: str) -> bool:
        """Acquire the lock again and return True if its file was removed: another process could lock a new file.

        Raises ContractViolation: `session_active`, if another process holds it by now.
        """
        if self.held and _inode(self._path) == self._inode:
            return False
        self._lock.release()
        self.acquire(since)
        return True

    def _read_holder(self) -> dict[str, Any]:
        try:
            found = json.loads(read_file(self._holder.parent, self._holder, MAX_HOLDER))
            return {"pid": found["pid"], "since": found["since"]}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {"pid": "unknown", "since": "unknown"}

    def release(self) -> None:
        """Release the lock; does nothing if it is not held."""
        if self.held:
            self._lock.release()
        if self._shared is not None:
            self._shared.release()


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
