"""Which of a file's symbols are worth following, and which of their uses are really uses of them.

A name that is defined elsewhere too, or that half the project uses, proves nothing by itself: such uses only count in
files that import the target. In files that see it as one of its package, they count if the name stands for itself or a
name that proves something is used as well.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from codeintel_index.impact.importers import Importers, family_of
from codeintel_index.impact.project import Project
from codeintel_index.impact.spelling.base import Target, folder_of
from codeintel_index.languages import DATA_LANGUAGES, language_of
from codeintel_index.query import Query
from codeintel_index.results import Symbol
from codeintel_index.store.reader import Reader, Use

MAX_NAMES = 400
COMMON_FILES = 30
# How many of the first folders the files of a package share that see each other without a word; all of them for None.
PACKAGES: Mapping[str, int | None] = {"go": None, "jvm": None, "csharp": None, "php": None, "swift": 2}
_COMMON = frozenset(
    {"get", "set", "run", "main", "init", "open", "close", "read", "write", "add", "append", "items", "keys", "values"}
    | {"update", "name", "id", "start", "stop", "setup", "call", "apply", "next", "data", "value", "type", "len", "new"}
    | {"constructor", "toString", "equals", "hashCode", "String", "Error", "from", "into", "clone", "default", "fmt"}
)


@dataclass(frozen=True, slots=True)
class Followed:
    """A target and what of it is followed. `related` are the files that import it, with the lines that do.

    `seeing` are files that take in a package of which it is one file.
    """

    path: str
    symbols: tuple[Symbol, ...]
    related: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    seeing: frozenset[str] = frozenset()


def follow(
    reader: Reader, project: Project, path: str, changed: Sequence[tuple[int, int]], description: str
) -> Followed:
    """What to follow of one target: changed symbols first, then those the description names, then the rest."""
    symbols = [] if language_of(path) in DATA_LANGUAGES else reader.symbols(path)  # keys and headings name nothing
    inside = {dotted(symbol) for symbol in symbols if symbol.kind in ("function", "method", "constructor")}
    named = set(Query(description).names) if description else set()
    outer = [each for each in symbols if each.parent not in inside and each.kind != "namespace" and _telling(each.name)]
    outer.sort(key=lambda symbol: (not _overlaps(symbol, changed), symbol.name not in named, symbol.line))
    kept = tuple(outer[:MAX_NAMES])
    found = Importers(reader, project).of(Target(path, qualified(kept)))
    return Followed(path, kept, found.files, found.packages)


def real_uses(reader: Reader, target: Followed, targets: frozenset[str]) -> tuple[list[Use], list[Use]]:
    """Uses of the target's names outside the targets: those that mean its symbols, and those that may.

    The second list leaves out names that are everywhere.
    """
    own: dict[str, int] = {}
    for symbol in target.symbols:
        own[symbol.name] = own.get(symbol.name, 0) + 1
    vague = {name for name, count in own.items() if reader.count_definitions(name) > count or _everywhere(reader, name)}
    top = {symbol.name for symbol in target.symbols if not symbol.parent or symbol.kind not in ("method", "property")}
    family = family_of(target.path)
    uses = [use for use in reader.uses(sorted(own)) if use.path not in targets and family_of(use.path) == family]
    uses = [use for use in uses if family != "go" or _visible(use.name) or _shares_package(target.path, use.path)]
    seen = {use.path for use in uses if use.path in target.seeing or _shares_package(target.path, use.path)}
    proved = {use.path for use in uses if use.name not in vague or (use.path in seen and use.name in top)}
    sure: list[Use] = []
    possible: list[Use] = []
    for use in uses:
        near = use.path in target.related or (use.path in seen and (use.name in top or use.path in proved))
        (sure if use.name not in vague or near else possible).append(use)
    everywhere = {name for name in vague if _everywhere(reader, name)}
    return sure, [use for use in possible if use.name not in everywhere]


def qualified(symbols: Iterable[Symbol]) -> frozenset[str]:
    """Symbols with what encloses them, joined by dots; a namespace is everybody's and so none of them."""
    return frozenset(dotted(symbol) for symbol in symbols if symbol.kind != "namespace")


def dotted(symbol: Symbol) -> str:
    """A symbol's name with what encloses it, joined by dots."""
    name = symbol.name.replace("\\", ".").replace("::", ".")
    return f"{symbol.parent}.{name}" if symbol.parent else name


def _shares_package(path: str, other: str) -> bool:
    """Whether two files of one family see each other's names without importing anything."""
    family = family_of(path)
    if family not in PACKAGES:
        return False
    depth = PACKAGES[family]
    return folder_of(path)[:depth] == folder_of(other)[:depth]


def _visible(name: str) -> bool:
    """Whether a name of Go can be seen from other packages."""
    return name[:1].isupper()


def _everywhere(reader: Reader, name: str) -> bool:
    return len(name) < 4 or name in _COMMON or reader.count_users(name) > COMMON_FILES


def _telling(name: str) -> bool:
    return len(name) > 1 and not (name.startswith("__") and name.endswith("__"))


def _overlaps(symbol: Symbol, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= symbol.end_line and symbol.line <= end for start, end in ranges)
