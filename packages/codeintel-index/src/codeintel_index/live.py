"""Answers that need no index: they read the files of a project as they are at this moment.

The half of `Index` that works before any sync and while one is running; every path is confined to the project.
"""

from collections.abc import Sequence
from pathlib import Path

from codeintel_index.config import IndexConfig
from codeintel_index.files import Files
from codeintel_index.globs import compile_glob
from codeintel_index.paths import confine, read_source
from codeintel_index.results import FunctionAt, GrepResult, Reference, Structure, Symbol
from codeintel_index.store.reader import Reader
from codeintel_index.tools.raw import Search


class LiveFiles:
    """Symbols, outline, references and text search on the files themselves."""

    root: Path
    config: IndexConfig
    _files: Files
    _reader: Reader  # spares references the parsing of files that have not changed

    def references(self, name: str, *, path: str = "", limit: int = 200) -> tuple[list[Reference], int]:
        """Where a name is used, code first, definitions left out, and how many places there are."""
        from codeintel_index.references import references

        search = Search(path=confine(self.root, path), excluded=self.config.exclude_patterns)
        return references(self._files, self._reader, name, search, max(0, limit))

    def symbols(self, path: str, kind: str = "") -> list[Symbol]:
        """The symbols of one file, by line. Raises NotAFile, PathOutsideProject."""
        from codeintel_index.lookup import symbols_of

        return symbols_of(self.root, path, kind)

    def structure(self, path: str) -> Structure:
        """The outline of one file. Raises NotAFile, PathOutsideProject."""
        from codeintel_index.lookup import structure_of

        return structure_of(self.root, path)

    def function_at(self, path: str, line: int) -> FunctionAt | None:
        """The innermost definition around a line, with its text; None between definitions."""
        from codeintel_index.lookup import function_at

        return function_at(self.root, path, line)

    def is_empty(self, path: str, start: int, end: int) -> bool:
        """Whether lines `start` to `end` of a file only hold code that does nothing yet."""
        from codeintel_index.emptiness import is_empty_implementation

        relative, data = read_source(self.root, path)
        return is_empty_implementation(relative, data, start, end)

    # Text and files

    def grep(
        self,
        patterns: Sequence[str] | str,
        *,
        path: str = "",
        glob: str = "",
        file_type: str = "",
        fixed: bool = False,
        case_sensitive: bool = True,
        context_lines: int = 0,
        limit: int = 100,
        offset: int = 0,
        timeout: float = 20.0,
    ) -> list[GrepResult]:
        """Text search, one result a pattern, all run at once. `glob` as in `files`; `file_type` is ripgrep's.

        `limit` and `offset` count matches; `timeout` is in seconds. Raises BadPattern, PathOutsideProject, ToolTimeout.
        """
        from codeintel_index.tools.grep import grep

        search = Search(
            path=path,
            glob=glob,
            file_type=file_type,
            fixed=fixed,
            case_sensitive=case_sensitive,
            context=max(0, min(context_lines, 20)),
            timeout=timeout,
            excluded=self.config.exclude_patterns,
        )
        wanted = [patterns] if isinstance(patterns, str) else list(patterns)
        return grep(self.root, wanted, search, max(0, limit), max(0, offset))

    def files(self, pattern: str, *, limit: int = 200) -> tuple[list[str], int]:
        """Paths that match a glob and how many there are. `*.py` matches at any depth, `src/*.py` at the root."""
        matches = compile_glob(pattern).fullmatch
        found = [path for path in self._files.listed() if matches(path)]
        return found[:limit], len(found)

    def source_files(self) -> list[str]:
        """Every file that is (or is about to be) indexed, sorted."""
        return sorted(self._files.stats())
