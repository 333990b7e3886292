"""Lua."""

import re

from codeintel_index.languages.language import ImportRules, Language
from codeintel_index.languages.resolution import Link, Project, Target, ends_like, link_if
from codeintel_index.results import Import


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`require("shop.cart")`, dots or slashes, `init.lua` standing for its folder."""
    return link_if(ends_like(importer, tuple(re.split(r"[./]", each.module)), target.segments))


LUA = Language(
    id="lua",
    name="Lua",
    finds="function (`M.f`), method (`M:f`), top-level variable",
    suffixes=(".lua",),
    grammar=("tree_sitter_lua", "language"),
    queries=("lua.scm",),
    comments=("comment",),
    strings=("string",),
    wrappers=("variable_declaration", "assignment_statement"),
    interpreters=("lua", "luajit"),
    imports=ImportRules(resolve=_resolve),
)
