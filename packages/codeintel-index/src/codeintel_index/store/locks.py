"""Who may write: one lock file for the rows, one for vectors that are made later, one for the folder of Chroma, one for
checking whether a lock is held.

The system frees a lock when its holder dies. The files are never deleted and their existence means nothing: only the
lock on them does.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from codeintel_index.errors import IndexBusy, IndexUnwritable

ROWS = "index.lock"
VECTORS = "vectors.lock"
FOLDER = "chroma.lock"
AGREEMENTS = "agreements.lock"
LOOKING = "looking.lock"
PARSING = "parsing.lock"
"""No lock: it lies there while the process that writes rows parses files itself, and stays if that ends the process."""
WRITTEN = ("", "index.db", "chroma", "agreements", ROWS, VECTORS, FOLDER, AGREEMENTS, LOOKING, PARSING)
LOOKING_S = 2.0
LOOK_UP_S = 0.2  # how often a waiting writer checks whether it is still wanted


@contextlib.contextmanager
def hold(data_dir: Path, name: str, seconds: float, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold a lock of the data folder; raises IndexBusy when it is not free within `seconds`, or once `stopped()`."""
    import filelock  # late: a tenth of the time that opening an index takes, and readers take no lock

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
    """Whether a lock is held now. One check at a time: checking holds the lock for a moment."""
    if not (data_dir / name).exists():
        return False
    try:
        with hold(data_dir, LOOKING, LOOKING_S), hold(data_dir, name, 0):
            return False
    except IndexBusy:
        return True
    except PermissionError:  # a folder of another user: whether it is being written to cannot be known
        return False


def make_data_dir(data_dir: Path) -> None:
    """Create the data folder. One that the index makes hides from git; an existing one is left as it is.

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
