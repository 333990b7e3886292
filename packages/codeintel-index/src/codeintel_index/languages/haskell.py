"""Haskell."""

from codeintel_index.languages.language import ImportRules, Language
from codeintel_index.languages.resolution import Link, Project, Target, ends_like, link_if
from codeintel_index.results import Import


def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    """`import qualified Data.Shop.Cart as C`."""
    parts = tuple(each.module.split("."))
    return link_if(parts == target.segments[-len(parts) :] and (len(parts) > 1 or ends_like(importer, parts, parts)))


HASKELL = Language(
    id="haskell",
    name="Haskell",
    finds="class, instance, data, newtype, type, constructor, field, function, method, pattern",
    suffixes=(".hs", ".hsc"),
    grammar=("tree_sitter_haskell", "language"),
    queries=("haskell.scm",),
    comments=("comment", "haddock"),
    strings=("string", "char", "quasiquote_body"),
    interpreters=("runhaskell", "runghc"),
    multi_clause=True,
    extra="languages",
    imports=ImportRules(resolve=_resolve),
)
