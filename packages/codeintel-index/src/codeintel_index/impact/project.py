"""What a project's own manifests say about names of modules: which folder a prefix stands for.

Read: `go.mod`, `package.json`, `tsconfig.json` and its relatives, `Cargo.toml`, `composer.json`. One that cannot be
read or says nothing of use is passed over: spellings are then compared by how they end.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

MAX_MANIFESTS = 300
MAX_BYTES = 1_000_000
HEADERS = ("h", "hh", "hpp", "hxx")
Parts = tuple[str, ...]
_COMMENT = re.compile(r"(\"(?:\\.|[^\"\\])*\")|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING = re.compile(r",(?=\s*[}\]])")
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Alias:
    """`prefix` is how modules below `folder` (from the root) are named in a family: go, script, rust or php."""

    family: str
    prefix: Parts
    folder: Parts


@dataclass(frozen=True)
class Project:
    """The files of a project and the names that its manifests give to folders."""

    paths: frozenset[str] = frozenset()
    aliases: tuple[Alias, ...] = ()

    def named(self, family: str, parts: Parts) -> list[Parts]:
        """The module as paths from the root, by the longest prefix first."""
        fitting = [each for each in self.aliases if each.family == family and parts[: len(each.prefix)] == each.prefix]
        fitting.sort(key=lambda each: -len(each.prefix))
        return [(*each.folder, *parts[len(each.prefix) :]) for each in fitting]

    def has(self, family: str) -> bool:
        """Whether the manifests say anything about a family."""
        return any(each.family == family for each in self.aliases)

    def header(self, name: str) -> str:
        """The only header of this name without its suffix, "" if there are several or none."""
        found = self._headers.get(name, [])
        return found[0] if len(found) == 1 else ""

    @cached_property
    def _headers(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.paths:
            stem, _, suffix = path.rpartition("/")[2].rpartition(".")
            if suffix in HEADERS:
                found.setdefault(stem, []).append(path)
        return found


def project_of(root: Path, paths: Iterable[str]) -> Project:
    """The project with these files."""
    known = frozenset(paths)
    manifests = [path for path in known if path.rpartition("/")[2] in READERS or _is_tsconfig(path)]
    manifests.sort(key=lambda path: (path.count("/"), path))
    aliases: dict[Alias, None] = {}
    for path in manifests[:MAX_MANIFESTS]:
        place = root / path
        try:
            stat = place.stat()
            aliases |= dict.fromkeys(_read(place, path, stat.st_mtime_ns, stat.st_size))
        except (OSError, ValueError, TypeError, AttributeError):
            continue  # gone, too large, no JSON or TOML, or not of the shape that its tool reads
    return Project(known, tuple(aliases))


def _is_tsconfig(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")


@lru_cache(maxsize=1000)
def _read(place: Path, path: str, _changed: int, size: int) -> tuple[Alias, ...]:
    folder, _, name = path.rpartition("/")
    if size > MAX_BYTES:
        return ()
    reader = READERS.get(name, _tsconfig)
    return tuple(reader(place.read_text(encoding="utf-8", errors="replace"), _parts(folder)))


def _parts(path: str) -> Parts:
    found: list[str] = []
    for part in path.split("/"):
        if part == "..":
            found = found[:-1]
        elif part not in ("", ".", "*"):
            found.append(part)
    return tuple(found)


def _go(text: str, folder: Parts) -> Iterator[Alias]:
    if named := _GO_MODULE.search(text):
        yield Alias("go", tuple(named[1].split("/")), folder)


def _package(text: str, folder: Parts) -> Iterator[Alias]:
    name = json.loads(text).get("name")
    if isinstance(name, str) and name:
        yield Alias("script", tuple(name.split("/")), folder)


def _tsconfig(text: str, folder: Parts) -> Iterator[Alias]:
    plain = _TRAILING.sub("", _COMMENT.sub(lambda match: match[1] or "", text))
    options = json.loads(plain).get("compilerOptions", {})
    base = (*folder, *_parts(options.get("baseUrl", "")))
    for pattern, places in options.get("paths", {}).items():
        prefix = tuple(part for part in pattern.split("/") if part != "*")
        for place in places if prefix else ():
            yield Alias("script", prefix, _parts("/".join((*base, place))))


def _cargo(text: str, folder: Parts) -> Iterator[Alias]:
    document = tomllib.loads(text)
    name = document.get("lib", {}).get("name") or document.get("package", {}).get("name")
    if name:
        yield Alias("rust", (str(name).replace("-", "_"),), (*folder, "src"))


def _composer(text: str, folder: Parts) -> Iterator[Alias]:
    document = json.loads(text)
    for section in ("autoload", "autoload-dev"):
        for prefix, places in document.get(section, {}).get("psr-4", {}).items():
            for place in places if isinstance(places, list) else [places]:
                yield Alias("php", tuple(filter(None, prefix.split("\\"))), (*folder, *_parts(place)))


READERS: dict[str, Callable[[str, Parts], Iterator[Alias]]] = {
    "go.mod": _go,
    "package.json": _package,
    "Cargo.toml": _cargo,
    "composer.json": _composer,
}
