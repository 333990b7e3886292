"""Chunks: every line of a file that is not all blank is in exactly one of them, and each keeps to its budget.

Each line is assigned to the definition that owns it, which makes pieces; pieces over the budget are split at statement
borders; small neighbours are joined; what remains gets its text and id. A line belongs to the innermost unit that
covers it: a class or the like, a function, or anything else that spans lines. What is inside a function is a unit
only where the function itself is over the budget. Only a single line longer than the budget stays over it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, pairwise

from tree_sitter import Node

from codeintel_index.languages.table import language_id
from codeintel_index.results import Chunk, lines_of
from codeintel_index.syntax.definitions import CALLABLE, CONTAINERS, Definition, last_row
from codeintel_index.syntax.leading_comments import LeadingComments
from codeintel_index.syntax.symbols import body_of
from codeintel_index.syntax.tree import SyntaxTree

CHARACTERS_PER_TOKEN = 4


class Sizes:
    """Sizes of all runs of lines of one file, by prefix sums: any question costs the same."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._before = [0, *accumulate(map(len, lines))]

    def tokens(self, start: int, end: int) -> int:
        """Estimate the tokens of the lines `start` to `end`, 1-based and inclusive; none past the last line."""
        last = len(self._before) - 1
        end, before = min(end, last), min(start - 1, last)
        return -(-(self._before[end] - self._before[before] + end - before) // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines `start` to `end`, all owned by `owner` (None: the module)."""

    start: int
    end: int
    owner: Definition | None

    @property
    def named(self) -> Definition | None:
        """The owner if its own name is among the lines."""
        return self.owner if self.owner is not None and self.start <= self.owner.line <= self.end else None


def pieces_of(lines: list[str], found: list[Definition], sizes: Sizes, max_tokens: int) -> list[Piece]:
    """Split a file into pieces, in order, without gap or overlap."""
    owners: list[Definition | None] = [None] * len(lines)
    for unit, around in _units(found, sizes, max_tokens):
        _paint(owners, unit, around)
    _settle_blank_lines(owners, lines)
    starts = [at for at, owner in enumerate(owners) if at == 0 or owner is not owners[at - 1]]
    return [Piece(start + 1, end, owners[start]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _units(found: list[Definition], sizes: Sizes, max_tokens: int) -> list[tuple[Definition, Definition | None]]:
    """Each unit with the unit around it."""
    units: dict[int, Definition] = {}
    result: list[tuple[Definition, Definition | None]] = []
    for each in found:
        around = each.enclosing
        while around is not None and id(around) not in units:
            around = around.enclosing
        opens = around is None or around.kind in CONTAINERS or sizes.tokens(around.first, around.last) > max_tokens
        if opens and _stands_alone(each):
            units[id(each)] = each
            result.append((each, around))
    return result


def _stands_alone(each: Definition) -> bool:
    """Whether a definition is a unit: declarations inside of a container are part of it, others need several lines."""
    around = each.enclosing
    if around is not None and around.line == each.line == each.last:
        return False
    if each.kind in CALLABLE | {"module", "namespace"} and body_of(each.node) is None:
        return (around is None and each.last > each.first) or each.end > each.node.end_byte  # it has clauses
    return each.kind in CALLABLE or each.kind in CONTAINERS or each.last > each.first


def _paint(owners: list[Definition | None], unit: Definition, around: Definition | None) -> None:
    """Give `unit` its lines, but for those a sibling has taken and the one on which the unit around it is named."""
    for at in range(unit.first - 1, min(unit.last, len(owners))):
        named = around is not None and around.line == at + 1
        if owners[at] is around and not named:
            owners[at] = unit


def _settle_blank_lines(owners: list[Definition | None], lines: list[str]) -> None:
    """Blank lines go with what is above them, so that no piece begins with one."""
    for at, line in enumerate(lines):
        if at and not line.strip() and (owners[at] is None or owners[at].kind in CONTAINERS):  # type: ignore[union-attr]
            owners[at] = owners[at - 1]


DEEPEST_BORDER = 48  # no code that people write nests deeper; below it any line may begin a run
Borders = Mapping[int, int]  # line → depth; a border is before its line


def cut(start: int, end: int, borders: Borders, sizes: Sizes, max_tokens: int) -> list[tuple[int, int]]:
    """Cut the lines `start` to `end` into runs within the budget, each as long as it can be."""
    runs: list[tuple[int, int]] = []
    for first, last in _atoms(start, end, borders, sizes, max_tokens):
        if runs and sizes.tokens(runs[-1][0], last) <= max_tokens:
            runs[-1] = runs[-1][0], last
        else:
            runs.append((first, last))
    return runs


def _atoms(start: int, end: int, borders: Borders, sizes: Sizes, max_tokens: int) -> list[tuple[int, int]]:
    """Runs within the budget that need no further cut, made from the outermost borders inwards."""
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


def statement_borders(root: Node, leading: LeadingComments, sizes: Sizes, max_tokens: int) -> dict[int, int]:
    """Find the lines on which a node begins, with its depth, down to nodes that fit the budget.

    Comments count as part of what they stand above.
    """
    borders: dict[int, int] = {}
    open_nodes = [(root, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        if sizes.tokens(node.start_point.row + 1, last_row(node) + 1) <= max_tokens:
            continue
        for child in node.named_children:
            line = leading.run_above(child.start_point.row) + 1
            borders[line] = min(depth, borders.get(line, depth))
            if last_row(child) > child.start_point.row and depth < DEEPEST_BORDER:
                open_nodes.append((child, depth + 1))
    return borders


def text_borders(lines: list[str]) -> dict[int, int]:
    """Find the borders of a file without a tree: lines after a blank one, first those without indentation."""
    return {
        at + 1: 1 if lines[at][:1].isspace() else 0
        for at in range(1, len(lines))
        if lines[at].strip() and not lines[at - 1].strip()
    }


SMALL_SHARE = 8
JOINED_SHARE = 2
_LONGEST_NAME = 200
_SAYS_SOMETHING = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Label:
    """What a chunk is called."""

    kind: str
    symbol: str
    parent: str


def join(pieces: list[Piece], lines: list[str], sizes: Sizes, max_tokens: int) -> list[list[Piece]]:
    """Group the pieces, in order; each group becomes one chunk."""
    small = max_tokens // SMALL_SHARE
    groups: list[list[Piece]] = []
    for piece in pieces:
        if groups and _joins(groups[-1], piece, lines, sizes, max_tokens, small):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _joins(group: list[Piece], piece: Piece, lines: list[str], sizes: Sizes, max_tokens: int, small: int) -> bool:
    together = sizes.tokens(group[0].start, piece.end)
    if not any(map(_SAYS_SOMETHING.search, lines[piece.start - 1 : piece.end])):
        return together <= max_tokens
    return together <= max_tokens // JOINED_SHARE and all(
        sizes.tokens(each.start, each.end) < small for each in (*group, piece)
    )


def label(group: list[Piece]) -> Label | None:
    """Name a group: after its only definition or the one that holds all others, else after all.

    A group in which nothing is defined continues its owner; None where it has none.
    """
    named = [piece.named for piece in group if piece.named is not None]
    if not named:
        return _label_of(group[0].owner)
    if all(_within(each, named[0]) for each in named):
        return _label_of(named[0])
    parents = {each.parent for each in named}
    names = [each.name for each in named if each.enclosing not in named]
    return Label("merged", ", ".join(names)[:_LONGEST_NAME], parents.pop() if len(parents) == 1 else "")


def _label_of(owner: Definition | None) -> Label | None:
    return None if owner is None else Label(owner.kind, owner.name, owner.parent)


def _within(each: Definition | None, outer: Definition) -> bool:
    while each is not None and each is not outer:
        each = each.enclosing
    return each is outer


ID_DIGITS = 20
_MODULE = Label("module", "", "")
_TEXT = Label("text", "", "")


def chunk_definitions(
    path: str, tree: SyntaxTree, leading: LeadingComments, found: list[Definition], max_tokens: int
) -> tuple[Chunk, ...]:
    """Chunk a parsed file, in order; a file of blank lines has no chunks."""
    lines = lines_of(tree.data)
    if not lines:
        return ()
    sizes = Sizes(lines)
    pieces = pieces_of(lines, [each for each in found if not each.is_inner], sizes, max_tokens)
    if any(sizes.tokens(piece.start, piece.end) > max_tokens for piece in pieces):
        borders = statement_borders(tree.root, leading, sizes, max_tokens)
        pieces = [
            Piece(*run, piece.owner)
            for piece in pieces
            for run in cut(piece.start, piece.end, borders, sizes, max_tokens)
        ]
    groups = join(pieces, lines, sizes, max_tokens)
    unowned = _TEXT if tree.language.is_data else _MODULE
    return _chunks(
        path, tree.language.id, lines, ((group[0].start, group[-1].end, label(group) or unowned) for group in groups)
    )


def chunk_lines(path: str, data: bytes, max_tokens: int) -> tuple[Chunk, ...]:
    """Chunk a file without a tree, cut at blank lines. Bytes that are not UTF-8 show as U+FFFD."""
    lines = lines_of(data)
    runs = cut(1, len(lines), text_borders(lines), Sizes(lines), max_tokens) if lines else []
    return _chunks(path, language_id(path), lines, ((start, end, _TEXT) for start, end in runs))


def _chunks(path: str, language: str, lines: list[str], ranges: Iterable[tuple[int, int, Label]]) -> tuple[Chunk, ...]:
    if not any(map(str.strip, lines)):
        return ()
    found: list[Chunk] = []
    for start, end, named in ranges:
        text = "\n".join(lines[start - 1 : end])
        digest = sha256(f"{path}\0{start}-{end}\0{text}".encode(errors="surrogatepass")).hexdigest()
        found.append(
            Chunk(digest[:ID_DIGITS], path, start, end, named.kind, named.symbol, named.parent, language, text)
        )
    return tuple(found)
