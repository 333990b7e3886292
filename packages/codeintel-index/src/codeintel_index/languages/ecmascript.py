"""JavaScript, TypeScript and TSX: one grammar family with the same imports and the same empty implementations."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from codeintel_index.languages.language import ImportRules, Language, StubRules
from codeintel_index.languages.resolution import (
    Alias,
    Link,
    Parts,
    Project,
    Target,
    ends_like,
    folder_of,
    joined,
    link_if,
    parts_of,
    same,
)
from codeintel_index.results import Import

_SCRIPT = re.compile(r"\.(?:jsx?|tsx?|[mc][jt]s|vue|svelte|css|scss|sass|less|json)$")
_ALIAS_MARKS = ("@", "~", "#", "$")
_COMMENT = re.compile(r"(\"(?:\\.|[^\"\\])*\")|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING = re.compile(r",(?=\s*[}\]])")


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`./util`, `../util.js`, a package of the workspace, a path given in tsconfig, or `@/util`."""
    module = each.module.partition("?")[0]
    if module.startswith(("./", "../")) or module in (".", ".."):
        exact = joined(folder_of(importer), module.split("/"))
        return link_if(_is_script(exact, target))
    parts = tuple(module.split("/"))
    if any(_is_script(found, target) for found in _below_sources(project.named("script", parts))):
        return Link.FILE
    bare = (*parts[:-1], _SCRIPT.sub("", parts[-1]))
    spellings = [bare]
    if parts[0].startswith(_ALIAS_MARKS):
        spellings += [bare[1:], (bare[0][1:], *bare[1:])]
    return link_if(len(parts) > 1 and any(ends_like(importer, found, target.segments) for found in spellings))


def _is_script(found: Parts, target: Target) -> bool:
    """Whether the target is the file, with its suffix written, left out, or that of what it is compiled to."""
    if "/".join(found) == target.path or same(found, target.segments):
        return True
    return bool(found) and same((*found[:-1], _SCRIPT.sub("", found[-1])), target.segments)


def _below_sources(found: list[Parts]) -> Iterator[Parts]:
    """Each path, and the same path below the folder's sources: a package's name leaves them out."""
    for parts in found:
        yield parts
        for depth in range(len(parts) + 1):
            yield from ((*parts[:depth], sources, *parts[depth:]) for sources in ("src", "lib"))


def _package(text: str, folder: Parts) -> Iterator[Alias]:
    name = json.loads(text).get("name")
    if isinstance(name, str) and name:
        yield Alias("script", tuple(name.split("/")), folder)


def _tsconfig(text: str, folder: Parts) -> Iterator[Alias]:
    plain = _TRAILING.sub("", _COMMENT.sub(lambda match: match[1] or "", text))
    options = json.loads(plain).get("compilerOptions", {})
    base = (*folder, *parts_of(options.get("baseUrl", "")))
    for pattern, places in options.get("paths", {}).items():
        prefix = tuple(part for part in pattern.split("/") if part != "*")
        for place in places if prefix else ():
            yield Alias("script", prefix, parts_of("/".join((*base, place))))


_SCRIPT_COMMENTS = ("comment", "html_comment", "hash_bang_line")
_SCRIPT_WRAPPERS = ("export_statement", "lexical_declaration", "variable_declaration", "expression_statement")
_SCRIPT_STRINGS = ("string", "template_string", "regex", "jsx_text")
_IMPORTS = ImportRules(
    resolve=_resolve,
    family="script",
    headless=(".", "..", "./", "../", "../..", "./index", "../index"),
    package_head="index.ts",
    manifests=(("package.json", _package), ("tsconfig*.json", _tsconfig), ("jsconfig*.json", _tsconfig)),
)
_STUBS = StubRules(
    no_ops=("empty_statement", "string", "undefined", "debugger_statement"),
    blocks=("statement_block",),
    calls=("call_expression", "new_expression"),
    bases=("class_heritage", "extends_clause", "implements_clause"),
    boilerplate=("decorator", "hash_bang_line"),
    field_parameters=("accessibility_modifier", "readonly"),
)


JAVASCRIPT = Language(
    id="javascript",
    name="JavaScript",
    finds="class, function, method; top-level constant, variable",
    suffixes=(".js", ".jsx", ".mjs", ".cjs"),
    grammar=("tree_sitter_javascript", "language"),
    queries=("ecmascript.scm", "javascript.scm"),
    comments=_SCRIPT_COMMENTS,
    strings=_SCRIPT_STRINGS,
    interpolations=("template_substitution",),
    wrappers=_SCRIPT_WRAPPERS,
    file_names=("Jakefile",),
    interpreters=("node", "nodejs"),
    imports=_IMPORTS,
    stubs=_STUBS,
)

TYPESCRIPT = Language(
    id="typescript",
    name="TypeScript",
    finds="class, interface, type, enum, namespace, function, method; top-level constant, variable",
    suffixes=(".ts", ".mts", ".cts"),
    grammar=("tree_sitter_typescript", "language_typescript"),
    queries=("ecmascript.scm", "typescript.scm"),
    comments=_SCRIPT_COMMENTS,
    strings=_SCRIPT_STRINGS,
    interpolations=("template_substitution",),
    wrappers=(*_SCRIPT_WRAPPERS, "ambient_declaration"),
    imports=_IMPORTS,
    stubs=_STUBS,
)

TSX = replace(
    TYPESCRIPT,
    id="tsx",
    name="TSX",
    suffixes=(".tsx",),
    grammar=("tree_sitter_typescript", "language_tsx"),
)
