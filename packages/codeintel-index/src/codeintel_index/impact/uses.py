"""Which of a file's symbols are followed, and which uses of their names mean them.

A name that is defined elsewhere too, or that half the project uses, proves nothing by itself: such uses only count in
files that import the target. In files that see it as one of its package, they count if the name is used by itself or a
name that proves something is used as well.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from operator import eq

from codeintel_index.impact.importers import Importers, rules_of
from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.languages.resolution import Project, Target, folder_of
from codeintel_index.languages.table import DATA_LANGUAGES, family_of, language_id
from codeintel_index.results import ImpactItem, Symbol
from codeintel_index.search.query import Query
from codeintel_index.store.reader import Reader, Use
from codeintel_index.syntax.definitions import CALLABLE, MEMBERS
from codeintel_index.syntax.parsing import innermost

MAX_NAMES = 400
MAX_DISTANT = 5
COMMON_FILES = 30
_COMMON = frozenset(
    {"get", "set", "run", "main", "init", "open", "close", "read", "write", "add", "append", "items", "keys", "values"}
    | {"update", "name", "id", "start", "stop", "setup", "call", "apply", "next", "data", "value", "type", "len", "new"}
    | {"constructor", "toString", "equals", "hashCode", "String", "Error", "from", "into", "clone", "default", "fmt"}
)


_JOINED = re.compile(r"::\$?|->|[\\#]")
"""What people write between a class and its member."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a caller knows of a change: lines by path, definitions by name, a description, what the task is about."""

    lines: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    symbols: Collection[str] = ()
    description: str = ""
    about: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Followed:
    """A target and what of it is followed: its changed definitions, all of them where nothing tells (then `is_told` is
    false).

    `related` are the files that import the target, with the lines that do; `seeing` are files that import a package of
    which it is one file.
    """

    path: str
    changed: tuple[Symbol, ...]
    related: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    seeing: frozenset[str] = frozenset()
    is_told: bool = False


def follow_all(reader: Reader, project: Project, paths: Sequence[str], said: Said) -> list[Followed]:
    """Choose what to follow of each target.

    Where one of them holds a definition given by name, nothing else is followed. Of a test among other targets nothing
    is followed that nobody named: who changes it hardly means what it shares with other tests.
    """
    if any(_named(reader.symbols(path), said.symbols) for path in paths):
        said = replace(said, lines={}, description="", about=())
        return [follow(reader, project, path, said, or_all=False) for path in paths]
    only_tests = all(kind_of(path) == "test" for path in paths)
    return [follow(reader, project, path, said, or_all=only_tests or kind_of(path) != "test") for path in paths]


def follow(reader: Reader, project: Project, path: str, said: Said, *, or_all: bool) -> Followed:
    """Choose the definitions to follow of a target: those given by name, changed by a diff, named in the words of the
    description, or those that the task is about, the first of these that says something; else all, or none.
    """
    symbols = [] if language_id(path) in DATA_LANGUAGES else reader.symbols(path)  # keys and headings name nothing
    holding: dict[str, list[Symbol]] = {}
    for symbol in symbols:
        if symbol.kind in CALLABLE:
            holding.setdefault(dotted(symbol), []).append(symbol)
    outer = [
        each
        for each in symbols
        if each.kind not in ("namespace", "test", "import") and _telling(each.name) and not _is_within(each, holding)
    ]
    told = set(Query(said.description).names) if said.description else set()
    chosen = (
        _named(outer, said.symbols)
        or _within(outer, said.lines.get(path, ()))
        or [each for each in outer if each.name in told]
        or _named(outer, said.about)
    )
    kept = tuple(outer[:MAX_NAMES])
    found = Importers(reader, project).of(Target(path, frozenset(map(dotted, kept))))
    changed = tuple(chosen[:MAX_NAMES]) or (kept if or_all else ())
    return Followed(path, changed, found.files, found.packages, bool(chosen))


def _is_within(symbol: Symbol, holding: Mapping[str, Sequence[Symbol]]) -> bool:
    """Whether one of these, by name, holds a symbol; a name alone does not say so (`class CSV` and `def CSV`)."""
    around = holding.get(symbol.parent, ())
    return any(each.first_line <= symbol.line <= each.end_line for each in around)


def _named(symbols: Iterable[Symbol], names: Collection[str]) -> list[Symbol]:
    """The symbols that bear one of the names, alone or with as much of what encloses them as a name gives."""
    written = {_JOINED.sub(".", name).strip(".") for full in names for name in (full, full.removesuffix("()"))}
    ends = tuple(f".{name}" for name in written if name)
    return [each for each in symbols if f".{dotted(each)}".endswith(ends)]


def _within(symbols: Sequence[Symbol], ranges: Sequence[tuple[int, int]]) -> list[Symbol]:
    """The innermost definition around each changed line and the fields on it, each once."""
    last = max((each.end_line for each in symbols), default=0)
    lines = [line for start, end in ranges for line in range(start, min(end, last) + 1)]
    fields = [
        each for each in symbols if each.kind in MEMBERS and any(each.line <= at <= each.end_line for at in lines)
    ]
    return list(dict.fromkeys([*filter(None, (innermost(symbols, line) for line in lines)), *fields]))


def uses_beside(reader: Reader, target: Followed) -> list[Use]:
    """Find the lines of the target itself that use a changed definition, outside of the changed definitions."""
    inside = {line for each in target.changed for line in range(each.line, each.end_line + 1)}
    uses = reader.uses(sorted({each.name for each in target.changed}), path=target.path)
    beside = (use._replace(lines=tuple(line for line in use.lines if line not in inside)) for use in uses)
    return [use for use in beside if use.lines]


def resolve_uses(reader: Reader, target: Followed, targets: frozenset[str]) -> list[Use]:
    """Find uses outside the targets that mean one of the target's changed definitions."""
    own: dict[str, int] = {}
    for symbol in target.changed:
        own[symbol.name] = own.get(symbol.name, 0) + 1
    vague = {name for name, count in own.items() if reader.count_definitions(name) > count or _everywhere(reader, name)}
    top = {each.name for each in target.changed if not each.parent or each.kind not in ("method", "property", *MEMBERS)}
    family = family_of(target.path)
    uses = [use for use in reader.uses(sorted(own)) if use.path not in targets and family_of(use.path) == family]
    is_public = rules_of(target.path).is_public
    if is_public is not None:  # other names are only seen from within the package
        uses = [use for use in uses if is_public(use.name) or _shares_package(target.path, use.path)]
    seen = {use.path for use in uses if use.path in target.seeing or _shares_package(target.path, use.path)}
    proved = {use.path for use in uses if use.name not in vague or (use.path in seen and use.name in top)}

    def is_meant(use: Use) -> bool:
        near = use.path in target.related or (use.path in seen and (use.name in top or use.path in proved))
        return use.name not in vague or near

    return [use for use in uses if is_meant(use)]


def distant_tests(reader: Reader, followed: Iterable[Followed], targets: Collection[str]) -> list[ImpactItem]:
    """Find the tests that use the name of a changed definition, which others may bear too, or import its file: those
    with most such names first, then those that import it, then the nearest.
    """
    named: dict[str, dict[str, tuple[int, ...]]] = {}
    imports: dict[str, tuple[int, ...]] = {}
    for target in followed:
        names = sorted({each.name for each in target.changed if not _everywhere(reader, each.name)})
        for use in reader.uses(names):
            if family_of(use.path) == family_of(target.path):
                named.setdefault(use.path, {})[use.name] = use.lines
        imports |= target.related
    folders = [folder_of(target) for target in targets]

    def order(path: str) -> tuple[int, bool, int, str]:
        near = max(sum(takewhile(bool, map(eq, folder, folder_of(path)))) for folder in folders)
        return -len(named.get(path, ())), path not in imports, -near, path

    tests = sorted((path for path in {*named, *imports}.difference(targets) if kind_of(path) == "test"), key=order)
    return [
        ImpactItem(path, "test", tuple(sorted({*imports.get(path, ()), *chain(*named.get(path, {}).values())})))
        for path in tests[:MAX_DISTANT]
    ]


def dotted(symbol: Symbol) -> str:
    """Join a symbol's name with what encloses it by dots."""
    name = symbol.name.replace("\\", ".").replace("::", ".")
    return f"{symbol.parent}.{name}" if symbol.parent else name


def _shares_package(path: str, other: str) -> bool:
    """Whether two files of one family see each other's names without importing anything."""
    depth = rules_of(path).shared_folders
    return depth > 0 and folder_of(path)[:depth] == folder_of(other)[:depth]


def _everywhere(reader: Reader, name: str) -> bool:
    return len(name) < 4 or name in _COMMON or reader.count_users(name) > COMMON_FILES


def _telling(name: str) -> bool:
    return len(name) > 1 and not (name.startswith("__") and name.endswith("__"))
