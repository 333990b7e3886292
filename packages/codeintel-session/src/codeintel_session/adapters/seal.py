"""A seal on checkpoints: a keyed digest whose key lies in the user's state folder, outside every project.

A plain digest tells damage from health; whoever edits the file can make a new one. The seal tells who wrote it. A
project may come from another machine or a backup, so an unknown seal is no proof of anything: it is said, not refused.
Refused is what claims to be sealed here and is not. See docs/adr/0005-checkpoints-are-sealed.md.
"""

import contextlib
import hashlib
import hmac
import os
import secrets
import shutil
import tempfile
from enum import Enum
from pathlib import Path

KEY = "checkpoint.key"
SEALED = "sealed"
KEY_BYTES = 32
MOST_MARKS = 500
"""Sessions remembered as sealed here; the oldest are forgotten first."""


class Origin(Enum):
    """Where a checkpoint comes from."""

    OURS = "sealed on this machine, and whole"
    FORGED = "sealed on this machine, and changed since"
    UNKNOWN = "not sealed on this machine"


class Seal:
    """The seal of one user on one machine. `folder` is made with the first; where it cannot be, nothing is sealed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = b""
        self._remembered = ""

    def stamp(self, session_id: str, data: bytes) -> dict[str, str]:
        """The seal on some data; empty if there is no key and none can be made."""
        try:
            self._key = self._key or self._read() or self._made()
            if session_id != self._remembered:
                self._remember(session_id)
        except OSError:  # a home that cannot be written to: the digest must do
            return {}
        return {"key": _name(self._key), "mac": _mac(self._key, data)}

    def origin(self, session_id: str, stamp: object, data: bytes) -> Origin:
        """Where data with this seal comes from."""
        key = self._read()
        given = stamp if isinstance(stamp, dict) else {}
        if key and given.get("key") == _name(key):
            whole = hmac.compare_digest(str(given.get("mac", "")).encode(), _mac(key, data).encode())
            return Origin.OURS if whole else Origin.FORGED
        return Origin.FORGED if key and self._mark(session_id).exists() else Origin.UNKNOWN

    def forget(self, session_id: str) -> None:
        """A session has ended: nothing of it is to be resumed."""
        with contextlib.suppress(OSError):
            self._mark(session_id).unlink(missing_ok=True)

    def _mark(self, session_id: str) -> Path:
        return self._folder / SEALED / hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def _remember(self, session_id: str) -> None:
        mark = self._mark(session_id)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(mode=0o600)
        known = sorted(mark.parent.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for old in known[MOST_MARKS:]:
            old.unlink(missing_ok=True)
        self._remembered = session_id

    def _read(self) -> bytes:
        try:
            found = (self._folder / KEY).read_bytes()
        except OSError:
            return b""
        return found if len(found) == KEY_BYTES else b""

    def _made(self) -> bytes:
        """A new key. Of two processes that make one at once, both get the one that was there first."""
        self._folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self._folder / SEALED, ignore_errors=True)  # what another key sealed cannot be told any more
        (self._folder / KEY).unlink(missing_ok=True)  # it was damaged
        handle, name = tempfile.mkstemp(prefix=f".{KEY}.", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
            with contextlib.suppress(FileExistsError):
                os.link(name, self._folder / KEY)
        finally:
            os.unlink(name)
        found = self._read()
        if not found:
            raise OSError("the key cannot be kept")
        return found


def _name(key: bytes) -> str:
    return hashlib.sha256(b"codeintel checkpoint key" + key).hexdigest()[:16]


def _mac(key: bytes, data: bytes) -> str:
    return hmac.new(key, data, hashlib.sha256).hexdigest()
