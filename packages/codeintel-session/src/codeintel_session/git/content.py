"""Inspect a path of the work tree without following links.

A path below a link to a directory does not exist here: git sees it as deleted, and following it would leave the
repository.
"""

import hashlib
import os
import stat
from pathlib import Path, PurePosixPath

from codeintel_contract import folder_of, open_file

GONE = "deleted"
UNREADABLE = "unreadable"


def exists(root: Path, path: str) -> bool:
    """Return True if there is anything (a file, a link, a directory) at the path itself."""
    folder = folder_of(path)
    while folder:
        if os.path.islink(f"{root}/{folder}"):
            return False
        folder = folder_of(folder)
    return os.path.lexists(f"{root}/{path}")


def is_filled(root: Path, path: str) -> bool:
    """Return True for a folder, a link, and a file that is not empty."""
    if not exists(root, path.rstrip("/")):
        return False
    found = os.lstat(root / path.rstrip("/"))
    return not stat.S_ISREG(found.st_mode) or found.st_size > 0


def is_folder(root: Path, path: str) -> bool:
    """Return True if the path is a real directory and no link to one."""
    return exists(root, path) and not (root / path).is_symlink() and (root / path).is_dir()


def is_repository(root: Path, path: str) -> bool:
    """Return True if the path is a nested repository (a submodule or a clone)."""
    return is_folder(root, path) and os.path.lexists(root / path / ".git")


def is_inside_repository(root: Path, path: str) -> bool:
    """Return True if the path lies below a nested repository."""
    return any(is_repository(root, str(parent)) for parent in list(PurePosixPath(path).parents)[:-1])


def is_readable(root: Path, path: str) -> bool:
    """Return True if git can read the path (it reads a link without its target)."""
    place = f"{root}/{path}"  # a Path takes as long as the calls
    return os.access(place, os.R_OK) or os.path.islink(place)


def digest(root: Path, path: str) -> str:
    """Return a digest of the content and mode of a file or link; `deleted` for a missing one."""
    if not exists(root, path):
        return GONE
    here = root / path
    mode = here.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "link:" + hashlib.sha256(os.fsencode(os.readlink(here))).hexdigest()
    if not stat.S_ISREG(mode):
        return GONE if stat.S_ISDIR(mode) else f"special:{stat.S_IFMT(mode):o}"
    if not is_readable(root, path):
        return UNREADABLE
    with open_file(root, here, None) as source:
        found = hashlib.file_digest(source, "sha256").hexdigest()
    return ("program:" if mode & stat.S_IXUSR else "file:") + found
