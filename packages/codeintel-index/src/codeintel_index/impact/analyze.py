"""Putting the parts of an impact analysis together: what uses a changed definition, and what is likely to change too.

must_verify: code that uses a changed definition, the most certain first, at most ten; where nothing says what of a
file changes, all of its definitions do. in_targets: the same in the targets themselves, where something says it.
likely_to_change: one ranked list of code and tests, importers among them. should_verify: factories, migrations and
configuration. tests: those that use a changed definition or are named after it; where there are none, the nearest that
use such a name or import a target. Documents have a list of their own. When all targets are pure markup nothing must be
verified and their cross references are what should be (`relaxed_markup`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeintel_index.errors import NotAFile
from codeintel_index.impact.history import Past, find_co_changes
from codeintel_index.impact.importers import project_of
from codeintel_index.impact.markup import cross_references, is_pure
from codeintel_index.impact.mentions import (
    kind_in_impact,
    mentions,
    mentions_in_code,
    named_alike,
    tables,
    tested,
    tests_named_after,
)
from codeintel_index.impact.uses import Followed, Said, distant_tests, follow_all, resolve_uses, uses_beside
from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.languages.table import DATA_LANGUAGES, language_id
from codeintel_index.paths import confine
from codeintel_index.results import Impact, ImpactItem
from codeintel_index.store.reader import Reader
from codeintel_index.syntax.parsing import innermost
from codeintel_index.tools.ripgrep import Search

MAX_DEPTH_2 = 200
MAX_FOLDER = 200  # files of a folder given as a target
MAX_MUST = 10
MAX_LIKELY = 5
# What a fact is worth for the ranking, fitted to the commits of fifteen repositories (benchmarks/impact).
TOGETHER = 8.0  # times the weighted share of the target's commits
NAMED_ALIKE = 0.5
REFERENCE = 0.5
LINK = 0.4
RECENT = 0.3
USED = 0.1
LEAST_SCORE = 0.4
REASONS = ("test", "tested", "reference", "import", "history", "name", "used")  # an item gives the first that holds
LEFT_OUT = ("generated", "vendored")


@dataclass(slots=True)
class _Found:
    """What is known of one file: the lines that use a changed definition, those of its names that are defined once,
    and the lines that import a target.
    """

    lines: set[int] = field(default_factory=set)
    certain: set[str] = field(default_factory=set)
    imports: set[int] = field(default_factory=set)
    uses: bool = False


def analyze(
    root: Path,
    reader: Reader,
    listed: Sequence[str],
    files: Sequence[str],
    said: Said,
    planned: Collection[str],
    search: Search,
) -> Impact:
    """Analyse what changing `files` may reach. `listed` are the project's files, of which the index knows some.

    Raises PathOutsideProject, NotAFile.
    """
    known = reader.paths()
    unknown = sorted(set(listed).difference(known))
    targets = _targets(root, files, known)
    said = replace(said, lines={confine(root, path): lines for path, lines in said.lines.items()})
    past = find_co_changes(root, targets)
    _check(root, targets, {*known, *said.lines, *(confine(root, path) for path in planned), *past.known})
    project = project_of(root, known)
    followed = follow_all(reader, project, targets, said)
    relaxed = bool(targets) and all(map(is_pure, targets))
    reached = _reached(reader, followed, frozenset(targets))
    meant = [symbol for each in followed if not is_pure(each.path) for symbol in each.changed]
    mentioned = [
        *mentions(root, targets, meant, search),
        *mentions_in_code(root, unknown, targets, meant, search),
        *tables(root, known, meant),
    ]
    markup = [item for target in targets for item in cross_references(root, target, search) if item.path not in targets]
    told = [symbol for each in followed if each.is_told for symbol in each.changed]
    after = [item for item in tests_named_after([*known, *unknown], targets, told) if (root / item.path).is_file()]
    named = [*after, *tested(reader, known, targets)]
    using = [_item(reader, path, each) for path, each in reached.items() if each.uses]
    groups = _grouped([*using, *mentioned, *named], relaxed)
    must = [] if relaxed else sorted(groups["must"], key=lambda item: _certainty(item, reached, past))
    should = _merged([*groups["should"], *(markup if relaxed else [])])
    tests = _telling(groups["tests"], reached, {item.path for item in after}) or distant_tests(
        reader, followed, targets
    )
    alike = named_alike([*known], targets)
    used = {path for target in targets for path in reader.defined_for(target)}
    second = _second_degree(reader, must, {*targets, *(item.path for item in must)})
    return Impact(
        targets=tuple(targets),
        mode="relaxed_markup" if relaxed else "code",
        must_verify=tuple(must[:MAX_MUST]),
        in_targets=tuple(_in_targets(reader, followed)),
        should_verify=tuple(should),
        likely_to_change=tuple(_likely(set(known) - set(targets), past, named, reached, alike, used)),
        tests=tuple(sorted(tests, key=lambda item: -past.times(item.path))),
        docs=tuple(groups["docs"]),
        markup=tuple(_merged(markup)),
        symbols=tuple(dict.fromkeys(symbol.name for symbol in meant)),
        depth_2=tuple(second[:MAX_DEPTH_2]),
        counts={
            "must_verify": len(must),
            "should_verify": len(should),
            "tests": len(tests),
            "docs": len(groups["docs"]),
            "depth_2": len(second),
        },
    )


def _check(root: Path, targets: Iterable[str], known: Collection[str]) -> None:
    """Refuse a target that nothing knows: no file, no plan, no commit."""
    if unknown := [path for path in targets if path not in known and not (root / path).exists()]:
        raise NotAFile(", ".join(unknown), "no such file, and no plan names it")


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


def _reached(reader: Reader, followed: Iterable[Followed], targets: frozenset[str]) -> dict[str, _Found]:
    """Files that use a changed definition, or import a target, by path."""
    found: dict[str, _Found] = {}
    for target in followed:
        once = {each.name for each in target.changed if reader.count_named(each.name) == 1}
        for use in resolve_uses(reader, target, targets):
            each = found.setdefault(use.path, _Found())
            each.lines.update(use.lines)
            each.uses = True
            each.certain |= {use.name} & once
        for path, lines in target.related.items():
            if path not in targets:
                found.setdefault(path, _Found()).imports.update(lines)
    minified = reader.minified(found)
    return {path: each for path, each in found.items() if path not in minified}


def _in_targets(reader: Reader, followed: Iterable[Followed]) -> list[ImpactItem]:
    """List the targets that use their own changed definitions elsewhere; nothing where it is not known what changes."""
    found: dict[str, _Found] = {}
    for target in followed:
        for use in uses_beside(reader, target) if target.is_told else ():
            found.setdefault(use.path, _Found()).lines.update(use.lines)
    return [_item(reader, path, each) for path, each in found.items()]


def _item(reader: Reader, path: str, found: _Found) -> ImpactItem:
    symbols = reader.symbols(path)
    around = (innermost(symbols, line) for line in sorted(found.lines))
    names = [f"{each.parent}.{each.name}" if each.parent else each.name for each in around if each is not None]
    return ImpactItem(path, "reference", tuple(sorted(found.lines)), tuple(dict.fromkeys(names)))


def _certainty(item: ImpactItem, reached: Mapping[str, _Found], past: Past) -> tuple[int, int, float, int, str]:
    """The most certain first: by names that are defined once, by an import, by what changed together."""
    found = reached.get(item.path, _Found())
    return -len(found.certain), -bool(found.imports), -past.share(item.path), -len(item.lines), item.path


def _likely(
    known: Iterable[str],
    past: Past,
    named: Iterable[ImpactItem],
    reached: Mapping[str, _Found],
    alike: Mapping[str, float],
    used: Collection[str],
) -> list[ImpactItem]:
    """The code most likely to change as well, best first: by history, name, use and import."""
    tests = {item.path: item.reason for item in named}
    scored: list[tuple[float, str, ImpactItem]] = []
    for path in {*past.together, *tests, *reached, *alike, *used}.intersection(known):
        if language_id(path) in ("", *DATA_LANGUAGES) or kind_of(path) in LEFT_OUT:
            continue
        found = reached.get(path, _Found())
        reasons = {
            tests.get(path, "name"): NAMED_ALIKE * max(alike.get(path, 0.0), 0.5 * (path in tests)),
            "reference": REFERENCE * bool(found.certain),
            "import": LINK * bool(found.imports and not found.certain),
            "used": USED * (path in used),
            "history": TOGETHER * past.share(path),
        }
        if (score := sum(reasons.values()) + RECENT * past.recent.get(path, 0.0)) >= LEAST_SCORE:
            reason = next(each for each in REASONS if reasons.get(each))
            times = past.together.get(path)
            note = f"changed together {times.times} of {times.of} times" if times else ""
            lines = tuple(sorted(found.lines or found.imports))
            scored.append((-score, path, ImpactItem(path, reason, lines, (), note)))
    return [item for _, _, item in sorted(scored, key=lambda each: each[:2])[:MAX_LIKELY]]


def _grouped(items: Iterable[ImpactItem], relaxed: bool) -> dict[str, list[ImpactItem]]:
    groups: dict[str, list[ImpactItem]] = {"must": [], "should": [], "tests": [], "docs": []}
    for item in items:
        kind = kind_in_impact(item.path)
        if kind in LEFT_OUT or item.reason == "tested":
            continue
        group = {"test": "tests", "docs": "docs"}.get(kind, "must")
        aside = relaxed or kind in ("factory", "migration", "config") or item.reason in ("docs", "possible")
        if group == "must" and aside:
            group = "should"
        reason = {"tests": "test", "docs": "docs"}.get(group, kind if kind in ("factory", "migration") else item.reason)
        groups[group].append(ImpactItem(item.path, reason, item.lines, item.symbols))
    return {name: _merged(each) for name, each in groups.items()}


def _telling(tests: list[ImpactItem], reached: Mapping[str, _Found], after: Collection[str]) -> list[ImpactItem]:
    """Tests named after a target or using a definition of a name that is defined once; all where there are none."""
    return [
        each for each in tests if each.path in after or each.path not in reached or reached[each.path].certain
    ] or tests


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
    found = {use.path for use in reader.uses(clear) if kind_of(use.path) not in ("test", *LEFT_OUT)} - first
    return sorted(found - reader.minified(found))
