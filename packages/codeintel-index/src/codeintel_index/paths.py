"""Every path that comes from outside passes `confine`, and what it returns is inside the project or it raises.

The check is made on the path with all links resolved, so a link that leads out is outside. Results are relative with
`/`, in the spelling the file system resolves them to. What is read here has no secrets in it any more.
"""

import codecs
import re
import stat
from pathlib import Path

from codeintel_index.errors import NotAFile, PathOutsideProject
from codeintel_index.project_file import FileRefused, read_file
from codeintel_index.text.redaction import blanked, is_private, masked

MAX_BYTES = 1_000_000
BINARY_PROBE = 8192
STRAY_NULS = 256  # one in so many bytes may be a NUL in text
_FOREIGN = re.compile(r"^(?:\\\\|//[^/]|[A-Za-z]:[\\/])")


def confine(root: Path, path: str) -> str:
    """`path` (absolute or relative to `root`) as a relative path inside `root`; "" is the root itself.

    Raises PathOutsideProject for NUL, `..` that leaves, links that lead out, UNC and drive paths of elsewhere, and
    NotAFile for names that no file can have, and for devices, pipes and sockets: reading one may never end.
    """
    if "\0" in path:
        raise PathOutsideProject(path)
    try:
        resolved = (root / path).resolve()
    except (OSError, RuntimeError) as error:  # a loop of links, or a name longer than the system allows
        raise PathOutsideProject(path) from error
    except UnicodeEncodeError as error:
        raise NotAFile(path.encode("utf-8", "backslashreplace").decode(), "half a character in a name") from error
    if not resolved.is_relative_to(root):
        raise PathOutsideProject(path)
    relative = resolved.relative_to(root).as_posix()
    if _FOREIGN.match(path) and not Path(path).is_absolute():
        raise PathOutsideProject(path)
    _check_possible(resolved, path)
    return "" if relative == "." else relative


def _check_possible(place: Path, path: str) -> None:
    """Refuse what no file can be called (a name that is too long, a loop) and what is neither a file nor a folder.

    What is missing may still be asked about.
    """
    try:
        mode = place.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    except OSError as error:
        raise NotAFile(path[:200], error.strerror or str(error)) from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise NotAFile(path, "neither a file nor a folder")


def read_source(root: Path, path: str) -> tuple[str, bytes]:
    """The relative path and the bytes of a text file inside the project, secrets in it masked.

    A file that holds secrets by its name keeps nothing but the number of its lines.
    Raises PathOutsideProject, or NotAFile for what is missing, a folder, a device, above 1 MB or binary.
    """
    relative = confine(root, path)
    try:
        data = read_file(root, relative, MAX_BYTES)
    except FileNotFoundError as error:
        raise NotAFile(path) from error
    except FileRefused as error:
        raise NotAFile(path, "a folder, not a file" if (root / relative).is_dir() else str(error.strerror)) from error
    if is_binary(data):
        raise NotAFile(path, "a binary file")
    return relative, blanked(data) if is_private(relative) else masked(data)


def is_binary(data: bytes) -> bool:
    """Whether the first 8 kB hold a NUL, git's own rule of thumb; source with a stray one in it stays text."""
    probe = data[:BINARY_PROBE]
    count = probe.count(0)
    if not count:
        return False
    if count > len(probe) // STRAY_NULS:
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(probe)
    except UnicodeDecodeError:
        return True
    return False
