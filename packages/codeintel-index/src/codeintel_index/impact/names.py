"""Which of a file's symbols are worth following, and which of their uses are really uses of them.

A name that is defined elsewhere too, or that half the project uses, proves nothing by itself: such uses only count in
files that import the target or share its package.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeintel_index.impact.modules import means, through_package
from codeintel_index.query import Query
from codeintel_index.results import Symbol
from codeintel_index.store.reader import Reader, Use

MAX_NAMES = 400
COMMON_FILES = 30
PACKAGE_LANGUAGES = (".go", ".java", ".kt", ".cs", ".swift", ".scala")  # files of one folder see each other
_COMMON = frozenset(
    {"get", "set", "run", "main", "init", "open", "close", "read", "write", "add", "append", "items", "keys", "values"}
    | {"update", "name", "id", "start", "stop", "setup", "call", "apply", "next", "data", "value", "type", "len", "new"}
    | {"constructor", "toString", "equals", "hashCode", "String", "Error", "from", "into", "clone", "default", "fmt"}
)


@dataclass(frozen=True, slots=True)
class Followed:
    """A target and what of it is followed. `related` are the files that import it, with the lines that do."""

    path: str
    symbols: tuple[Symbol, ...]
    related: Mapping[str, tuple[int, ...]]

    @property
    def names(self) -> frozenset[str]:
        """The names of its symbols."""
        return frozenset(symbol.name for symbol in self.symbols)


def follow(reader: Reader, path: str, changed: Sequence[tuple[int, int]], description: str) -> Followed:
    """What to follow of one target: changed symbols first, then those the description names, then the rest."""
    symbols = reader.symbols(path)
    inside = {_dotted(symbol) for symbol in symbols if symbol.kind in ("function", "method", "constructor")}
    named = set(Query(description).names) if description else set()
    outer = [symbol for symbol in symbols if symbol.parent not in inside and _telling(symbol.name)]
    outer.sort(key=lambda symbol: (not _overlaps(symbol, changed), symbol.name not in named, symbol.line))
    kept = tuple(outer[:MAX_NAMES])
    return Followed(path, kept, importers(reader, path, frozenset(symbol.name for symbol in kept)))


def importers(reader: Reader, target: str, symbols: frozenset[str]) -> dict[str, tuple[int, ...]]:
    """Files that import the target, by any spelling, and the lines on which they do."""
    found: dict[str, list[int]] = {}
    seen: set[tuple[str, int]] = set()
    for clue in _clues(target):
        for importer, each in reader.imports(containing=clue):
            if (importer, each.line) not in seen and (
                means(importer, each, target) or through_package(importer, each, target, symbols)
            ):
                seen.add((importer, each.line))
                found.setdefault(importer, []).append(each.line)
    return {path: tuple(sorted(lines)) for path, lines in found.items() if path != target}


def real_uses(reader: Reader, target: Followed, targets: frozenset[str]) -> tuple[list[Use], list[Use]]:
    """Uses of the target's names outside the targets: those that mean its symbols, and those that may.

    The second list leaves out names that are everywhere.
    """
    own = {name: sum(symbol.name == name for symbol in target.symbols) for name in target.names}
    vague = {name for name in own if _vague(reader, name, own[name])}
    folder = target.path.rpartition("/")[0]
    shared = target.path.endswith(PACKAGE_LANGUAGES)

    def counts(use: Use) -> bool:
        same_package = shared and use.path.rpartition("/")[0] == folder and use.path.endswith(PACKAGE_LANGUAGES)
        return use.name not in vague or use.path in target.related or same_package

    sure: list[Use] = []
    possible: list[Use] = []
    for use in reader.uses(sorted(own)):
        if use.path not in targets:
            (sure if counts(use) else possible).append(use)
    everywhere = {name for name in vague if _everywhere(reader, name)}
    return sure, [use for use in possible if use.name not in everywhere]


def _vague(reader: Reader, name: str, own: int) -> bool:
    return reader.count_definitions(name) > own or _everywhere(reader, name)


def _everywhere(reader: Reader, name: str) -> bool:
    return len(name) < 4 or name in _COMMON or reader.count_users(name) > COMMON_FILES


def _clues(target: str) -> list[str]:
    """Texts one of which any import of the file must hold: its stem or its folder's name."""
    folder, _, name = target.rpartition("/")
    parent = folder.rpartition("/")[2]
    stem = name.partition(".")[0]
    own = [] if name.endswith(".go") or stem in ("__init__", "index", "mod", "lib") else [stem]
    return [*own, *([parent] if parent else [])] or [stem]


def _dotted(symbol: Symbol) -> str:
    return f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name


def _telling(name: str) -> bool:
    return len(name) > 1 and not (name.startswith("__") and name.endswith("__"))


def _overlaps(symbol: Symbol, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= symbol.end_line and symbol.line <= end for start, end in ranges)
