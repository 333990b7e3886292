"""One parse of one file: everything the index stores of it, its outline, and what a place in it is part of.

Pure functions of path and bytes; none raises for what the bytes are. Lines end in `\\n` and a `\\r` before it does not
belong to them: `str.splitlines` counts differently.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from tree_sitter import Node

from codeintel_index.languages.file_kinds import is_prose
from codeintel_index.languages.table import language_id
from codeintel_index.results import ParsedFile, Structure, Symbol
from codeintel_index.syntax.captures import Captures
from codeintel_index.syntax.chunking import chunk_definitions, chunk_lines
from codeintel_index.syntax.definitions import CALLABLE, MEMBERS, read_definitions
from codeintel_index.syntax.leading_comments import first_prose
from codeintel_index.syntax.symbols import (
    bases_in,
    docstring_in,
    exports_in,
    imports_in,
    names_in,
    string_line,
    symbols_of,
)
from codeintel_index.syntax.tree import SyntaxTree, read_tree

_LEGAL = re.compile(rb"copyright|licen[cs]e|SPDX|all rights reserved|\(c\)", re.IGNORECASE)
_PRAGMA = re.compile(
    rb"\s*(?:#!|#.*coding[:=]|//go:|//\s*@ts-|/\*\s*(?:eslint|jshint)|[\"']use strict|\{-#|//\s*\S+\.[a-z]+\s*$)"
)


def structure(path: str, data: bytes) -> Structure:
    """Outline a file: imports, exports, symbols with their ranges, and the first line of its documentation.

    A file that cannot be parsed has lines and, if it is prose, its first line as `doc`; nothing else.
    """
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    tree = read_tree(path, data)
    if tree is None:
        doc = first_prose(data.split(b"\n")[:50]) if is_prose(path) else ""
        return Structure(path, language_id(path), lines, doc, (), (), ())
    captures, leading, found = read_definitions(tree)
    return Structure(
        path=path,
        language=tree.language.id,
        lines=lines,
        doc=_file_doc(tree, captures),
        imports=imports_in(tree, captures),
        exports=exports_in(tree, captures, found),
        symbols=symbols_of(path, tree, leading, found),
    )


def _file_doc(tree: SyntaxTree, captures: Captures) -> str:
    """The module's docstring, else the first line of the first comment before any code that is not a legal notice.

    Where there are no comments the text itself is the documentation.
    """
    if tree.language.docstrings and (docstring := docstring_in(tree.root)) is not None:
        return string_line(tree, docstring)
    if not tree.language.comments:
        return first_prose(tree.lines[:50])
    for block in _leading_blocks(tree, captures):
        if not any(map(_LEGAL.search, block)) and (doc := first_prose(block)):
            return doc
    inner = next(iter(captures.docs.values()), None)
    return first_prose(tree.text(inner).encode().split(b"\n")) if inner else ""


def _leading_blocks(tree: SyntaxTree, captures: Captures) -> list[list[bytes]]:
    """The comments at the head of the file as blocks of adjoining lines, compiler and tool marks left out."""
    blocks: list[list[bytes]] = []
    last = -2
    comments = {node.start_byte: node for node in captures.comments}
    for child in tree.root.children:
        if (node := comments.get(child.start_byte)) is None:
            if _PRAGMA.match(tree.data, child.start_byte, child.end_byte):
                continue
            break
        row, end = node.start_point.row, node.end_point
        if row > last + 1:
            blocks.append([])
        last = end.row - (end.column == 0)
        blocks[-1].extend(line for line in tree.lines[row : last + 1] if not _PRAGMA.match(line))
    return blocks


def innermost(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """Find the smallest of the symbols of one file whose lines hold `line` (1-based); None outside of all.

    Fields and the like do not contain code: `self.x = 1` is in its method.
    """
    around = [each for each in symbols if each.first_line <= line <= each.end_line and each.kind not in MEMBERS]
    return min(around, key=lambda each: (each.end_line - each.first_line, -each.line), default=None)


_WORD = re.compile(r"[^\W\d]\w*")


def names_touched(path: str, data: bytes, before: str, changed: Sequence[tuple[int, int]]) -> set[str]:
    """List the words of the changed lines (1-based ranges), the definitions around them, and the words that are gone
    since the text `before`."""
    text = data.decode("utf-8", "replace")
    lines = text.splitlines()
    found = {word for start, end in changed for line in lines[start - 1 : end] for word in _WORD.findall(line)}
    for symbol in structure(path, data).symbols:
        if any(symbol.first_line <= end and start <= symbol.end_line for start, end in changed):
            found.add(symbol.name)
    return found | ({*_WORD.findall(before)} - {*_WORD.findall(text)})


def definitions_at(path: str, data: bytes, start: int, end: int) -> set[str]:
    """List the innermost definitions that hold these lines (1-based): qualified name and first line."""
    symbols = structure(path, data).symbols
    found = (innermost(symbols, line) for line in range(start, end + 1))
    return {f"{each.parent}.{each.name}".lstrip(".") + f":{each.first_line}" for each in found if each is not None}


def altered(path: str, data: bytes, before: bytes) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    """List the functions of the text `before` that read otherwise now or are gone: the qualified name, and the lines
    where they were and are."""
    now = {(name, text): lines for name, text, lines in _functions(path, data)}
    places = {name: lines for (name, _), lines in now.items()}
    return [
        (name, (lines, *([places[name]] if name in places else [])))
        for name, text, lines in _functions(path, before)
        if (name, text) not in now
    ]


def _functions(path: str, data: bytes) -> Iterator[tuple[str, bytes, tuple[int, int]]]:
    lines = data.split(b"\n")
    for each in structure(path, data).symbols:
        if each.kind in CALLABLE:
            text = b"\n".join(lines[each.first_line - 1 : each.end_line])
            yield f"{each.parent}.{each.name}".lstrip("."), text, (each.first_line, each.end_line)


def classify(path: str, data: bytes, places: Sequence[tuple[int, int]]) -> list[str]:
    """Classify what each place is part of: "code", "comment" (docstrings too), "string" or "docs".

    A place is a 1-based line and a 0-based column in bytes. Everything in a file of prose or data is "docs"; in a file
    that cannot be parsed everything is "code", as is a place past the end of its line or of the file.
    """
    if is_prose(path):
        return ["docs"] * len(places)
    tree = read_tree(path, data, matched=False)
    if tree is None:
        return ["code"] * len(places)
    starts = list(accumulate((len(line) + 1 for line in tree.lines), initial=0))
    return [_part(tree, starts, line - 1, column) for line, column in places]


def _part(tree: SyntaxTree, starts: list[int], row: int, column: int) -> str:
    if not 0 <= row < len(tree.lines) or column >= len(tree.lines[row]):
        return "code"
    at = starts[row] + column
    part = "code"
    cursor = tree.root.walk()
    # From the root down, since each step up costs the whole way down again.
    while cursor.goto_first_child_for_byte(at) is not None:
        node = cursor.node
        if node is None or not node.start_byte <= at < node.end_byte:
            break
        if node.type in tree.language.interpolations:
            part = "code"
        elif node.type in tree.language.comments:
            part = "comment"
        elif node.type in tree.language.strings:
            part = "comment" if _is_docstring(tree, node) else "string"
    return part


def _is_docstring(tree: SyntaxTree, string: Node) -> bool:
    """Whether `string` is where its language keeps documentation: first in the file or in a definition's body."""
    statement = string.parent
    if not tree.language.docstrings or statement is None or statement.parent is None:
        return False
    body = statement.parent
    holder = body.parent
    return docstring_in(body) == string and (holder is None or holder.type.endswith("_definition"))


def parse(path: str, data: bytes, *, max_tokens: int = 512) -> ParsedFile:
    """Parse a file into symbols, chunks, names and imports.

    `path` is relative with `/`; it tells the language and enters the chunk ids, nothing is read from it. `max_tokens`
    (estimated at 4 characters a token) bounds a chunk, unless a single line is longer. A file that has no grammar, is
    not UTF-8, has a line over 20,000 bytes, begins its lines at over 120 columns or takes over 2 s to parse gets chunks
    by lines and nothing else; its `language` is set nevertheless.
    """
    tree = read_tree(path, data)
    if tree is None:
        return ParsedFile(language_id(path), chunks=chunk_lines(path, data, max_tokens))
    captures, leading, found = read_definitions(tree)
    return ParsedFile(
        language=tree.language.id,
        symbols=symbols_of(path, tree, leading, found),
        chunks=chunk_definitions(path, tree, leading, found, max_tokens),
        names=names_in(tree, captures, found),
        imports=imports_in(tree, captures),
        bases=bases_in(tree, captures, found),
    )
