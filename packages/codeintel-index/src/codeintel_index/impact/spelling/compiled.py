"""Languages whose compiler finds modules by path: Go, Rust, C and C++, Zig."""

import re
from collections.abc import Iterator

from codeintel_index.impact.project import HEADERS, Parts, Project
from codeintel_index.impact.spelling.base import Link, Target, ends, folder_of, joined, link_if, same, segments_of
from codeintel_index.results import Import

_C_LIBRARY = re.compile(
    r"(?:assert|ctype|errno|fcntl|float|inttypes|limits|locale|math|pthread|setjmp|signal|stdarg|stdbool|stddef|stdint"
    r"|stdio|stdlib|strings?|time|unistd|wchar)\.h"
)
_RUST_OWN = ("std", "core", "alloc")
_CRATE_FILES = ("lib.rs", "main.rs", "build.rs")


def go(importer: str, each: Import, target: Target, project: Project) -> Link:
    """A package is a folder: which of its files is used, only the names tell."""
    if not target.path.endswith(".go"):
        return Link.NONE
    parts = tuple(each.module.split("/"))
    if project.has("go"):
        return Link.PACKAGE if target.folder in project.named("go", parts) else Link.NONE
    return Link.PACKAGE if ends(parts, target.folder) else Link.NONE


def rust(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`crate::net::tcp`, `super::tcp`, another crate of the workspace, or a child of this module."""
    parts = tuple(part for part in each.module.split("::") if part)
    found = [*_rust_paths(importer, parts, project)]
    spellings = [*found, *((*path, name) for path in found for name in each.names)]
    # The last part may be an item of the module.
    spellings += [path[:-1] for path in found if len(parts) > 1 and not each.names]
    return link_if(any(same(path, target.segments) for path in spellings))


def _rust_paths(importer: str, parts: Parts, project: Project) -> Iterator[Parts]:
    if not parts or parts[0] in _RUST_OWN:
        return
    own = _rust_module(importer)
    if parts[0] == "crate":
        yield (*_crate_root(importer), *parts[1:])
    elif parts[0] in ("self", "super"):
        ups = sum(part == "super" for part in parts)
        rest = [part for part in parts if part not in ("self", "super")]
        yield joined(own, [*[".."] * ups, *rest])
    else:
        yield from project.named("rust", parts)
        yield (*own, *parts)


def _rust_module(path: str) -> Parts:
    return folder_of(path) if path.rpartition("/")[2] in (*_CRATE_FILES, "mod.rs") else segments_of(path)


def _crate_root(path: str) -> Parts:
    folder = folder_of(path)
    return folder[: len(folder) - folder[::-1].index("src")] if "src" in folder else folder


def declares(importer: str, module: str, target: Target) -> bool:
    """Whether `mod module;` in a Rust file is about the target."""
    return same((*_rust_module(importer), module), target.segments)


def c(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`"net/tcp.h"` from the file's folder, else from a folder that the compiler is told to look in.

    Whoever includes a header may use what the source of the same name defines.
    """
    wanted = target.path
    header = _counterpart(wanted, project)
    if header and c(importer, each, Target(header), project):
        return Link.PACKAGE
    beside = "/".join(joined(folder_of(importer), each.module.split("/")))
    if beside == wanted or beside in project.paths:
        return link_if(beside == wanted)
    if _C_LIBRARY.fullmatch(each.module):
        return Link.NONE
    plain = "/".join(part for part in each.module.split("/") if part not in (".", ".."))
    return link_if(wanted == plain or wanted.endswith(f"/{plain}"))


def _counterpart(path: str, project: Project) -> str:
    """The header beside a source file, or of its name anywhere when there is one alone."""
    stem, _, suffix = path.rpartition(".")
    if suffix in HEADERS:
        return ""
    beside = [f"{stem}.{each}" for each in HEADERS if f"{stem}.{each}" in project.paths]
    return beside[0] if beside else project.header(stem.rpartition("/")[2])


def zig(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`@import("net/tcp.zig")`, from the file's folder."""
    return link_if("/".join(joined(folder_of(importer), each.module.split("/"))) == target.path)
