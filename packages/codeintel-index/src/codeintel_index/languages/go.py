"""Go."""

import re
from collections.abc import Iterator

from codeintel_index.languages.language import ALL_FOLDERS, ImportRules, Language, StubRules
from codeintel_index.languages.resolution import Alias, Link, Parts, Project, Target, ends
from codeintel_index.results import Import

_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """A package is a folder: which of its files is used, only the names tell."""
    if not target.path.endswith(".go"):
        return Link.NONE
    parts = tuple(each.module.split("/"))
    if project.has_aliases("go"):
        return Link.PACKAGE if target.folder in project.named("go", parts) else Link.NONE
    return Link.PACKAGE if ends(parts, target.folder) else Link.NONE


def _go_mod(text: str, folder: Parts) -> Iterator[Alias]:
    if named := _GO_MODULE.search(text):
        yield Alias("go", tuple(named[1].split("/")), folder)


GO = Language(
    id="go",
    name="Go",
    finds="struct, interface, type, function, method; top-level constant, variable",
    suffixes=(".go",),
    grammar=("tree_sitter_go", "language"),
    queries=("go.scm",),
    comments=("comment",),
    strings=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
    wrappers=("type_declaration", "const_declaration", "var_declaration"),
    public_names=re.compile(r"[A-Z]"),
    imports=ImportRules(
        resolve=_resolve,
        shared_folders=ALL_FOLDERS,
        is_public=lambda name: name[:1].isupper(),
        manifests=(("go.mod", _go_mod),),
    ),
    stubs=StubRules(
        no_ops=("empty_statement",),
        blocks=("block", "statement_list"),
        boilerplate=("package_clause",),
    ),
)
