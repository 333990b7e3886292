"""From captures to definitions: nesting, parents, kinds and line ranges are decided here, for all languages alike."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from codeintel_index.languages.captures import Captures, Found
from codeintel_index.languages.clauses import join_clauses
from codeintel_index.languages.margin import Margin
from codeintel_index.languages.naming import dotted, split_name
from codeintel_index.languages.tree import SyntaxTree

CLASS_LIKE = frozenset(
    {"class", "interface", "struct", "union", "enum", "trait", "impl", "record", "annotation"}
    | {"object", "protocol", "extension", "instance", "given", "actor"}
)
CONTAINERS = CLASS_LIKE | {"namespace", "module", "section"}
CALLABLE = frozenset({"function", "method", "constructor"})
_BINDINGS = frozenset({"variable", "constant"})
_NO_PARENTS = frozenset({"type", "macro", "prototype", "selector"})
_DEEPEST = 64  # definitions nested deeper than this are left out: dotted parents would grow without bound
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A definition in its place. `first` counts its decorators and the comments above, `line` is that of its name."""

    node: Node
    outer: Node  # `node` with decorators, `export` or `template<>` around it
    name: str
    kind: str
    parent: str
    first: int
    line: int
    last: int
    end: int  # the byte after it
    enclosing: "Definition | None"
    is_symbol: bool


def definitions(tree: SyntaxTree, captures: Captures, margin: Margin) -> list[Definition]:
    """The definitions of a file in source order, outer ones before inner ones.

    Of several bindings of one name at the top of a file the first is the definition; so it is of rules for a selector.
    """
    found = sorted(captures.definitions.values(), key=lambda each: (each.node.start_byte, -each.node.end_byte))
    result: list[Definition] = []
    open_ones: list[Definition] = []
    bound: set[tuple[str, str]] = set()
    for each, last in join_clauses(tree, found):
        while open_ones and open_ones[-1].end < last.end_byte:
            open_ones.pop()
        enclosing = _parent_of(each, open_ones)
        if len(open_ones) >= _DEEPEST or (each.role == "top" and not _is_top(enclosing)):
            continue
        made = _make(tree, each, last, enclosing, margin)
        if not made.name:  # a key that is "", or the grammar's guess at where a name should be
            continue
        if (each.role == "top" and made.kind in _BINDINGS) or made.kind == "selector":
            if made.name == "_" or (made.parent, made.name) in bound:
                continue
            bound.add((made.parent, made.name))
        result.append(made)
        open_ones.append(made)
    return _few(result, tree.row.most)


def _few(found: list[Definition], most: int | None) -> list[Definition]:
    """At most so many: those within others go first, then those further down."""
    if most is None or len(found) <= most:
        return found
    return [each for each in found if each.enclosing is None][:most]


def _parent_of(found: Found, open_ones: Iterable[Definition]) -> Definition | None:
    barred = _NO_PARENTS | _BINDINGS if found.role == "top" else _NO_PARENTS  # `a = b = 1` binds two names at the top
    holders = [each for each in open_ones if each.kind not in barred and each.node != found.node]
    return holders[-1] if holders else None


def _is_top(enclosing: Definition | None) -> bool:
    while enclosing is not None and enclosing.kind in {"namespace", "module"}:
        enclosing = enclosing.enclosing
    return enclosing is None


def _make(tree: SyntaxTree, found: Found, last: Node, enclosing: Definition | None, margin: Margin) -> Definition:
    receiver, name = split_name(tree, found)
    outer = _outermost(found.node, tree.row.wrappers)
    around = dotted(enclosing.parent, enclosing.name) if enclosing else ""
    return Definition(
        node=found.node,
        outer=outer,
        name=name,
        kind=_kind(found, name, enclosing, receiver),
        parent=dotted(around, receiver),
        first=margin.first_row_above(outer) + 1,
        line=found.name.start_point.row + 1,
        last=last_row(last) + 1,
        end=last.end_byte,
        enclosing=enclosing,
        is_symbol=found.role != "scope",
    )


def _kind(found: Found, name: str, enclosing: Definition | None, receiver: str) -> str:
    is_member = (receiver and not found.is_owned) or (enclosing and enclosing.kind in CLASS_LIKE)
    if found.kind == "function" and is_member:
        return "method"
    if found.kind == "variable" and _CONSTANT.fullmatch(name) and len(name) > 1:
        return "constant"
    return found.kind


def _outermost(node: Node, wrappers: tuple[str, ...]) -> Node:
    """The decorated, exported or otherwise wrapped whole of which `node` is the sole or the first definition."""
    while (parent := node.parent) is not None and parent.type in wrappers and not _is_listed(node, parent):
        node = parent
    return node


def _is_listed(node: Node, parent: Node) -> bool:
    """Whether `node` is one of several in brackets, or not the first of its kind in `parent`."""
    for at in range(parent.child_count):
        child = parent.child(at)
        if child is None or child.type == "(":
            return True
        if child.type == node.type:
            return child != node
    return False


def last_row(node: Node) -> int:
    """The 0-based row on which `node` ends; a node that ends with its line break ends on the row before."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row
