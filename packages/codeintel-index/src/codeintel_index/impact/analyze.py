"""Putting the parts of an impact analysis together: one item a file, each file in the group its kind says.

must_verify: code that uses or imports what changes. should_verify: factories, migrations, configuration, documents, and
code that uses a name which is defined elsewhere too. Tests have a list of their own. When all targets are pure markup
nothing must be verified (`relaxed_markup`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeintel_index import outline
from codeintel_index.impact.history import Together, changed_together, often
from codeintel_index.impact.markup import cross_references, is_pure
from codeintel_index.impact.mentions import mentions, role_of, tables, tested, tests_named
from codeintel_index.impact.names import Followed, follow, real_uses
from codeintel_index.impact.project import project_of
from codeintel_index.kinds import kind_of
from codeintel_index.paths import confine
from codeintel_index.results import Impact, ImpactItem
from codeintel_index.store.reader import Reader
from codeintel_index.tools.raw import Search

MAX_DEPTH_2 = 200
MAX_FOLDER = 200  # files of a folder given as a target
MAX_POSSIBLE = 10
REASONS = ("reference", "import", "possible")
LEFT_OUT = ("generated", "vendored")

Changed = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(slots=True)
class _Found:
    """What is known of one file: why it is reached, and from which lines."""

    reason: str
    lines: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)  # that may mean a target's symbols


def analyze(
    root: Path, reader: Reader, files: Sequence[str], description: str, changed: Changed, search: Search
) -> Impact:
    """The impact of changing `files`. Raises PathOutsideProject; files that do not exist (yet) are allowed."""
    known = reader.paths()
    targets = _targets(root, files, known)
    ranges = {confine(root, path): lines for path, lines in changed.items()}
    project = project_of(root, known)
    followed = [follow(reader, project, path, ranges.get(path, ()), description) for path in targets]
    relaxed = bool(targets) and all(map(is_pure, targets))
    code = _code_items(reader, followed, frozenset(targets))
    symbols = [symbol for each in followed if not is_pure(each.path) for symbol in each.symbols]
    mentioned = [*mentions(root, targets, symbols, search), *tables(root, known, symbols)]
    markup = [item for target in targets for item in cross_references(root, target, search) if item.path not in targets]
    groups = _grouped([*code, *mentioned, *tests_named(known, targets), *tested(reader, known, targets)], relaxed)
    past = changed_together(root, targets)
    groups = {name: _most_often_first(items, past) for name, items in groups.items()}
    listed = {item.path for items in groups.values() for item in items}
    unnamed = [item for item in often(past, project.paths) if item.path not in listed]
    should = _merged([*unnamed, *groups["should"], *groups["docs"], *(markup if relaxed else [])])
    must = [] if relaxed else groups["must"]
    second = _second_degree(reader, must, {*targets, *(item.path for item in must)})
    impact = {"must_verify": must, "should_verify": should, "tests": groups["tests"], "docs": groups["docs"]}
    return Impact(
        targets=tuple(targets),
        mode="relaxed_markup" if relaxed else "code",
        must_verify=tuple(must),
        should_verify=tuple(should),
        tests=tuple(groups["tests"]),
        docs=tuple(groups["docs"]),
        markup=tuple(_merged(markup)),
        symbols=tuple(dict.fromkeys(symbol.name for symbol in symbols)),
        depth_2=tuple(second[:MAX_DEPTH_2]),
        counts={**{name: len(items) for name, items in impact.items()}, "depth_2": len(second)},
    )


def _targets(root: Path, files: Sequence[str], known: list[str]) -> list[str]:
    found: list[str] = []
    for path in files:
        relative = confine(root, path)
        if (root / relative).is_dir():
            prefix = f"{relative}/" if relative else ""
            found += [each for each in known if each.startswith(prefix)][:MAX_FOLDER]
        else:
            found.append(relative)
    return list(dict.fromkeys(found))


def _code_items(reader: Reader, followed: Iterable[Followed], targets: frozenset[str]) -> list[ImpactItem]:
    """Files that use or import a target in code."""
    found: dict[str, _Found] = {}
    for target in followed:
        sure, possible = real_uses(reader, target, targets)
        for use in sure:
            found.setdefault(use.path, _Found("reference")).lines.update(use.lines)
        for path, lines in target.related.items():
            if path not in targets:
                found.setdefault(path, _Found("import")).lines.update(lines)
        for use in possible:
            found.setdefault(use.path, _Found("possible")).lines.update(use.lines)
            found[use.path].names.add(use.name)
    found = {path: each for path, each in found.items() if each.reason != "possible" or _is_likely(path, each)}
    items = [_item(reader, path, each) for path, each in found.items()]
    items.sort(key=lambda item: (REASONS.index(item.reason), -len(item.lines), item.path))
    sure_ones = [item for item in items if item.reason != "possible"]
    return sure_ones + items[len(sure_ones) :][:MAX_POSSIBLE]


def _is_likely(path: str, found: _Found) -> bool:
    """Whether names that are defined elsewhere too are worth a look: several of them, and not in a test."""
    return len(found.names) > 1 and kind_of(path) != "test"


def _item(reader: Reader, path: str, found: _Found) -> ImpactItem:
    symbols = reader.symbols(path)
    around = (outline.innermost(symbols, line) for line in sorted(found.lines))
    names = [f"{each.parent}.{each.name}" if each.parent else each.name for each in around if each is not None]
    return ImpactItem(path, found.reason, tuple(sorted(found.lines)), tuple(dict.fromkeys(names)))


def _grouped(items: Iterable[ImpactItem], relaxed: bool) -> dict[str, list[ImpactItem]]:
    groups: dict[str, list[ImpactItem]] = {"must": [], "should": [], "tests": [], "docs": []}
    for item in items:
        kind = role_of(item.path)
        if kind in LEFT_OUT:
            continue
        group = {"test": "tests", "docs": "docs"}.get(kind, "must")
        if group == "must" and (
            relaxed or kind in ("factory", "migration", "config") or item.reason in ("docs", "possible", "tested")
        ):
            group = "should"
        reason = {"tests": "test", "docs": "docs"}.get(group, kind if kind in ("factory", "migration") else item.reason)
        groups[group].append(ImpactItem(item.path, reason, item.lines, item.symbols))
    return {name: _merged(each) for name, each in groups.items()}


def _most_often_first(items: list[ImpactItem], past: Mapping[str, Together]) -> list[ImpactItem]:
    """Files that changed with the targets before others, the order otherwise as it is."""
    return sorted(items, key=lambda item: -past[item.path].times if item.path in past else 0)


def _merged(items: Iterable[ImpactItem]) -> list[ImpactItem]:
    """One item a file; the first reason stays."""
    found: dict[str, ImpactItem] = {}
    for item in items:
        old = found.get(item.path)
        if old is not None:
            lines = tuple(sorted({*old.lines, *item.lines}))
            item = ImpactItem(old.path, old.reason, lines, tuple(dict.fromkeys((*old.symbols, *item.symbols))))
        found[item.path] = item
    return list(found.values())


def _second_degree(reader: Reader, must: Iterable[ImpactItem], first: set[str]) -> list[str]:
    """Files that use the definitions from which the change is reached."""
    names = {name.rpartition(".")[2] for item in must for name in item.symbols}
    clear = sorted(name for name in names if len(name) > 3 and reader.count_definitions(name) == 1)
    return sorted({use.path for use in reader.uses(clear) if use.path not in first and kind_of(use.path) != "test"})
