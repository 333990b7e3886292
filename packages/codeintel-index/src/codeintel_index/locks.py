"""Who may write. One lock file for the rows, two for the vectors (who looks after them; who, having found them whole,
puts some in), one for those who ask whether a lock is held; freed by the system when their holder dies.

The files are never deleted and their existence means nothing: only the lock on them does.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import filelock

from codeintel_index.errors import IndexBusy, IndexUnwritable

ROWS = "index.lock"
VECTORS = "vectors.lock"
FILLING = "filling.lock"
AGREEMENTS = "agreements.lock"
LOOKING = "looking.lock"
WRITTEN = ("", "index.db", "chroma", "agreements", ROWS, VECTORS, FILLING, AGREEMENTS, LOOKING)
LOOKING_S = 2.0
LOOK_UP_S = 0.2  # how often a waiting writer looks whether it is still wanted


@contextlib.contextmanager
def held(data_dir: Path, name: str, seconds: float, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold a lock of the data folder; raises IndexBusy when it is not free within `seconds`, or once `stopped()`."""
    lock = filelock.FileLock(data_dir / name)
    until = time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        try:
            lock.acquire(timeout=max(0.0, min(LOOK_UP_S, left)))
            break
        except filelock.Timeout as error:
            if left <= LOOK_UP_S or stopped():
                raise IndexBusy(seconds) from error
    try:
        yield
    finally:
        lock.release()


def is_held(data_dir: Path, name: str) -> bool:
    """Whether somebody holds the lock now. One asks at a time: who asks holds the lock himself for a moment."""
    if not (data_dir / name).exists():
        return False
    try:
        with held(data_dir, LOOKING, LOOKING_S), held(data_dir, name, 0):
            return False
    except IndexBusy:
        return True
    except PermissionError:  # somebody else's folder: whoever writes to it cannot be told
        return False


def make_data_dir(data_dir: Path) -> None:
    """Create the data folder. One that the index made itself hides from git; one that was there is left as it is.

    Raises IndexUnwritable for a link in the place of what is written: it may have come with the repository, and lead
    to any file of the user's.
    """
    for place in (data_dir / name for name in WRITTEN):
        if place.is_symlink():
            raise IndexUnwritable(f"{data_dir.name}/{place.name} is a link" if place != data_dir else "it is a link")
    if data_dir.is_dir():
        return
    data_dir.mkdir(parents=True, exist_ok=True)
    ignore = data_dir / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
