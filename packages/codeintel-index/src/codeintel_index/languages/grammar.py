"""Grammars and queries are loaded once per process, at first use; a grammar that is not installed is None."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files

from tree_sitter import Language, Query

from codeintel_index.languages.row import LanguageRow


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar with its compiled query. Safe to share; parsers and cursors are not, and are made per parse."""

    language: Language
    query: Query


@cache
def grammar_of(row: LanguageRow) -> Grammar | None:
    """The grammar of `row`, or None where its wheel is missing.

    Raises `tree_sitter.QueryError` for a query that does not fit the grammar: that is a fault of this package.
    """
    module, function = row.grammar
    try:
        hand_out = getattr(import_module(module), function)
    except ModuleNotFoundError:
        return None
    language = Language(hand_out())
    return Grammar(language, Query(language, _query_text(row)))


def _query_text(row: LanguageRow) -> str:
    folder = files("codeintel_index.languages") / "queries"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in row.queries)
