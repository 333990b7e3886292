"""Which files are the project's, and which of them are indexed. Nobody else lists or filters files.

Listed: what git (or ripgrep) lists and exclude_patterns leave in. Indexed: of these the regular files up to 1 MB inside
source_dirs that are not secrets; links are never followed, so nothing outside the root is ever read.
"""

import os
import re
import stat as statbits
from functools import cached_property
from pathlib import Path

import pathspec

from codeintel_index.config import DATA_DIR, IndexConfig
from codeintel_index.paths import MAX_BYTES
from codeintel_index.store.rows import FileStat
from codeintel_index.text.redaction import is_private
from codeintel_index.tools.listing import list_files


class Files:
    """The files of one project. Stateless but for compiled patterns: every call looks at the disk."""

    def __init__(self, root: Path, config: IndexConfig) -> None:
        self.root = root
        self._config = config

    @cached_property
    def _out(self) -> "re.Pattern[str] | pathspec.GitIgnoreSpec | None":
        """The exclude patterns: one regular expression where possible, since a spec is several times slower."""
        lines = list(self._config.exclude_patterns)
        data_dir = self._config.data_dir
        if data_dir is not None and data_dir.is_relative_to(self.root) and data_dir != self.root / DATA_DIR:
            lines.append(f"/{data_dir.relative_to(self.root).as_posix()}/")
        spec = pathspec.GitIgnoreSpec.from_lines(lines)
        rows = [row for row in spec.patterns if row.include is not None and row.regex is not None]
        if not rows:
            return None
        if not all(row.include for row in rows):
            return spec  # a negated pattern needs the order of the lines
        # Every pattern's marker group has the same name, which one expression may not hold twice.
        return re.compile("|".join(f"(?:{row.regex.pattern.replace('?P<ps_d>', '')})" for row in rows if row.regex))

    def listed(self) -> list[str]:
        """Relative paths of the project's files, sorted; secrets, large and binary ones included."""
        paths = list_files(self.root)
        out = self._out
        if out is None:
            return paths
        excluded = out.match if isinstance(out, re.Pattern) else out.match_file
        return [path for path in paths if not excluded(path)]

    def _sources(self) -> list[str]:
        """Those of the listed files that are inside source_dirs."""
        found = (folder for folder in self._config.source_dirs if (self.root / folder).is_dir())
        folders = tuple(f"{os.path.normpath(folder).replace(os.sep, '/')}/" for folder in found)
        if not folders or "./" in folders:
            return self.listed()
        return [path for path in self.listed() if path.startswith(folders)]

    def stats(self) -> dict[str, FileStat]:
        """The stat triple of every file to index, by path."""
        found: dict[str, FileStat] = {}
        real: dict[str, bool] = {"": True}
        prefix = str(self.root)
        for path in self._sources():
            if is_private(path) or not self._inside(path.rpartition("/")[0], real):
                continue
            try:
                info = os.lstat(f"{prefix}/{path}")
            except OSError:
                continue  # deleted but still in git's list, or not for us to see
            if statbits.S_ISREG(info.st_mode) and info.st_size <= MAX_BYTES:
                found[path] = _stat(path, info)
        return found

    def stat(self, path: str) -> FileStat | None:
        """One file's stat triple, None if it is not a regular file."""
        try:
            info = os.lstat(self.root / path)
        except OSError:
            return None
        return _stat(path, info) if statbits.S_ISREG(info.st_mode) else None

    def _inside(self, folder: str, real: dict[str, bool]) -> bool:
        """Whether no part of the folder's path is a link. git still lists what it tracks below such a link."""
        known = real.get(folder)
        if known is None:
            known = self._inside(folder.rpartition("/")[0], real) and not os.path.islink(f"{self.root}/{folder}")
            real[folder] = known
        return known


def _stat(path: str, info: os.stat_result) -> FileStat:
    return FileStat(path, max(info.st_mtime_ns, info.st_ctime_ns), info.st_size, info.st_ino)
