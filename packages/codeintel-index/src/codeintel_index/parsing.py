"""One parse of one file yields all the index wants of it: symbols, chunks, names in use, imports.

A pure function of path and bytes; it never raises for what the bytes are. Lines end in `\\n` and a `\\r` before it is
no part of them: `str.splitlines` counts differently.
"""

from codeintel_index.chunking import chunk_definitions, chunk_lines
from codeintel_index.languages import language_of
from codeintel_index.languages.captures import sort_matches
from codeintel_index.languages.definitions import definitions
from codeintel_index.languages.describe import symbols_of
from codeintel_index.languages.imports import imports_in
from codeintel_index.languages.margin import margin_of
from codeintel_index.languages.names import names_in
from codeintel_index.languages.tree import read_tree
from codeintel_index.results import ParsedFile


def parse(path: str, data: bytes, *, max_tokens: int = 512) -> ParsedFile:
    """Symbols, chunks, names and imports of a file.

    `path` is relative with `/`; it tells the language and enters the chunk ids, nothing is read from it. `max_tokens`
    (estimated at 4 characters a token) bounds a chunk, unless a single line is longer. A file that has no grammar, is
    not UTF-8, has a line over 20,000 bytes or takes over 2 s to parse gets chunks by lines and nothing else; its
    `language` is told all the same.
    """
    tree = read_tree(path, data)
    if tree is None:
        return ParsedFile(language_of(path), chunks=chunk_lines(path, data, max_tokens))
    captures = sort_matches(tree)
    margin = margin_of(tree, captures)
    found = definitions(tree, captures, margin)
    return ParsedFile(
        language=tree.row.id,
        symbols=symbols_of(path, tree, margin, found),
        chunks=chunk_definitions(path, tree, margin, found, max_tokens),
        names=names_in(tree, captures),
        imports=imports_in(tree, captures),
    )
