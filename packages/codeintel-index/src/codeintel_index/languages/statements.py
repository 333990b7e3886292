"""Languages of many dialects: a file with an error is queried statement by statement, so that none spoils another."""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node, Parser, Point, QueryCursor, Range

from codeintel_index.languages.grammar import Grammar

Match = tuple[int, dict[str, list[Node]]]


def match_statements(grammar: Grammar, data: bytes, ends: re.Pattern[bytes], late: Callable[[], bool]) -> list[Match]:
    """The matches of all statements, each parsed by itself. Group 1 of `ends` is what stands between two of them.

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
