"""Write a file so that a crash leaves the old content or the new, never a part of either."""

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock


def change_atomically(path: Path, change: Callable[[], bytes]) -> None:
    """Write what `change` makes of the present content. Processes that do so at once wait for each other, so that each
    reads what the one before wrote."""
    with FileLock(path.with_name(f".{path.name}.lock")):
        write_atomically(path, change())


def write_atomically(path: Path, data: bytes) -> None:
    """Write a temporary file, fsync it, rename it, fsync the directory; the file gets mode 0600."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:  # an interrupt too leaves no half-written file behind
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
