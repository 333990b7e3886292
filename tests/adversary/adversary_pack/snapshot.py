"""A folder's files as they stand, to be put back after a cheat: content, mode, links, and what was not there.

What the running server and its children own (index, locks, sessions, logs) is left alone: it would rightly take a
restored file for tampering.
"""

import os
import shutil
from pathlib import Path

_SERVERS = ("index", "chroma", "looking", "parsing", "vectors", "sessions", "logs", "agreements")
_Entry = tuple[str, bytes, int]


def _is_servers(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    return parts[0] == ".code-intel" and len(parts) > 1 and parts[1].startswith(_SERVERS)


class Snapshot:
    """Every file and link below a root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = dict(self._walk())

    def _walk(self) -> "list[tuple[Path, _Entry]]":
        found: list[tuple[Path, _Entry]] = []
        for folder, folders, names in os.walk(self.root):
            here = Path(folder)
            folders[:] = [name for name in folders if not _is_servers(here / name, self.root)]
            links = [name for name in folders if (here / name).is_symlink()]
            paths = (here / name for name in [*names, *links])
            found += [(path, _entry(path)) for path in paths if not _is_servers(path, self.root)]
        return found

    def restore(self) -> None:
        """Put everything back as it was."""
        now = dict(self._walk())
        objects = self.root / ".git" / "objects"  # git keeps those that nothing needs any more for two weeks
        for path in set(now) - set(self.files):
            if objects not in path.parents:
                path.unlink()
        for path, entry in self.files.items():
            if now.get(path) != entry:
                _write(path, entry)
        for folder, _, _ in os.walk(self.root, topdown=False):
            here = Path(folder)
            kept = any(here == path.parent or here in path.parents for path in self.files)
            if not kept and not os.listdir(here) and not _is_servers(here, self.root):
                here.rmdir()


def _entry(path: Path) -> _Entry:
    if path.is_symlink():
        return "link", os.fsencode(os.readlink(path)), 0
    return "file", path.read_bytes() if path.is_file() else b"", path.lstat().st_mode


def _write(path: Path, entry: _Entry) -> None:
    kind, data, mode = entry
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        os.symlink(os.fsdecode(data), path)
        return
    path.write_bytes(data)
    path.chmod(mode & 0o7777)
