"""Zig."""

from codeintel_index.languages.language import ImportRules, Language
from codeintel_index.languages.resolution import Link, Project, Target, folder_of, joined, link_if
from codeintel_index.results import Import


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`@import("net/tcp.zig")`, from the file's folder."""
    return link_if("/".join(joined(folder_of(importer), each.module.split("/"))) == target.path)


ZIG = Language(
    id="zig",
    name="Zig",
    finds="struct, enum, union, error, function, method, test, constant, variable",
    suffixes=(".zig", ".zon"),
    grammar=("tree_sitter_zig", "language"),
    queries=("zig.scm",),
    comments=("comment",),
    strings=("string", "multiline_string", "character"),
    extra="languages",
    imports=ImportRules(resolve=_resolve),
)
