"""What stands in the work tree at a path, looked at without following links.

A path below a link to a directory does not stand there: git sees it as deleted, and following it would leave the
repository.
"""

import hashlib
import os
import stat
from pathlib import Path, PurePosixPath

GONE = "deleted"
UNREADABLE = "unreadable"


def stands(root: Path, path: str) -> bool:
    """Say whether anything (a file, a link, even a directory) stands at the path itself."""
    parents = list(PurePosixPath(path).parents)[:-1]
    if any((root / parent).is_symlink() for parent in parents):
        return False
    return os.path.lexists(root / path)


def is_folder(root: Path, path: str) -> bool:
    """Say whether a real directory stands at the path."""
    return stands(root, path) and not (root / path).is_symlink() and (root / path).is_dir()


def is_repository(root: Path, path: str) -> bool:
    """Say whether a repository of its own (a submodule or a clone) stands at the path."""
    return is_folder(root, path) and os.path.lexists(root / path / ".git")


def is_inside_repository(root: Path, path: str) -> bool:
    """Say whether a path lies below a repository of its own."""
    return any(is_repository(root, str(parent)) for parent in list(PurePosixPath(path).parents)[:-1])


def is_readable(root: Path, path: str) -> bool:
    """Say whether git will be able to read the path (a link is read without its target)."""
    return (root / path).is_symlink() or os.access(root / path, os.R_OK)


def digest(root: Path, path: str) -> str:
    """Digest content and mode of a file or link; a missing one is `deleted`."""
    if not stands(root, path):
        return GONE
    here = root / path
    mode = here.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "link:" + hashlib.sha256(os.fsencode(os.readlink(here))).hexdigest()
    if not stat.S_ISREG(mode):
        return GONE if stat.S_ISDIR(mode) else f"special:{stat.S_IFMT(mode):o}"
    if not is_readable(root, path):
        return UNREADABLE
    with here.open("rb") as source:
        found = hashlib.file_digest(source, "sha256").hexdigest()
    return ("program:" if mode & stat.S_IXUSR else "file:") + found


def line_count(root: Path, path: str) -> int:
    """Count the lines of a file as git counts them; a link is one line, a missing file none."""
    if not stands(root, path) or is_folder(root, path):
        return 0
    here = root / path
    if here.is_symlink():
        return 1
    count, last = 0, b"\n"
    with here.open("rb") as source:
        while block := source.read(1 << 20):
            count += block.count(b"\n")
            last = block[-1:]
    return count + (last != b"\n")
