"""Reading one file of a project that nobody has vetted: the only place that opens one.

A clone may hold a link to /dev/zero, a pipe that never answers or a file of 20 GB under any name that is read. So a
file is resolved, opened without waiting, looked at through its own handle, and read only if it is a regular file inside
the project and within the limit. This text is in codeintel_contract and in codeintel_index, which must not import
each other; a test holds the two together (docs/adr/0013).
"""

import errno
import os
import stat
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader

# Of a pipe the answer comes at once, and a link put in the place of the resolved name is not followed.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):  # Windows has the last one alone
    _FLAGS |= getattr(os, _name, 0)
NOT_REGULAR = "is not a regular file"


class FileRefused(OSError):
    """A file that is not read; `strerror` says why, to be put behind its name."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EACCES, why, str(path))


def read_file(root: Path | None, path: Path | str, limit: int, *, whole: bool = True) -> bytes:
    """Read a regular file of at most `limit` bytes; of a longer one the first `limit` bytes if not `whole`.

    `path` counts from `root` and has to lie below it once links are followed. Without a root any place will do: a file
    that the user named.

    Raises:
        FileNotFoundError: there is nothing.
        FileRefused: it leads out of the project, is not a regular file, is larger than the limit, or cannot be read.
    """
    with open_file(root, path, limit if whole else None) as file:
        data = _read(file.fileno(), limit + 1)
    if whole and len(data) > limit:
        raise FileRefused(path, f"is larger than {limit} bytes")
    return data[:limit]


def open_file(root: Path | None, path: Path | str, limit: int | None) -> "BufferedReader":
    """Open a regular file for reading as a stream, as `read_file` does; `limit` None opens one of any size.

    Raises what `read_file` raises.
    """
    place = _resolved(root, path)
    try:
        file = os.fdopen(os.open(place, _FLAGS), "rb")
        info = os.fstat(file.fileno())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(errno.ENOENT, "there is no such file", str(path)) from error
    except OSError as error:  # a socket gives ENXIO, on Windows a folder EACCES
        special = error.errno in (errno.ENXIO, errno.EISDIR) or os.path.isdir(place)
        raise FileRefused(path, NOT_REGULAR if special else f"cannot be read: {error.strerror}") from error
    is_regular = stat.S_ISREG(info.st_mode)
    if is_regular and (limit is None or info.st_size <= limit):
        return file
    file.close()
    raise FileRefused(path, f"is larger than {limit} bytes" if is_regular else NOT_REGULAR)


def _resolved(root: Path | None, path: Path | str) -> str:
    try:
        place = os.path.realpath(path if root is None else os.path.join(root, path))
        inside = root is None or os.path.commonpath([base := os.path.realpath(root), place]) == base
    except ValueError as error:  # NUL or half a character in the name, another drive
        raise FileRefused(path, "is not a path of the project") from error
    if not inside:
        raise FileRefused(path, "leads out of the project")
    return place


def _read(handle: int, most: int) -> bytes:
    """Read up to `most` bytes: a single call may return fewer than there are."""
    parts: list[bytes] = []
    while most > 0 and (part := os.read(handle, min(most, 1 << 20))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
