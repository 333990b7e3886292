"""Does an import mean a file? Answered for any spelling by comparing path segments, never by running a build.

`..store.db`, `./util`, `@/lib/util`, `crate::net::tcp`, `example.org/app/store`, `net/tcp.h` and `App\\Models\\User`
all become segments; relative ones are resolved from the importing file, the others must end like the file's path.
"""

import re
from collections.abc import Sequence

from codeintel_index.results import Import

_EXTENSION = re.compile(r"\.(?:d\.ts|[A-Za-z0-9]{1,6})$")
_SCRIPT = re.compile(
    r"\.(?:jsx?|tsx?|mjs|cjs|vue|svelte|css|scss|sass|less|json|h|hh|hpp|hxx|c|cc|cpp|py|rb|php|dart)$"
)
_SEPARATORS = re.compile(r"::|[./\\]")
_ROOTS = {"crate", "self", "super", "@", "~", "src", "lib", ""}
_HEADS = {"__init__", "index", "mod", "lib", "main"}  # files that stand for their folder


def segments_of(path: str) -> tuple[str, ...]:
    """A file's module segments: no extension, and the folder for files that stand for theirs."""
    parts = _EXTENSION.sub("", path).split("/")
    return tuple(parts[:-1] if parts[-1] in _HEADS and len(parts) > 1 else parts)


def means(importer: str, each: Import, target: str) -> bool:
    """Whether an import in `importer` names the file `target`, as a module or as the home of an imported name."""
    if importer == target:
        return False
    wanted = segments_of(target)
    exact = _relative(importer, each.module)
    if exact is not None:
        items = (exact[:-1],) if "::" in each.module else ()  # Rust names the item after the module
        return any(_same(found, wanted) for found in (exact, *items, *((*exact, name) for name in each.names)))
    parts = _absolute(each.module)
    spellings = [parts, *((*parts, name) for name in each.names), parts[:-1]]
    if target.endswith(".go"):
        return _ends(parts, tuple(target.split("/")[:-1]))  # Go imports folders
    return any(_ends_like(importer, spelling, wanted) for spelling in spellings[: -1 if len(parts) < 3 else None])


def through_package(importer: str, each: Import, target: str, symbols: frozenset[str]) -> bool:
    """Whether an import takes one of the file's symbols from a package around the file, which passes it on."""
    if symbols.isdisjoint(each.names):
        return False
    folders = segments_of(target)[:-1]
    exact = _relative(importer, each.module)
    parts = exact if exact is not None else _absolute(each.module)
    return any(_ends(parts, folders[: depth + 1]) for depth in range(len(folders)))


def _relative(importer: str, module: str) -> tuple[str, ...] | None:
    """Segments from the root of a module given relative to its importer, None if it is not."""
    folder = importer.split("/")[:-1]
    if module.startswith(("./", "../")) or module in (".", ".."):
        return _joined(folder, _SCRIPT.sub("", module).split("/"))
    dots = len(module) - len(module.lstrip("."))
    if dots:
        rest = [part for part in module[dots:].split(".") if part]
        return _joined(folder, [".."] * (dots - 1) + rest)
    if module.startswith(("super::", "self::")):
        parts = module.split("::")
        ups = [".." for part in parts if part == "super"]
        own = (
            []
            if importer.rpartition("/")[2] in ("mod.rs", "lib.rs", "main.rs")
            else [_EXTENSION.sub("", importer.rpartition("/")[2])]
        )
        return _joined([*folder, *own], [*ups, *(part for part in parts if part not in ("super", "self"))])
    return None


def _joined(folder: Sequence[str], parts: Sequence[str]) -> tuple[str, ...]:
    found = list(folder)
    for part in parts:
        if part == "..":
            found = found[:-1]
        elif part not in (".", ""):
            found.append(part)
    return tuple(found)


def _absolute(module: str) -> tuple[str, ...]:
    text = _SCRIPT.sub("", module) if "/" in module or _SCRIPT.search(module) else module
    parts = [part for part in (text.split("/") if "/" in text else _SEPARATORS.split(text)) if part != "*"]
    while len(parts) > 1 and parts[0] in _ROOTS:
        parts = parts[1:]
    return tuple(parts)


def _same(found: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return bool(found) and (found == wanted or (found[-1] in _HEADS and found[:-1] == wanted))


def _ends(parts: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether one of the two ends with the other: a module path may start above or below the project's root."""
    count = min(len(parts), len(path))
    return count > 0 and parts[-count:] == path[-count:]


def _ends_like(importer: str, parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if not parts or not wanted:
        return False
    if len(parts) > 1:
        # Prefixes that only exist outside the tree (`com/acme`, a package name) are tolerated for two segments or more.
        return wanted[-len(parts) :] == parts or (len(wanted) > 1 and parts[-len(wanted) :] == wanted)
    folder = tuple(importer.split("/")[:-1])
    above = wanted[:-1]
    near = above == folder or all(part in ("src", "lib", "include", "app") for part in above)
    return wanted[-1] == parts[0] and near
