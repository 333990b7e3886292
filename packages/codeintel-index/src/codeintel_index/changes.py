"""What differs between the disk and the index, found by stat calls; content is read only where they leave a doubt.

A stat triple proves nothing for a file that was written within two seconds of being hashed (it may have been written
again within the clock's grain): such files are hashed once more, as git does. So are files that could not be read.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codeintel_index.store.prepared import UNREADABLE, FileStat
from codeintel_index.store.reader import FileRow

RACY_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Changes:
    """Files to look at again and files that are gone. `suspects` are known files whose stat triple has changed."""

    added: tuple[FileStat, ...]
    suspects: tuple[FileStat, ...]
    deleted: tuple[str, ...]
    unchanged: int

    def __len__(self) -> int:
        return len(self.added) + len(self.suspects) + len(self.deleted)


def find_changes(
    root: Path, disk: Mapping[str, FileStat], known: Mapping[str, FileRow], force: bool = False
) -> Changes:
    """Compare the files on disk with those on record; `force` suspects all of them."""
    added = tuple(stat for path, stat in disk.items() if path not in known)
    suspects = tuple(
        stat for path, stat in disk.items() if path in known and (force or _differs(root, stat, known[path]))
    )
    deleted = tuple(path for path in known if path not in disk)
    return Changes(added, suspects, deleted, len(disk) - len(added) - len(suspects))


def _differs(root: Path, stat: FileStat, row: FileRow) -> bool:
    if (stat.changed_ns, stat.size, stat.inode) != (row.changed_ns, row.size, row.inode):
        return True
    if stat.changed_ns < row.hashed_at - RACY_NS:
        return False
    try:
        return hashlib.sha256((root / stat.path).read_bytes()).digest() != row.digest
    except OSError:
        return row.skipped != UNREADABLE
