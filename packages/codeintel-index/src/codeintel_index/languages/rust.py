"""Rust."""

import tomllib
from collections.abc import Iterator

from codeintel_index.languages.language import ImportRules, Language, StubRules
from codeintel_index.languages.resolution import (
    Alias,
    Link,
    Parts,
    Project,
    Target,
    folder_of,
    joined,
    link_if,
    same,
    segments_of,
)
from codeintel_index.results import Import

_STANDARD = ("std", "core", "alloc")
_CRATE_FILES = ("lib.rs", "main.rs", "build.rs")


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`crate::net::tcp`, `super::tcp`, another crate of the workspace, or a child of this module."""
    parts = tuple(part for part in each.module.split("::") if part)
    found = [*_paths(importer, parts, project)]
    spellings = [*found, *((*path, name) for path in found for name in each.names)]
    # The last part may be an item of the module.
    spellings += [path[:-1] for path in found if len(parts) > 1 and not each.names]
    return link_if(any(same(path, target.segments) for path in spellings))


def _paths(importer: str, parts: Parts, project: Project) -> Iterator[Parts]:
    if not parts or parts[0] in _STANDARD:
        return
    own = _module_of(importer)
    if parts[0] == "crate":
        yield (*_crate_root(importer), *parts[1:])
    elif parts[0] in ("self", "super"):
        ups = sum(part == "super" for part in parts)
        rest = [part for part in parts if part not in ("self", "super")]
        yield joined(own, [*[".."] * ups, *rest])
    else:
        yield from project.named("rust", parts)
        yield (*own, *parts)


def _module_of(path: str) -> Parts:
    return folder_of(path) if path.rpartition("/")[2] in (*_CRATE_FILES, "mod.rs") else segments_of(path)


def _crate_root(path: str) -> Parts:
    folder = folder_of(path)
    return folder[: len(folder) - folder[::-1].index("src")] if "src" in folder else folder


def _declares(importer: str, module: str, target: Target) -> bool:
    """Whether `mod module;` in a Rust file is about the target."""
    return same((*_module_of(importer), module), target.segments)


def _cargo(text: str, folder: Parts) -> Iterator[Alias]:
    document = tomllib.loads(text)
    name = document.get("lib", {}).get("name") or document.get("package", {}).get("name")
    if name:
        yield Alias("rust", (str(name).replace("-", "_"),), (*folder, "src"))


RUST = Language(
    id="rust",
    name="Rust",
    finds="struct, enum, union, trait, type, module, function, method, macro, constant",
    suffixes=(".rs",),
    grammar=("tree_sitter_rust", "language"),
    queries=("rust.scm",),
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "raw_string_literal", "char_literal"),
    separator="::",
    imports=ImportRules(
        resolve=_resolve,
        headless=("super", "self", "crate"),
        declares=_declares,
        manifests=(("Cargo.toml", _cargo),),
    ),
    stubs=StubRules(
        no_ops=("empty_statement", "unit_expression"),
        blocks=("block", "unsafe_block"),
        calls=("macro_invocation", "call_expression"),
        throws=(),
        returns=("return_expression",),
        boilerplate=("attribute_item", "inner_attribute_item"),
    ),
)
