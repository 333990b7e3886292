"""Comments and attributes that stand alone in their rows. Those right above a definition belong to it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from codeintel_index.syntax.captures import Captures
from codeintel_index.syntax.tree import SyntaxTree

_OPENING = re.compile(
    r"^\s*(?:///?!?|//!|/\*+!?|\*+(?!/)|#+!?|<!--|--+(?:\[=*\[)?|\{-+"
    r"|@(?:type)?doc\s+(?:false\b|~[sS]\"{3}|\"{3}))?\s*"
)
_CLOSING = re.compile(r"\s*(?:\*+/|-->|-+\}|\]=*\])\s*$")
_QUOTED = re.compile(r"^\s*@(?:type)?doc\s+(?:~[sS])?\"(?!\"\")(.*)\"\s*$")
_TAGS = re.compile(r"^</?(?:summary|remarks|para|inheritdoc|value)\b[^<>]*>|</(?:summary|remarks|para|value)>$")
_MAGIC = re.compile(r"^\s*#\s*(?:-\*-.*-\*-|(?:frozen_string_literal|typed|warn_indent|(?:en)?coding)\s*[:=].*)$")
_RULE = re.compile(r"^[^\w\"'`<@({\[]+|[-=~#*_/\s]+$")
_LONGEST_DOC = 200
_LOOKED_AT = 1000  # bytes of a line; taking marks off both ends takes the square of its length


@dataclass(frozen=True, slots=True)
class LeadingComments:
    """Rows (0-based) of comments and attributes, each with the column in which its comment begins."""

    columns: dict[int, int]
    runs: dict[int, int]  # the first row of the unbroken run of such rows, whatever their columns
    attribute_rows: frozenset[int]
    lines: list[bytes]
    docs: Mapping[int, Node]  # text that documents what encloses it, by the first byte of that

    def first_row_above(self, node: Node) -> int:
        """Find the first row of the comments right above `node`, in its column; its own row where there are none."""
        row, column = node.start_point
        if self.lines[row][:column].strip():
            return row
        while self.columns.get(row - 1) == column:
            row -= 1
        return row

    def run_above(self, row: int) -> int:
        """Find the first row of the run of comments and attributes that ends above `row`; `row` where there is none."""
        return self.runs.get(row - 1, row)

    def doc_above(self, node: Node) -> str:
        """Extract the first line of prose above `node`, without comment marks, at most 200 characters."""
        rows = range(self.first_row_above(node), node.start_point.row)
        return first_prose(self.lines[row] for row in rows if row not in self.attribute_rows)


def leading_comments_of(tree: SyntaxTree, captures: Captures) -> LeadingComments:
    """Collect the comments and attributes of a file that stand alone in their rows."""
    columns: dict[int, int] = {}
    attributes: set[int] = set()
    for node in captures.comments:
        columns |= _rows_alone(node, tree.lines)
    for node in captures.attributes:
        rows = _rows_alone(node, tree.lines)
        columns |= rows
        attributes |= rows.keys()
    runs: dict[int, int] = {}
    for row in sorted(columns):
        runs[row] = runs.get(row - 1, row)
    return LeadingComments(columns, runs, frozenset(attributes), tree.lines, captures.docs)


def _rows_alone(node: Node, lines: list[bytes]) -> dict[int, int]:
    """The rows of `node` with its column; none where other code shares its first or last row."""
    (first, column), (last, end) = node.start_point, node.end_point
    if lines[first][:column].strip() or (lines[last][end:].strip() and end):
        return {}
    return dict.fromkeys(range(first, last + 1 if end else last), column)


def first_prose(lines: Iterable[bytes]) -> str:
    """Find the first line that holds words once comment marks and ruling are taken off; "" if there is none."""
    for line in lines:
        read = _MAGIC.sub("", line[:_LOOKED_AT].decode(errors="replace"))
        text = _CLOSING.sub("", _OPENING.sub("", _QUOTED.sub(r"\1", read)))
        text = _RULE.sub("", _TAGS.sub("", text)).strip()
        if any(map(str.isalnum, text)):
            return text[:_LONGEST_DOC]
    return ""
