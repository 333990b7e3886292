"""Symbols from Universal Ctags for prepared files that no grammar reads: one call for all files of a request."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from codeintel_index.errors import ToolTimeout
from codeintel_index.languages.installed import has_no_grammar
from codeintel_index.results import Symbol
from codeintel_index.store.prepared import Prepared, symbol_rows
from codeintel_index.tools.ctags import find_ctags, tags_of


def with_tags(root: Path, files: Iterable[Prepared]) -> list[Prepared]:
    """The files, in order; those without a grammar have the symbols that ctags finds, if it is there."""
    prepared = list(files)
    wanted = [each.stat.path for each in prepared if _lacks_symbols(each)]
    ctags = find_ctags() if wanted else None
    if ctags is None:
        return prepared
    try:
        found = tags_of(ctags, root, wanted)
    except ToolTimeout as late:  # the rows are good but for the symbols: the report says so once a request
        error = f"{wanted[0]}: {late}"
        return [replace(each, error=error) if each.stat.path == wanted[0] else each for each in prepared]
    return [_tagged(each, found.get(each.stat.path, [])) for each in prepared]


def _lacks_symbols(each: Prepared) -> bool:
    return bool(each.chunks) and not each.symbols and has_no_grammar(each.stat.path)


def _tagged(each: Prepared, symbols: list[Symbol]) -> Prepared:
    return replace(each, symbols=symbol_rows(symbols)) if symbols else each
