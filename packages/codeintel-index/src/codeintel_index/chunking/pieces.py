"""Pieces: runs of lines that belong to one definition. A line belongs to the innermost unit that covers it.

Units are classes and their like, functions and methods, and anything else that spans lines. What stands inside a
function is a unit only where the function itself is over the budget.
"""

from dataclasses import dataclass

from codeintel_index.chunking.sizes import Sizes
from codeintel_index.languages.definitions import CALLABLE, CONTAINERS, Definition
from codeintel_index.languages.describe import body_of


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines `start` to `end`, all owned by `owner` (None: the module). `head`: the owner's own name is among them."""

    start: int
    end: int
    owner: Definition | None
    head: bool

    def part(self, start: int, end: int) -> "Piece":
        """The lines `start` to `end` of this piece."""
        return Piece(start, end, self.owner, self.head and self.owner is not None and start <= self.owner.line <= end)


def pieces_of(lines: list[str], found: list[Definition], sizes: Sizes, max_tokens: int) -> list[Piece]:
    """The file as pieces, in order, without gap or overlap."""
    owners: list[Definition | None] = [None] * len(lines)
    for unit, around in _units(found, sizes, max_tokens):
        _paint(owners, unit, around)
    _settle_blank_lines(owners, lines)
    starts = [at for at, owner in enumerate(owners) if at == 0 or owner is not owners[at - 1]]
    return [_piece(start + 1, end, owners[start]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _piece(start: int, end: int, owner: Definition | None) -> Piece:
    return Piece(start, end, owner, owner is not None and start <= owner.line <= end)


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
    for at in range(1, len(lines)):
        if not lines[at].strip() and (owners[at] is None or owners[at].kind in CONTAINERS):  # type: ignore[union-attr]
            owners[at] = owners[at - 1]
