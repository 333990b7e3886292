"""Which files import a target. A text that any import of it must hold narrows the index down; spellings then decide."""

from collections.abc import Iterator
from dataclasses import dataclass

from codeintel_index.impact.modules import link, through_package
from codeintel_index.impact.project import Project
from codeintel_index.impact.spelling.base import HEADS, Link, Target
from codeintel_index.impact.spelling.compiled import declares
from codeintel_index.languages import language_of
from codeintel_index.results import Import
from codeintel_index.store.reader import Reader

# Languages whose files take each other in; of any other a language is its own family.
_FAMILIES = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "html"), "script"),
    **dict.fromkeys(("java", "kotlin", "scala"), "jvm"),
    **dict.fromkeys(("c", "cpp"), "c"),
}
# Modules that name no part of what they mean: the head of a folder, from within or beside.
_HEADLESS = (".", "..", "./", "../", "../..", "...", "super", "self", "crate", "./index", "../index")


@dataclass(frozen=True, slots=True)
class Importing:
    """`files`: who imports the target, with lines. `packages`: who imports a package that it is a part of."""

    files: dict[str, tuple[int, ...]]
    packages: frozenset[str]


def family_of(path: str) -> str:
    """The languages a file is taken in by, by a name for them all."""
    language = language_of(path)
    return _FAMILIES.get(language, language)


@dataclass(frozen=True, slots=True)
class Importers:
    """Looks importers up in an index."""

    reader: Reader
    project: Project

    def of(self, target: Target) -> Importing:
        """Files that import the target, by any spelling, and the lines on which they do."""
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
        family = family_of(target.path)
        seen: set[tuple[str, int, str]] = set()
        for importer, each in self.reader.imports(sorted(self._clues(target)), (*_HEADLESS, *_packages(target))):
            key = importer, each.line, each.module
            if key not in seen and family_of(importer) in (family, "script" if family == "css" else family):
                seen.add(key)
                yield importer, each

    def _clues(self, target: Target) -> set[str]:
        """Texts one of which any import of the target must hold, but for `_HEADLESS` and packages around it."""
        language = language_of(target.path)
        stem = target.path.rpartition("/")[2].partition(".")[0]
        if language in ("elixir", "csharp"):
            spaces = {symbol.rpartition(".")[0] for symbol in target.symbols} - {""}
            return {space.rpartition(".")[2] for space in spaces} or {stem.replace("_", "")}
        clues = {stem.removeprefix("_")} if stem not in HEADS else set()
        if language != "python" or stem in HEADS:
            clues |= set(target.folder[-1:])
        prefixes = (each for each in self.project.aliases if target.folder[: len(each.folder)] == each.folder)
        clues |= {each.prefix[-1] for each in prefixes if each.prefix}
        return clues or {stem}

    def _declaring(self, target: Target) -> Iterator[tuple[str, int]]:
        """Rust names its children in the parent: `mod tcp;`."""
        if language_of(target.path) != "rust":
            return
        for symbol in self.reader.definitions(target.segments[-1]):
            is_line = symbol.kind == "module" and symbol.line == symbol.end_line
            if is_line and declares(symbol.path, symbol.name, target):
                yield symbol.path, symbol.line


def _packages(target: Target) -> list[str]:
    """The packages around a target as Python writes them, from any folder above that may be the root, or relative."""
    if language_of(target.path) != "python":
        return []
    folders = target.folder
    names = [".".join(folders[start:end]) for end in range(len(folders), 0, -1) for start in range(end)][:20]
    return [f"{dots}{name}" for dots in ("", ".", "..") for name in names]
