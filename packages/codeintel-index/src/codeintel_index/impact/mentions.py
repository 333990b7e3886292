"""Files that mention a change without using it as code: documents, configuration, migrations, factories; and tests
that are named after it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.languages.resolution import segments_of, snake
from codeintel_index.languages.table import find_language
from codeintel_index.paths import MAX_BYTES
from codeintel_index.project_file import read_file
from codeintel_index.results import ImpactItem, Symbol
from codeintel_index.store.reader import Reader
from codeintel_index.tools.grep import lines_naming
from codeintel_index.tools.ripgrep import Search

MAX_WORDS = 60
MAX_TESTED = 3  # files that a test is about, by the names it uses
MAX_LINES = 20  # kept for one file
PROSE = (
    "*.{md,mdx,markdown,rst,rdoc,adoc,asciidoc,org,tex,textile,pod,txt"
    ",json,yaml,yml,toml,ini,cfg,conf,xml,properties,sql}"
)
_TELLING = re.compile(r"_|[a-z0-9][A-Z]|^[A-Z][A-Za-z]{3,}")
_TEST_MARKS = re.compile(r"^(?:test_|spec_)|(?:_tests?|_spec|[._-]test|[._-]spec|[._-]cy|Tests?|Spec)$|^Test(?=[A-Z])")
_MAKES_DATA = re.compile(r"/(?:factories|seeders?|seeds|fixtures|tests?|spec|database)/|/seeds?\.")
_IMPORTS = re.compile(r"\b(?:import|from|use|require|include|using)\b")
_KINDS_OF_FILES = frozenset({"", "test", "tests", "spec", "index", "mod", "init"})


def kind_in_impact(path: str) -> str:
    """Classify a file; a class called a factory is code like any other unless it lies where test data is made."""
    kind = kind_of(path)
    return "code" if kind == "factory" and not _MAKES_DATA.search(f"/{path.lower()}") else kind


def mentions(root: Path, targets: Sequence[str], symbols: Iterable[Symbol], search: Search) -> list[ImpactItem]:
    """Find documents and configuration that name a symbol, or the file itself."""
    names = _telling(symbols)
    words = [*names][:MAX_WORDS] + _spellings(targets)
    found: dict[str, dict[int, str]] = {}
    if words:
        for line in lines_naming(root, words, replace(search, glob=PROSE)):
            if line.starts and line.path not in targets:
                found.setdefault(line.path, {})[line.number] = line.text
    items = [_item(path, lines, names) for path, lines in found.items()]
    return sorted(items, key=lambda item: (-len(item.lines), item.path))


def mentions_in_code(
    root: Path, paths: Iterable[str], targets: Sequence[str], symbols: Iterable[Symbol], search: Search
) -> list[ImpactItem]:
    """Find code among `paths`, which the index does not know, that names a symbol or imports a target by its name."""
    code = {path for path in paths if find_language(path) and kind_of(path) not in ("docs", "config")}
    names = _telling(symbols)
    stems = {_stem(target) for target in targets} - {""}
    found: dict[str, list[int]] = {}
    if code and (names or stems):
        for line in lines_naming(root, [*[*names][:MAX_WORDS], *stems], search):
            is_named = any(name in line.text for name in names) or _IMPORTS.search(line.text)
            if line.starts and line.path in code and line.path not in targets and is_named:
                found.setdefault(line.path, []).append(line.number)
    return [ImpactItem(path, "possible", tuple(sorted(lines)[:MAX_LINES])) for path, lines in sorted(found.items())]


def _telling(symbols: Iterable[Symbol]) -> dict[str, None]:
    return dict.fromkeys(symbol.name for symbol in symbols if _TELLING.search(symbol.name))


def tables(root: Path, paths: Iterable[str], symbols: Iterable[Symbol]) -> list[ImpactItem]:
    """Find migrations and factories that name a class, or the table it would be kept in."""
    classes = {symbol.name for symbol in symbols if symbol.kind in ("class", "struct", "interface", "type")}
    words = {form for name in classes for form in (name, snake(name), f"{snake(name)}s", f"{snake(name)}es")}
    if not words:
        return []
    wanted = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, sorted(words))) + r")(?![A-Za-z0-9])")
    items: list[ImpactItem] = []
    for path in paths:
        kind = kind_in_impact(path)
        if kind not in ("migration", "factory"):
            continue
        try:
            text = read_file(root, path, MAX_BYTES).decode("utf-8", "replace")
        except OSError:  # gone, too large, not for us to read: its name alone may tell
            text = ""
        lines = [number for number, line in enumerate(text.split("\n"), 1) if wanted.search(line)]
        if lines or wanted.search(path):
            items.append(ImpactItem(path, kind, tuple(lines[:MAX_LINES])))
    return items


def tests_named_after(paths: Iterable[str], targets: Sequence[str], changed: Iterable[Symbol]) -> list[ImpactItem]:
    """Find test files named after a target or a changed definition: test_x.py, x_test.go, x.spec.ts, XTest.java."""
    stems = {_plain(_stem(target)) for target in targets if kind_of(target) != "test"} - {""}
    stems |= {_plain(name) for each in changed for name in (each.name, f"{each.parent}.{each.name}") if len(name) > 3}
    found: list[ImpactItem] = []
    for path in paths:
        if kind_of(path) != "test" or path in targets:
            continue
        about = _about(path)
        if any(about == stem or (len(stem) > 3 and about.startswith(f"{stem}_")) for stem in stems):
            found.append(ImpactItem(path, "test"))
    return found


def named_alike(paths: Iterable[str], targets: Sequence[str]) -> dict[str, float]:
    """Find files whose names share words with a target's: `format.h` and `format.cc`, `cart_view.py` and `cart.py`."""
    wanted = [words for words in map(_words, targets) if words]
    shares = (
        (path, max((len(each & _words(path)) / len(each | _words(path)) for each in wanted), default=0))
        for path in paths
    )
    return {path: share for path, share in shares if share}


@lru_cache(maxsize=100_000)
def _words(path: str) -> frozenset[str]:
    """The words of a file's name that do not say what kind of file it is."""
    words = _plain(path.rpartition("/")[2].partition(".")[0]).split("_")
    return frozenset(words) - _KINDS_OF_FILES


def tested(reader: Reader, paths: Iterable[str], targets: Sequence[str]) -> list[ImpactItem]:
    """Find the code that test targets are about: what they are named after, then whose names they use."""
    tests = [target for target in targets if kind_of(target) == "test"]
    stems = {about.rpartition("_")[0] if shorter else about for about in map(_about, tests) for shorter in (0, 1)} - {
        ""
    }
    fitting = (path for path in paths if stems and kind_of(path) not in ("test", "docs", "config"))
    named = [path for path in fitting if _plain(_stem(path)) in stems]
    used = [path for test in tests for path in _used(reader, test)]
    return [ImpactItem(path, "tested") for path in dict.fromkeys((*named, *used)) if path not in targets]


def _used(reader: Reader, test: str) -> list[str]:
    return [path for path in reader.defined_for(test) if path != test and kind_of(path) != "test"][:MAX_TESTED]


def _about(test: str) -> str:
    return _plain(_TEST_MARKS.sub("", _TEST_MARKS.sub("", _whole_stem(test))))


def _spellings(targets: Sequence[str]) -> list[str]:
    """The file itself as documents write it: its path, and as a dotted module."""
    dotted = [".".join(segments_of(target)) for target in targets if target.endswith(".py") and "/" in target]
    return [*targets, *(name.removeprefix("src.") for name in dotted)]


def _item(path: str, lines: dict[int, str], names: Iterable[str]) -> ImpactItem:
    kind = kind_of(path)
    reason = kind if kind in ("config", "migration", "factory", "test") else "docs"
    text = "\n".join(lines.values())
    named = tuple(name for name in names if re.search(rf"\b{re.escape(name)}\b", text))
    return ImpactItem(path, reason, tuple(sorted(lines))[:MAX_LINES], named)


def _stem(path: str) -> str:
    stem = _whole_stem(path)
    return path.rpartition("/")[0].rpartition("/")[2] if stem in ("__init__", "index", "mod") else stem


def _whole_stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _plain(stem: str) -> str:
    return snake(stem).replace("-", "_").replace(".", "_").strip("_")
