"""From bytes to a syntax tree, or to None: this module alone decides what is worth parsing and for how long.

Lines end in `\\n`; a file is valid UTF-8 or it has no tree, so every slice at node borders decodes. Grammars and
queries are loaded once per process, at first use; a grammar that is not installed is None.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import tree_sitter
from tree_sitter import Node, Parser, Point, Query, QueryCursor, Range

from codeintel_index.languages.language import Language
from codeintel_index.languages.table import detect_language
from codeintel_index.syntax.unfit import is_unfit


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar with its compiled query. Safe to share; parsers and cursors are not, and are made per parse."""

    language: tree_sitter.Language
    query: Query


@cache
def grammar_of(language: Language) -> Grammar | None:
    """Load the grammar of a language; None where its wheel is missing.

    Raises `tree_sitter.QueryError` for a query that does not fit the grammar: that is a fault of this package.
    """
    module, function = language.grammar
    try:
        hand_out = getattr(import_module(module), function)
    except ModuleNotFoundError:
        return None
    loaded = tree_sitter.Language(hand_out())
    return Grammar(loaded, Query(loaded, _query_text(language)))


def _query_text(language: Language) -> str:
    folder = files("codeintel_index.languages")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in language.queries)


Match = tuple[int, dict[str, list[Node]]]


def match_statements(grammar: Grammar, data: bytes, ends: re.Pattern[bytes], late: Callable[[], bool]) -> list[Match]:
    """Match all statements, each parsed by itself. Group 1 of `ends` is what separates two of them.

    Statements for which no time is left are not queried.
    """
    found: list[Match] = []
    row = 0
    for start, end in _ranges(data, ends):
        if late():
            break
        column = start - (data.rfind(b"\n", 0, start) + 1)
        lines = data.count(b"\n", start, end)
        last = Point(row + lines, end - (data.rfind(b"\n", 0, end) + 1))
        parser = Parser(grammar.language, included_ranges=[Range(Point(row, column), last, start, end)])
        found += QueryCursor(grammar.query).matches(parser.parse(data).root_node)
        row += lines
    return found


def _ranges(data: bytes, ends: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """The statements as ranges of bytes, without gaps."""
    start = 0
    for match in ends.finditer(data):
        if match[1] is not None:
            yield start, match.end()
            start = match.end()
    if start < len(data):
        yield start, len(data)


# Of processor time; generated tables and garbage can take a grammar many times longer than real code of their size.
DEADLINE_S = 2.0
LONGEST_LINE = 20_000  # bytes; above it the file was made by a program and has no definitions worth a name
MOST_COLUMNS = 120
"""How many columns may be the beginning of a line: in 170,000 files none had more than 50. The scanners of YAML and
Python keep the open ones in a kilobyte, and crash the process where these are too many."""
_PREFIX = re.compile(rb"(?:^|[\n\r\f])((?:[-?:]?[ \t])*)")
_INDICATOR = re.compile(rb"[-?:]")  # each opens a level of YAML
_TAB = 8  # columns
_BLANKS = bytes.maketrans(b"-?:\t", b"    ")
MOST_ERROR_TOKENS = 10_000  # in one error node
_READ_SIZE = 65_536
_NAME_SIZE = 128
_VISIBLE = re.compile(rb"[^\n]")


@dataclass(frozen=True, slots=True)
class SyntaxTree:
    """A parsed file: its root node, the query's matches in it, and the bytes both point into."""

    language: Language
    data: bytes
    lines: list[bytes]
    root: Node
    matches: list[Match]

    def text(self, node: Node) -> str:
        """Return the source text of `node`."""
        return self.data[node.start_byte : node.end_byte].decode()


def read_tree(path: str, data: bytes, matched: bool = True) -> SyntaxTree | None:
    """Parse `data` in the language of `path`; without `matched` the query, half of the work, is not run.

    None where no grammar fits, the bytes are not UTF-8, a line is longer than `LONGEST_LINE`, lines begin at more than
    `MOST_COLUMNS`, parsing takes longer than `DEADLINE_S` or ended a process before, or what comes of it is a heap of
    errors.
    """
    language = detect_language(path, data)
    if language is None or not _is_text(data) or is_unfit(data):
        return None
    lines = data.split(b"\n")
    if max(map(len, lines)) > LONGEST_LINE or _is_deep(data):
        return None
    grammar = grammar_of(language)
    return _parse(language, grammar, data, lines, matched) if grammar else None


def _is_deep(data: bytes) -> bool:
    least = MOST_COLUMNS // _TAB if b"\t" in data else MOST_COLUMNS
    if b" " * least not in data.translate(_BLANKS):  # no line begins that far right: a tenth of the time
        return False
    columns: set[int] = set()
    for prefix in set(_PREFIX.findall(data)):
        for at in (*(mark.start() for mark in _INDICATOR.finditer(prefix)), len(prefix)):
            columns.add(at + (_TAB - 1) * prefix.count(b"\t", 0, at))
            if len(columns) > MOST_COLUMNS:
                return True
    return False


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


def _parse(language: Language, grammar: Grammar, data: bytes, lines: list[bytes], matched: bool) -> SyntaxTree | None:
    deadline = time.thread_time() + DEADLINE_S  # what a file is found to be must not depend on how busy the machine is

    def late(*_: Any) -> bool:
        return time.thread_time() > deadline

    seen = language.blanked.sub(_blank, data) if language.blanked else data
    seen = seen.replace(b"\0", b" ")  # a NUL ends a file for most grammars
    size = _READ_SIZE

    # A read callback, since the parser heeds the progress callback for no other kind of input.
    def read(at: int, _: object) -> bytes:
        return seen[at : at + size]

    try:
        tree = Parser(grammar.language).parse(read, progress_callback=late)
    except ValueError:  # how the binding reports a parse that was stopped
        return None
    if not matched:
        return SyntaxTree(language, data, lines, tree.root_node, [])
    if language.statement_ends and tree.root_node.has_error:
        return SyntaxTree(
            language, data, lines, tree.root_node, match_statements(grammar, seen, language.statement_ends, late)
        )
    if _is_rubble(tree.root_node):
        return None
    size = _NAME_SIZE  # from here on it is asked for the text of one node at a time, by the query's predicates
    # No deadline here: in tree-sitter 0.26 a query's progress callback crashes the process.
    return SyntaxTree(language, data, lines, tree.root_node, QueryCursor(grammar.query).matches(tree.root_node))


def nodes_of(root: Node) -> Iterator[Node]:
    """Yield a node and all named ones that it holds."""
    open_nodes = [root]
    while open_nodes:
        each = open_nodes.pop()
        yield each
        open_nodes.extend(each.named_children)
