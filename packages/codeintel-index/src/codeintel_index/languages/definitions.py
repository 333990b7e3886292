"""From captures to definitions: nesting, parents, kinds and line ranges are decided here, for all languages alike."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from codeintel_index.languages.captures import Captures, Found
from codeintel_index.languages.margin import Margin
from codeintel_index.languages.tree import SyntaxTree

CLASS_LIKE = frozenset({"class", "interface", "struct", "union", "enum", "trait", "impl", "record", "annotation"})
CONTAINERS = CLASS_LIKE | {"namespace", "module"}
CALLABLE = frozenset({"function", "method", "constructor"})
_BINDINGS = frozenset({"variable", "constant"})
_NO_PARENTS = frozenset({"type", "macro", "prototype"})
_DEEPEST = 64  # definitions nested deeper than this are left out: dotted parents would grow without bound
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"\boperator\b.*", re.DOTALL)


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
    enclosing: "Definition | None"
    is_symbol: bool


def definitions(tree: SyntaxTree, captures: Captures, margin: Margin) -> list[Definition]:
    """The definitions of a file in source order, outer ones before inner ones.

    Of several bindings of one name at the top of a file the first is the definition.
    """
    found = sorted(captures.definitions.values(), key=lambda each: (each.node.start_byte, -each.node.end_byte))
    result: list[Definition] = []
    open_ones: list[Definition] = []
    bound: set[tuple[str, str]] = set()
    for each in found:
        while open_ones and open_ones[-1].node.end_byte < each.node.end_byte:
            open_ones.pop()
        enclosing = _parent_of(each, open_ones)
        if len(open_ones) >= _DEEPEST or (each.role == "top" and not _is_top(enclosing)):
            continue
        made = _make(tree, each, enclosing, margin)
        if each.role == "top" and made.kind in _BINDINGS:
            if (made.parent, made.name) in bound:
                continue
            bound.add((made.parent, made.name))
        result.append(made)
        open_ones.append(made)
    return result


def _parent_of(found: Found, open_ones: Iterable[Definition]) -> Definition | None:
    barred = _NO_PARENTS | _BINDINGS if found.role == "top" else _NO_PARENTS  # `a = b = 1` binds two names at the top
    holders = [each for each in open_ones if each.kind not in barred and each.node != found.node]
    return holders[-1] if holders else None


def _is_top(enclosing: Definition | None) -> bool:
    while enclosing is not None and enclosing.kind in {"namespace", "module"}:
        enclosing = enclosing.enclosing
    return enclosing is None


def _make(tree: SyntaxTree, found: Found, enclosing: Definition | None, margin: Margin) -> Definition:
    receiver, name = _split_name(tree, found)
    outer = _outermost(found.node, tree.row.wrappers)
    around = _dotted(enclosing.parent, enclosing.name) if enclosing else ""
    return Definition(
        node=found.node,
        outer=outer,
        name=name,
        kind=_kind(found, name, enclosing, receiver),
        parent=_dotted(around, receiver),
        first=margin.first_row_above(outer) + 1,
        line=found.name.start_point.row + 1,
        last=last_row(found.node) + 1,
        enclosing=enclosing,
        is_symbol=found.role != "scope",
    )


def _split_name(tree: SyntaxTree, found: Found) -> tuple[str, str]:
    """(dotted type named by a definition outside of it, own name): `net::Client<T>::send` → (`net.Client`, `send`)."""
    name = tree.text(found.name).strip("\"'`")
    receiver = tree.text(found.receiver) if found.receiver else ""
    if found.name.type == "qualified_identifier":
        head, _, name = _without_arguments(name).rpartition("::")
        receiver = head.strip(":")
    if found.name.type == "operator_cast":
        name = name.partition("(")[0]
    return _without_arguments(receiver), " ".join(name.split())


def _dotted(*names: str) -> str:
    return ".".join(part for name in names for part in name.split("::") if part)


def _without_arguments(name: str) -> str:
    """`A<B<C>>::f` → `A::f`; an operator's own signs stay."""
    operator = _OPERATOR.search(name)
    head = name[: operator.start()] if operator else name
    while head != (shorter := _ARGUMENTS.sub("", head)):
        head = shorter
    return head + operator[0] if operator else head


def _kind(found: Found, name: str, enclosing: Definition | None, receiver: str) -> str:
    if found.kind == "function" and (receiver or (enclosing and enclosing.kind in CLASS_LIKE)):
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
