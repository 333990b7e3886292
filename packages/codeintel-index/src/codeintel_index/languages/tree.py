"""From bytes to a syntax tree, or to None: this file alone decides what is worth parsing and for how long.

Lines end in `\\n`; a file is valid UTF-8 or it has no tree, so every slice at node borders decodes.
"""

import re
import time
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node, Parser, QueryCursor

from codeintel_index.languages.grammar import Grammar, grammar_of
from codeintel_index.languages.row import LanguageRow
from codeintel_index.languages.statements import Match, match_statements
from codeintel_index.languages.table import row_for

DEADLINE_S = 2.0  # generated tables and garbage can take a grammar many times longer than real code of their size
LONGEST_LINE = 20_000  # bytes; above it the file was made by a program and has no definitions worth a name
MOST_ERROR_TOKENS = 10_000  # in one error node
_READ_SIZE = 65_536
_NAME_SIZE = 128
_VISIBLE = re.compile(rb"[^\n]")


@dataclass(frozen=True, slots=True)
class SyntaxTree:
    """A parsed file: its root node, the query's matches in it, and the bytes both point into."""

    row: LanguageRow
    data: bytes
    lines: list[bytes]
    root: Node
    matches: list[Match]

    def text(self, node: Node) -> str:
        """The source text of `node`."""
        return self.data[node.start_byte : node.end_byte].decode()


def read_tree(path: str, data: bytes, matched: bool = True) -> SyntaxTree | None:
    """Parse `data` in the language of `path`; without `matched` the query, half of the work, is not run.

    None where no grammar fits, the bytes are not UTF-8, a line is longer than `LONGEST_LINE`, parsing takes
    longer than `DEADLINE_S`, or what comes of it is a heap of errors.
    """
    row = row_for(path, data)
    if row is None or not _is_text(data):
        return None
    lines = data.split(b"\n")
    if max(map(len, lines)) > LONGEST_LINE:
        return None
    grammar = grammar_of(row)
    return _parse(row, grammar, data, lines, matched) if grammar else None


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_rubble(root: Node) -> bool:
    """Whether an error node holds so many tokens that to query it, which takes the square of them, would not end."""
    open_nodes = [root] if root.has_error else []
    while open_nodes:
        node = open_nodes.pop()
        if node.is_error and node.child_count > MOST_ERROR_TOKENS:
            return True
        open_nodes.extend(child for child in node.children if child.has_error)
    return False


def _blank(match: re.Match[bytes]) -> bytes:
    """As many spaces as the match is long, its line breaks kept, so that every position stays as it is."""
    return match[0] if match[1] is None else _VISIBLE.sub(b" ", match[0])


def _parse(row: LanguageRow, grammar: Grammar, data: bytes, lines: list[bytes], matched: bool) -> SyntaxTree | None:
    deadline = time.monotonic() + DEADLINE_S

    def late(*_: Any) -> bool:
        return time.monotonic() > deadline

    seen = row.unseen.sub(_blank, data) if row.unseen else data
    size = _READ_SIZE

    # A read callback, since the parser heeds the progress callback for no other kind of input.
    def read(at: int, _: object) -> bytes:
        return seen[at : at + size]

    try:
        tree = Parser(grammar.language).parse(read, progress_callback=late)
    except ValueError:  # how the binding reports a parse that was stopped
        return None
    if not matched:
        return SyntaxTree(row, data, lines, tree.root_node, [])
    if row.statements and tree.root_node.has_error:
        return SyntaxTree(row, data, lines, tree.root_node, match_statements(grammar, seen, row.statements, late))
    if _is_rubble(tree.root_node):
        return None
    size = _NAME_SIZE  # from here on it is asked for the text of one node at a time, by the query's predicates
    # No deadline here: in tree-sitter 0.26 a query's progress callback crashes the process.
    return SyntaxTree(row, data, lines, tree.root_node, QueryCursor(grammar.query).matches(tree.root_node))
