"""Joining: neighbours too small to be found on their own become one chunk, and a group of pieces gets one name.

Small is under an eighth of the budget; what is joined stays within half of it. Lines without a letter or digit (closing
braces) go with what is above them, whatever its size.
"""

import re
from dataclasses import dataclass

from codeintel_index.chunking.pieces import Piece
from codeintel_index.chunking.sizes import Sizes
from codeintel_index.languages.definitions import Definition

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
    """The pieces in groups, in order; each group is to be one chunk."""
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
    """The name of a group: that of its only definition or of the one that holds all others, else all names.

    A group in which nothing is defined continues its owner; None where it has none.
    """
    named = [piece.owner for piece in group if piece.head and piece.owner is not None]
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
