"""What import resolution shares among languages: targets, links, a project's aliases, and paths as segments."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from codeintel_index.results import Import

Parts = tuple[str, ...]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_EXTENSION = re.compile(r"\.(?:d\.ts|[A-Za-z0-9]{1,6})$")
HEADS = {"__init__", "index", "mod", "lib", "main", "init"}  # files that stand for their folder
ROOTS = {"src", "lib", "include", "app", "lua", "source", "spec", "test", "tests"}  # left out of module names


class Link(IntEnum):
    """What an import says about a file. PACKAGE: it imports the package that the file is one of the files of."""

    NONE = 0
    PACKAGE = 1
    FILE = 2


@dataclass(frozen=True)
class Target:
    """A file that may be imported. `symbols` are the qualified names it defines, with dots."""

    path: str
    symbols: frozenset[str] = frozenset()

    @cached_property
    def segments(self) -> Parts:
        """The module's segments: no extension, and the folder for files that stand for theirs."""
        return segments_of(self.path)

    @cached_property
    def folder(self) -> Parts:
        """The segments of its folder."""
        return folder_of(self.path)

    @cached_property
    def names(self) -> frozenset[str]:
        """The last parts of its symbols."""
        return frozenset(symbol.rpartition(".")[2] for symbol in self.symbols)


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that a manifest gives to a folder: modules below `folder` (from the root) begin with `prefix`."""

    family: str
    prefix: Parts
    folder: Parts


@dataclass(frozen=True)
class Project:
    """The files of a project and the names that its manifests give to folders."""

    paths: frozenset[str] = frozenset()
    aliases: tuple[Alias, ...] = ()

    def named(self, family: str, parts: Parts) -> list[Parts]:
        """Translate a module into paths from the root, by the longest prefix first."""
        fitting = [each for each in self.aliases if each.family == family and parts[: len(each.prefix)] == each.prefix]
        fitting.sort(key=lambda each: -len(each.prefix))
        return [(*each.folder, *parts[len(each.prefix) :]) for each in fitting]

    def has_aliases(self, family: str) -> bool:
        """Whether the manifests say anything about a family."""
        return any(each.family == family for each in self.aliases)

    def files_of_stem(self, stem: str) -> list[str]:
        """List the files that have this name without its last suffix, in whatever folder."""
        return self._by_stem.get(stem, [])

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.paths:
            found.setdefault(path.rpartition("/")[2].rpartition(".")[0], []).append(path)
        return found


Resolver = Callable[[str, Import, Target, Project], Link]  # (importing path, import, target, project)
ManifestReader = Callable[[str, Parts], Iterator[Alias]]  # (text, folder); raises ValueError, TypeError, AttributeError


def segments_of(path: str) -> Parts:
    """Split a path into module segments: no extension, and the folder for files that stand for theirs."""
    parts = _EXTENSION.sub("", path).split("/")
    return tuple(parts[:-1] if parts[-1] in HEADS and len(parts) > 1 else parts)


def folder_of(path: str) -> Parts:
    """Split a path's folder into segments."""
    return tuple(path.split("/")[:-1])


def joined(folder: Sequence[str], parts: Iterable[str]) -> Parts:
    """Join segments to a folder, `.` and `..` resolved."""
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
    """Turn a condition into FILE or NONE."""
    return Link.FILE if condition else Link.NONE


def parts_of(path: str) -> Parts:
    """Split a path as a manifest writes it: `.` and `*` left out, `..` resolved."""
    return joined((), (part for part in path.split("/") if part != "*"))


def snake(name: str) -> str:
    """Spell `OrderLine` as `order_line`."""
    return _CAMEL.sub("_", name).lower()
