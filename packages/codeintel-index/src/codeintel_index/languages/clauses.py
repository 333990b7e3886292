"""How far a definition reaches where it is more than its own node.

Clauses: a language may write a function as several definitions in a row; they are one together. A namespace without
braces holds what follows it, up to the next one; so does a heading that is underlined, as no section is made of it.
"""

from collections.abc import Callable, Iterable

from tree_sitter import Node

from codeintel_index.languages.captures import Found
from codeintel_index.languages.tree import SyntaxTree

_Place = tuple[int, int]
_UNDERLINED = "setext_heading"
_NO_RANK = 9


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
    """The last node of a definition: its own, but for a namespace without a body and for an underlined heading."""
    node = found.node
    if found.kind == "namespace" and node.child_by_field_name("body") is None:
        return _last_before(node, lambda each: each.type == node.type)
    if node.type == _UNDERLINED:
        rank = _rank(node)
        return _last_before(node, lambda each: _rank(each) <= rank)
    return node


def _last_before(node: Node, ends: Callable[[Node], bool]) -> Node:
    """The last of the nodes that follow `node` before one that ends it."""
    last = node
    for each in node.parent.children if node.parent else ():
        if each.start_byte > node.start_byte:
            if ends(each):
                break
            last = each
    return last


def _rank(node: Node) -> int:
    """1 or 2 for a heading by its underline, 1 to 6 for a section by the marker of its heading, more for the rest."""
    if node.type == _UNDERLINED:
        return 1 if any(child.type == "setext_h1_underline" for child in node.children) else 2
    heading = node.child(0) if node.type == "section" else None
    marker = heading.child(0) if heading is not None and heading.type == "atx_heading" else None
    return int(marker.type.removeprefix("atx_h")[0]) if marker is not None else _NO_RANK


def _place(parent: Node | None) -> _Place:
    return (parent.start_byte, parent.end_byte) if parent else (-1, -1)


def _continues(tree: SyntaxTree, first: Found, last: Node, each: Found) -> bool:
    if first.kind != "function" or each.kind != "function" or tree.text(first.name) != tree.text(each.name):
        return False
    following = last.next_named_sibling
    while following is not None and following.is_extra:
        following = following.next_named_sibling
    return following == each.node
