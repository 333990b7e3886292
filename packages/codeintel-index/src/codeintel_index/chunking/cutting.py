"""Cutting: a piece over the budget is cut where statements begin, outer ones before inner ones, by lines if it must be.

Only a single line longer than the budget stays over it: to cut inside a line would take the ranges their meaning.
"""

from collections.abc import Mapping
from itertools import pairwise

from tree_sitter import Node

from codeintel_index.chunking.sizes import Sizes
from codeintel_index.languages.definitions import last_row
from codeintel_index.languages.margin import Margin

DEEPEST_BORDER = 48  # nothing written by hand nests deeper; below it lines are cut as they come
Borders = Mapping[int, int]  # line → depth; a border is before its line


def cut(start: int, end: int, borders: Borders, sizes: Sizes, max_tokens: int) -> list[tuple[int, int]]:
    """The lines `start` to `end` as runs within the budget, each as long as it can be."""
    runs: list[tuple[int, int]] = []
    for first, last in _atoms(start, end, borders, sizes, max_tokens):
        if runs and sizes.tokens(runs[-1][0], last) <= max_tokens:
            runs[-1] = runs[-1][0], last
        else:
            runs.append((first, last))
    return runs


def _atoms(start: int, end: int, borders: Borders, sizes: Sizes, max_tokens: int) -> list[tuple[int, int]]:
    """Runs within the budget that are not to be cut further, made from the outermost borders inwards."""
    done: list[tuple[int, int]] = []
    open_runs = [(start, end)]
    while open_runs:
        first, last = open_runs.pop()
        if first == last or sizes.tokens(first, last) <= max_tokens:
            done.append((first, last))
            continue
        depths = [borders[line] for line in range(first + 1, last + 1) if line in borders]
        depth = min(depths, default=None)
        cuts = [line for line in range(first + 1, last + 1) if depth is None or borders.get(line) == depth]
        bounds = [first, *cuts, last + 1]
        open_runs.extend(reversed([(a, b - 1) for a, b in pairwise(bounds)]))
    return done


def statement_borders(root: Node, margin: Margin, sizes: Sizes, max_tokens: int) -> dict[int, int]:
    """The lines with which a node begins, with its depth, down to nodes that fit the budget as they are.

    Comments count as part of what they stand above.
    """
    borders: dict[int, int] = {}
    open_nodes = [(root, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        if sizes.tokens(node.start_point.row + 1, last_row(node) + 1) <= max_tokens:
            continue
        for child in node.named_children:
            line = margin.run_above(child.start_point.row) + 1
            borders[line] = min(depth, borders.get(line, depth))
            if last_row(child) > child.start_point.row and depth < DEEPEST_BORDER:
                open_nodes.append((child, depth + 1))
    return borders


def text_borders(lines: list[str]) -> dict[int, int]:
    """The borders of a file without a tree: lines after a blank one, among them first those without indentation."""
    return {
        at + 1: 1 if lines[at][:1].isspace() else 0
        for at in range(1, len(lines))
        if lines[at].strip() and not lines[at - 1].strip()
    }
