"""Elixir."""

from codeintel_index.languages.language import ImportRules, Language
from codeintel_index.languages.resolution import Link, Project, Target, ends_like, link_if, snake
from codeintel_index.results import Import


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`alias Shop.{Cart, Line}`: the modules that a file defines, wherever it lies."""
    spellings = [f"{each.module}.{name}" for name in each.names] or [each.module]
    if any(found in target.symbols for found in spellings):
        return Link.FILE
    paths = (tuple(snake(part) for part in found.split(".")) for found in spellings)
    return link_if(not target.symbols and any(ends_like(importer, found, target.segments) for found in paths))


ELIXIR = Language(
    id="elixir",
    name="Elixir",
    finds="module, protocol, function, macro, struct, type, callback, constant (module attribute), test",
    suffixes=(".ex", ".exs"),
    grammar=("tree_sitter_elixir", "language"),
    queries=("elixir.scm",),
    comments=("comment",),
    strings=("string", "charlist", "sigil", "quoted_atom"),
    interpolations=("interpolation",),
    interpreters=("elixir",),
    multi_clause=True,
    extra="languages",
    imports=ImportRules(resolve=_resolve, names_symbols=True),
)
