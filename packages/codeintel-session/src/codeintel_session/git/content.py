"""Inspect a path of the work tree without following links.

A path below a link to a directory does not exist here: git sees it as deleted, and following it would leave the
repository.
"""

import hashlib
import os
import re
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath

from codeintel_contract import folder_of, open_file
from codeintel_session.git.faults import GitFailed
from codeintel_session.git.process import GitProcess

_OF_ANOTHER_KIND = re.compile(r"\b[Oo]bject ([0-9a-f]{40,64}) (?:is )?(?:not )?a (?:tree|blob|commit|tag)\b")
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


Marks = tuple[int, int, int] | None


def marks(path: Path) -> Marks:
    """Return what shows that a file was written: inode, size and the time that no program can set; None if missing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_ctime_ns


def changed_at(root: Path, path: str) -> int:
    """Return when what is at a path was last changed, in ns, which no program can set; 0 if it is gone or empty."""
    place = root / path.rstrip("/")
    if not exists(root, path.rstrip("/")):
        return 0
    with suppress(OSError):
        found = os.lstat(place)
        if stat.S_ISDIR(found.st_mode):
            with os.scandir(place) as entries:
                return found.st_ctime_ns if any(entries) else 0
        return 0 if stat.S_ISREG(found.st_mode) and not found.st_size else found.st_ctime_ns
    return 0


def files_below(root: Path, folder: str, most: int) -> list[str] | None:
    """List the files of a folder and its folders, but of no repository; None if they are more than `most`."""
    found, left = list[str](), [folder.rstrip("/")]
    while left:
        with suppress(OSError), os.scandir(root / left.pop()) as entries:
            for entry in entries:
                path = os.path.relpath(entry.path, root)
                if not entry.is_dir(follow_symlinks=False):
                    found.append(path)
                elif entry.name != ".git":
                    left.append(path)
                if len(found) + len(left) > most:
                    return None
    return sorted(found)


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


def misnamed(git: GitProcess, base: str) -> list[str]:
    """List the ids of the objects that came since a commit and hold something else, which git does not look at.

    Files above 4 MB are left out: all of the others are held in memory.
    """
    listed = git.probe("rev-list", "--objects", "--filter=blob:limit=4m", "HEAD", f"^{base}")
    if wrong := _OF_ANOTHER_KIND.findall(listed.err):
        return list(dict.fromkeys(wrong))
    if listed.status != 0:  # of a partial clone objects may be missing, which says nothing
        raise GitFailed("rev-list", listed.status, listed.output)
    names = [line.split(" ")[0] for line in listed.text.splitlines()]
    told = git.read("cat-file", "--batch", stdin="".join(f"{name}\n" for name in names).encode()).out
    found, at = list[str](), 0
    for name in names:
        end = told.index(b"\n", at)
        _, kind, *rest = told[at:end].decode().split(" ")
        if not rest:  # it is missing
            found, at = [*found, name], end + 1
            continue
        size = rest[0]
        data = told[end + 1 : end + 1 + int(size)]
        at = end + int(size) + 2
        digest = hashlib.new("sha1" if len(name) == 40 else "sha256", f"{kind} {size}\0".encode() + data)
        found += [name] * (digest.hexdigest() != name)
    return found
