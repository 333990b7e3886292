"""How far a definition reaches where it is more than its own node.

Clauses: a language may write a function as several definitions in a row; they are one together. A namespace without
braces holds what follows it, up to the next one.
"""

from collections.abc import Iterable

from tree_sitter import Node

from codeintel_index.languages.captures import Found
from codeintel_index.languages.tree import SyntaxTree

_Place = tuple[int, int]


def join_clauses(tree: SyntaxTree, found: Iterable[Found]) -> list[tuple[Found, Node]]:
    """Each definition with the last node that belongs to it, which is its own node in most languages.

    `found` is in source order. Only comments and the like may stand between two clauses.
    """
    if not tree.row.clauses:
        return [(each, _reach(each)) for each in found]
    joined: list[tuple[Found, Node]] = []
    latest: dict[_Place, int] = {}
    for each in found:
        place = _place(each.node.parent)
        at = latest.get(place)
        if at is not None and _continues(tree, *joined[at], each):
            joined[at] = joined[at][0], each.node
        else:
            latest[place] = len(joined)
            joined.append((each, each.node))
    return joined


def _reach(found: Found) -> Node:
    """The last node of a definition: its own or, for a namespace without a body, the last one before the next such."""
    node, around = found.node, found.node.parent
    if found.kind != "namespace" or around is None or node.child_by_field_name("body") is not None:
        return node
    last = node
    for each in around.children:
        if each.start_byte > node.start_byte:
            if each.type == node.type:
                break
            last = each
    return last


def _place(parent: Node | None) -> _Place:
    return (parent.start_byte, parent.end_byte) if parent else (-1, -1)


def _continues(tree: SyntaxTree, first: Found, last: Node, each: Found) -> bool:
    if first.kind != "function" or each.kind != "function" or tree.text(first.name) != tree.text(each.name):
        return False
    following = last.next_named_sibling
    while following is not None and following.is_extra:
        following = following.next_named_sibling
    return following == each.node
