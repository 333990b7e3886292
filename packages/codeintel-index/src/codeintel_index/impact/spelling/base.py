"""What all spellings share: a target, how close an import comes to it, and comparing paths as segments."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from codeintel_index.impact.project import Parts

_EXTENSION = re.compile(r"\.(?:d\.ts|[A-Za-z0-9]{1,6})$")
HEADS = {"__init__", "index", "mod", "lib", "main", "init"}  # files that stand for their folder
ROOTS = {"src", "lib", "include", "app", "lua", "source", "spec", "test", "tests"}  # folders that no module name tells


class Link(IntEnum):
    """What an import says about a file. PACKAGE: it takes in the package that the file is one of the files of."""

    NONE = 0
    PACKAGE = 1
    FILE = 2


@dataclass(frozen=True)
class Target:
    """A file that may be taken in. `symbols` are the qualified names it defines, with dots."""

    path: str
    symbols: frozenset[str] = frozenset()

    @cached_property
    def segments(self) -> Parts:
        """The module's segments: no extension, and the folder for files that stand for theirs."""
        return segments_of(self.path)

    @cached_property
    def folder(self) -> Parts:
        """The segments of its folder."""
        return tuple(self.path.split("/")[:-1])

    @cached_property
    def names(self) -> frozenset[str]:
        """The last parts of its symbols."""
        return frozenset(symbol.rpartition(".")[2] for symbol in self.symbols)


def segments_of(path: str) -> Parts:
    """A file's module segments: no extension, and the folder for files that stand for theirs."""
    parts = _EXTENSION.sub("", path).split("/")
    return tuple(parts[:-1] if parts[-1] in HEADS and len(parts) > 1 else parts)


def folder_of(path: str) -> Parts:
    """The segments of a path's folder."""
    return tuple(path.split("/")[:-1])


def joined(folder: Sequence[str], parts: Iterable[str]) -> Parts:
    """Segments reached from a folder, `.` and `..` resolved."""
    found = list(folder)
    for part in parts:
        if part == "..":
            found = found[:-1]
        elif part not in (".", ""):
            found.append(part)
    return tuple(found)


def same(found: Parts, wanted: Parts) -> bool:
    """Whether a path that may name a folder's head is that module."""
    if found == wanted or (bool(found) and found[-1] in HEADS and found[:-1] == wanted):
        return True
    return not found and len(wanted) == 1 and wanted[0] in HEADS


def ends(parts: Parts, path: Parts, least: int = 1) -> bool:
    """Whether one of the two ends with the other: a module path may start above or below the project's root."""
    count = min(len(parts), len(path))
    return count >= least and parts[-count:] == path[-count:]


def ends_like(importer: str, parts: Parts, wanted: Parts) -> bool:
    """Whether an absolute module may be the wanted one: it ends so, or is one name in a place where that suffices."""
    if not parts or not wanted:
        return False
    if len(parts) > 1:
        # Prefixes that only exist outside the tree (`com/acme`, a package name) are tolerated for two segments or more.
        return wanted[-len(parts) :] == parts or (len(wanted) > 1 and parts[-len(wanted) :] == wanted)
    above = wanted[:-1]
    return wanted[-1] == parts[0] and (above == folder_of(importer) or ROOTS.issuperset(above))


def link_if(condition: bool) -> Link:
    """FILE or NONE."""
    return Link.FILE if condition else Link.NONE
