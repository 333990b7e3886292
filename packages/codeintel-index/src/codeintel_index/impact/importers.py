"""Which files import a target, answered from paths, names and manifests, never by running a build.

A text that any import of the target must hold narrows the index down; the importing language's own rules then decide.
Manifests (`go.mod`, `package.json` and so on) say which folder a prefix of a module name means; one that cannot be
read or says nothing of use is passed over, and modules are then compared by how they end.
"""

import fnmatch
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from codeintel_index.languages.language import ImportRules
from codeintel_index.languages.resolution import HEADS, Alias, Link, Project, Target, parts_of
from codeintel_index.languages.table import LANGUAGES, family_of, find_language
from codeintel_index.project_file import read_file
from codeintel_index.results import Import
from codeintel_index.store.reader import Reader

MAX_MANIFESTS = 300
MAX_BYTES = 1_000_000
NOTHING_KNOWN = Project()
_NO_RULES = ImportRules()
_MANIFESTS = {name: read for each in LANGUAGES for name, read in each.imports.manifests}
_IS_MANIFEST = re.compile("|".join(map(fnmatch.translate, _MANIFESTS)))
_HEADLESS = tuple(dict.fromkeys(module for each in LANGUAGES for module in each.imports.headless))


def project_of(root: Path, paths: Iterable[str]) -> Project:
    """Collect what the manifests among a project's files say."""
    known = frozenset(paths)
    manifests = [path for path in known if _IS_MANIFEST.fullmatch(path.rpartition("/")[2])]
    manifests.sort(key=lambda path: (path.count("/"), path))
    aliases: dict[Alias, None] = {}
    for path in manifests[:MAX_MANIFESTS]:
        try:
            stat = (root / path).stat()
            aliases |= dict.fromkeys(_aliases(root, path, stat.st_mtime_ns, stat.st_size))
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            continue  # gone, too large, no JSON or TOML, or not of the shape that its tool reads
    return Project(known, tuple(aliases))


@lru_cache(maxsize=1000)
def _aliases(root: Path, path: str, _changed: int, _size: int) -> tuple[Alias, ...]:
    folder, _, name = path.rpartition("/")
    read = next(read for pattern, read in _MANIFESTS.items() if fnmatch.fnmatchcase(name, pattern))
    return tuple(read(read_file(root, path, MAX_BYTES).decode("utf-8", "replace"), parts_of(folder)))


def link(importer: str, each: Import, target: Target, project: Project = NOTHING_KNOWN) -> Link:
    """Judge whether an import in `importer` means the file `target`, or its package."""
    resolve = rules_of(importer).resolve
    return Link.NONE if resolve is None or importer == target.path else resolve(importer, each, target, project)


def through_package(importer: str, each: Import, target: Target, project: Project = NOTHING_KNOWN) -> bool:
    """Whether an import takes one of the file's symbols from a package around the file, which re-exports it."""
    rules = rules_of(importer)
    if rules.resolve is None or not rules.package_head or target.names.isdisjoint(each.names):
        return False
    folders = target.segments[:-1]
    heads = ("/".join((*folders[: depth + 1], rules.package_head)) for depth in range(len(folders)))
    package = Import(each.module, (), each.line)
    return any(rules.resolve(importer, package, Target(head), project) for head in heads)


def rules_of(path: str) -> ImportRules:
    """Return how the language of a file imports."""
    language = find_language(path)
    return language.imports if language else _NO_RULES


@dataclass(frozen=True, slots=True)
class Importing:
    """`files`: who imports the target, with lines. `packages`: who imports a package that it is a part of."""

    files: dict[str, tuple[int, ...]]
    packages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Importers:
    """Looks importers up in an index."""

    reader: Reader
    project: Project

    def of(self, target: Target) -> Importing:
        """Find the files that import the target, in whatever form, and the lines on which they do."""
        found: dict[str, set[int]] = {}
        packages: set[str] = set()
        for importer, each in self._candidates(target):
            close = link(importer, each, target, self.project)
            if close is Link.FILE or through_package(importer, each, target, self.project):
                found.setdefault(importer, set()).add(each.line)
            elif close is Link.PACKAGE:
                packages.add(importer)
        for path, line in self._declaring(target):
            found.setdefault(path, set()).add(line)
        files = {path: tuple(sorted(lines)) for path, lines in found.items() if path != target.path}
        return Importing(files, frozenset(packages - files.keys() - {target.path}))

    def _candidates(self, target: Target) -> Iterator[tuple[str, Import]]:
        families = (family_of(target.path), *rules_of(target.path).also_imported_by)
        seen: set[tuple[str, int, str]] = set()
        for importer, each in self.reader.imports(sorted(self._clues(target)), (*_HEADLESS, *_packages(target))):
            key = importer, each.line, each.module
            if key not in seen and family_of(importer) in families:
                seen.add(key)
                yield importer, each

    def _clues(self, target: Target) -> set[str]:
        """Texts one of which any import of the target must hold, but for `_HEADLESS` and packages around it."""
        rules = rules_of(target.path)
        stem = target.path.rpartition("/")[2].partition(".")[0]
        if rules.names_symbols:
            spaces = {symbol.rpartition(".")[0] for symbol in target.symbols} - {""}
            return {space.rpartition(".")[2] for space in spaces} or {stem.replace("_", "")}
        clues = {stem.removeprefix("_")} if stem not in HEADS else set()
        if not rules.names_the_file or stem in HEADS:
            clues |= set(target.folder[-1:])
        prefixes = (each for each in self.project.aliases if target.folder[: len(each.folder)] == each.folder)
        clues |= {each.prefix[-1] for each in prefixes if each.prefix}
        return clues or {stem}

    def _declaring(self, target: Target) -> Iterator[tuple[str, int]]:
        """Files that name the target as their child, as Rust's do: `mod tcp;`."""
        declares = rules_of(target.path).declares
        if declares is None:
            return
        for symbol in self.reader.definitions(target.segments[-1]):
            is_line = symbol.kind == "module" and symbol.line == symbol.end_line
            if is_line and declares(symbol.path, symbol.name, target):
                yield symbol.path, symbol.line


def _packages(target: Target) -> list[str]:
    packages = rules_of(target.path).packages
    return packages(target) if packages else []
