"""The seal of checkpoints: a keyed digest whose key lies in the user's state folder, outside every project.

A plain digest detects damage, but anybody who edits the file can compute a new one; the seal proves who wrote it. A
project may come from another machine or a backup, so a checkpoint with an unknown seal is used and reported. A
checkpoint of a session that was sealed here is refused without a valid seal. See
docs/adr/0005-checkpoints-are-sealed.md.
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
"""Number of sessions remembered as sealed here; the oldest are forgotten first."""


class Origin(Enum):
    """Where a checkpoint comes from."""

    OURS = "sealed on this machine, and intact"
    FORGED = "sealed on this machine, and modified since"
    UNKNOWN = "not sealed on this machine"


class Seal:
    """The seal of one user on one machine. `folder` is created with the first stamp; without it, nothing is sealed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = b""
        self._remembered = ""

    def stamp(self, session_id: str, data: bytes) -> dict[str, str]:
        """Return the seal of some data; empty if there is no key and none can be created."""
        try:
            self._key = self._key or self._read() or self._create_key()
            if session_id != self._remembered:
                self._remember(session_id)
        except OSError:  # the home folder cannot be written to: the digest has to suffice
            return {}
        return {"key": _name(self._key), "mac": _mac(self._key, data)}

    def origin(self, session_id: str, stamp: object, data: bytes) -> Origin:
        """Return the origin of data with this seal."""
        key = self._read()
        seal = stamp if isinstance(stamp, dict) else {}
        if key and seal.get("key") == _name(key):
            is_valid = hmac.compare_digest(str(seal.get("mac", "")).encode(), _mac(key, data).encode())
            return Origin.OURS if is_valid else Origin.FORGED
        return Origin.FORGED if key and self._mark(session_id).exists() else Origin.UNKNOWN

    def forget(self, session_id: str) -> None:
        """Forget a session that has ended and cannot be resumed."""
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
            key = (self._folder / KEY).read_bytes()
        except OSError:
            return b""
        return key if len(key) == KEY_BYTES else b""

    def _create_key(self) -> bytes:
        """Create a key and return it. Two processes that do this at once both get the one that was written first."""
        self._folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self._folder / SEALED, ignore_errors=True)  # seals of another key can no longer be checked
        (self._folder / KEY).unlink(missing_ok=True)  # an existing key was damaged
        handle, name = tempfile.mkstemp(prefix=f".{KEY}.", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
            with contextlib.suppress(FileExistsError):
                os.link(name, self._folder / KEY)
        finally:
            os.unlink(name)
        key = self._read()
        if not key:
            raise OSError("the key cannot be stored")
        return key


def _name(key: bytes) -> str:
    return hashlib.sha256(b"codeintel checkpoint key" + key).hexdigest()[:16]


def _mac(key: bytes, data: bytes) -> str:
    return hmac.new(key, data, hashlib.sha256).hexdigest()
