"""From captures to definitions: names, nesting, parents, kinds and line ranges, decided for all languages alike.

A definition may reach further than its own node. A language may write a function as several clauses in a row, which
together are one definition; a namespace without braces holds what follows it, up to the next one; a heading holds what
follows it, up to the next of its rank.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tree_sitter import Node

from codeintel_index.syntax.captures import Captures, Found, sort_matches
from codeintel_index.syntax.leading_comments import LeadingComments, leading_comments_of
from codeintel_index.syntax.tree import SyntaxTree

_ARGUMENTS = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"\boperator\b.*", re.DOTALL)
_DOTTED = frozenset({"alias", "dotted_key"})  # node types of names with dots: `A.B.c`
_QUOTES = tuple("\"'`")
_SEPARATORS = re.compile(r"::|\\")
_PROSE = "inline"  # the node type of a heading's text
_LOOKED_AT = 1000  # characters of a heading; looking for links takes the square of its length
_LINK = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_MARKS = re.compile(r"[*`]+|<[^<>]*>|\s*\{[#.][^{}]*\}\s*$")
_LONGEST_HEADING = 120


def split_name(tree: SyntaxTree, found: Found) -> tuple[str, str]:
    """Split off the type that a definition outside of it names: `net::Client<T>::send` → (`net.Client`, `send`)."""
    if found.name.type == _PROSE:
        return "", _plain(tree.text(found.name))
    if found.role == "runner":
        return "", " ".join(_unquoted(tree.text(found.name)).split())[:_LONGEST_TITLE]
    name = _unquoted(tree.text(found.name))
    receiver = tree.text(found.receiver) if found.receiver else ""
    if found.name.type == "qualified_identifier":
        head, _, name = _without_arguments(name).rpartition("::")
        receiver = head.strip(":")
    if found.name.type == "operator_cast":
        name = name.partition("(")[0]
    if found.name.type == "simple_symbol":
        name = name.removeprefix(":")
    if found.name.type in _DOTTED:
        receiver, _, name = name.rpartition(".")
    return _without_arguments(receiver), " ".join(name.split())


def _unquoted(name: str) -> str:
    """Without the pair of quotes around it: a quote at one end alone is part of a name, as in `foldl'`."""
    return name[1:-1] if name[:1] in _QUOTES and name[-1:] == name[:1] and len(name) > 1 else name


def dotted(*names: str) -> str:
    return ".".join(part for name in names for part in _SEPARATORS.split(name) if part)


def _without_arguments(name: str) -> str:
    """`A<B<C>>::f` → `A::f`; an operator's own signs stay."""
    operator = _OPERATOR.search(name)
    head = name[: operator.start()] if operator else name
    while head != (shorter := _ARGUMENTS.sub("", head)):
        head = shorter
    return head + operator[0] if operator else head


def _plain(heading: str) -> str:
    """A heading without links and marks, on one line, at most 120 characters."""
    text = _MARKS.sub("", _LINK.sub(r"\1", heading[:_LOOKED_AT]))
    return (" ".join(text.split()) or heading.strip())[:_LONGEST_HEADING]


_Place = tuple[int, int]


class _Extent(NamedTuple):
    """Where a definition ends: the byte after it, and its last row."""

    end: int
    row: int


def extents(tree: SyntaxTree, found: Sequence[Found]) -> list[tuple[Found, _Extent]]:
    """Decide how far each definition reaches, which is to the end of its own node in most languages.

    `found` is in source order. Clauses of one function become one definition.
    """
    if tree.language.heading_rank:
        return _heading_extents(found, tree.language.heading_rank)
    joined = _join_clauses(tree, found) if tree.language.multi_clause else [(each, _reach(each)) for each in found]
    return [(each, _Extent(last.end_byte, last_row(last))) for each, last in joined]


def _join_clauses(tree: SyntaxTree, found: Iterable[Found]) -> list[tuple[Found, Node]]:
    """Each definition with its last clause. Only comments and the like may stand between two clauses."""
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
    """The last node of a definition: its own, but a namespace without a body reaches up to the next one."""
    node = found.node
    last = node
    if found.kind == "namespace" and node.child_by_field_name("body") is None and node.parent is not None:
        for each in node.parent.children:
            if each.start_byte > node.start_byte:
                if each.type == node.type:
                    break
                last = each
    return last


def _heading_extents(found: Iterable[Found], rank_of: Callable[[Node], int]) -> list[tuple[Found, _Extent]]:
    """Headings reach up to the next of the same or a higher rank, or to the end of the document or quotation."""
    headings: list[tuple[Found, _Extent]] = []
    open_ones: dict[int, list[tuple[int, int]]] = {}  # by container: rank and place in `headings`
    for each in found:
        container, rank, start = _container(each.node), rank_of(each.node), each.node.start_point.row
        still_open = open_ones.setdefault(container.start_byte, [])
        while still_open and still_open[-1][0] >= rank:
            _, at = still_open.pop()
            headings[at] = headings[at][0], _Extent(each.node.start_byte, start - 1)
        still_open.append((rank, len(headings)))
        headings.append((each, _Extent(container.end_byte, last_row(container))))
    return headings


def _container(node: Node) -> Node:
    """What holds a heading besides sections, which the grammar makes of some kinds of heading only."""
    while node.parent is not None and (node.type == "section" or node.parent.type == "section"):
        node = node.parent
    return node if node.parent is None else node.parent


def _place(parent: Node | None) -> _Place:
    return (parent.start_byte, parent.end_byte) if parent else (-1, -1)


def _continues(tree: SyntaxTree, first: Found, last: Node, each: Found) -> bool:
    if first.kind != "function" or each.kind != "function" or tree.text(first.name) != tree.text(each.name):
        return False
    following = last.next_named_sibling
    while following is not None and following.is_extra:
        following = following.next_named_sibling
    return following == each.node


CLASS_LIKE = frozenset(
    {"class", "interface", "struct", "union", "enum", "trait", "impl", "record", "annotation"}
    | {"object", "protocol", "extension", "instance", "given", "actor"}
)
CONTAINERS = CLASS_LIKE | {"namespace", "module", "section"}
CALLABLE = frozenset({"function", "method", "constructor"})
MEMBERS = frozenset({"field", "attribute", "enum_member"})
_BINDINGS = frozenset({"variable", "constant", "import"})
_ITSELF = frozenset({"this", "self"})
_LONGEST_TITLE = 120
_NO_PARENTS = frozenset({"type", "macro", "prototype", "selector"})
_DEEPEST = 64  # definitions nested deeper than this are left out: dotted parents would grow without bound
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A definition in its place. `first` counts its decorators and the comments above, `line` is that of its name.

    `role` is that of its capture; an inner one (a member, a runner's callback) is not a piece of its file by itself.
    """

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
    role: str
    name_at: int  # the first byte of its name

    @property
    def is_inner(self) -> bool:
        return self.role in _INNER


_INNER = frozenset({"member", "self", "runner"})


def read_definitions(tree: SyntaxTree) -> tuple[Captures, LeadingComments, list[Definition]]:
    """Find the definitions of a file, and what they are made of."""
    captures = sort_matches(tree)
    leading = leading_comments_of(tree, captures)
    return captures, leading, _definitions(tree, captures, leading)


def _definitions(tree: SyntaxTree, captures: Captures, leading: LeadingComments) -> list[Definition]:
    """Find the definitions of a file in source order, outer ones before inner ones.

    Of several bindings of one name at the top of a file the first is the definition; so it is of rules for a selector,
    and of assignments to an attribute.
    """
    found = sorted(captures.definitions.values(), key=lambda each: (each.node.start_byte, -each.node.end_byte))
    result: list[Definition] = []
    open_ones: list[Definition] = []
    bound: set[tuple[bool, str, str]] = set()
    for each, extent in extents(tree, found):
        while open_ones and open_ones[-1].end < extent.end:
            open_ones.pop()
        enclosing = _parent_of(each, open_ones)
        if each.role == "top" and tree.language.class_bindings and enclosing and enclosing.kind in CLASS_LIKE:
            each = replace(each, role="member", kind="attribute")
        if len(open_ones) >= _DEEPEST or (each.role == "top" and not _is_top(enclosing)):
            continue
        made = _make(tree, each, extent, enclosing, leading)
        if not made.name:  # a key that is "", or the grammar's guess at where a name should be
            continue
        if (made.role == "top" and made.kind in _BINDINGS) or made.role == "self" or made.kind in _ONCE:
            if made.name == "_" or (made.role == "top", made.parent, made.name) in bound:
                continue
            bound.add((made.role == "top", made.parent, made.name))
        elif made.role == "member":
            bound.add((False, made.parent, made.name))
        result.append(made)
        if each.role not in _INNER or made.kind not in MEMBERS:
            open_ones.append(made)
    return _few(result, tree.language.max_symbols)


_ONCE = frozenset({"selector", "attribute"})


def _few(found: list[Definition], most: int | None) -> list[Definition]:
    """At most so many: those within others go first, then those further down."""
    if most is None or len(found) <= most:
        return found
    return [each for each in found if each.enclosing is None][:most]


_BARRED = {
    "top": _NO_PARENTS | _BINDINGS,  # `a = b = 1` binds two names at the top
    "member": _NO_PARENTS - {"type"},  # `type Props = { title: string }`
}


def _parent_of(found: Found, open_ones: Iterable[Definition]) -> Definition | None:
    barred = _BARRED.get(found.role, _NO_PARENTS)
    holders = [
        each
        for each in open_ones
        if each.kind not in barred
        and each.node != found.node
        and (found.role == "runner" or each.role != "runner")
        and not (found.receiver and each.node == found.node.parent)  # `a.x = a.y = function …`
    ]
    if found.role == "self" or (found.receiver is not None and found.receiver.type in _ITSELF):
        return next((each for each in reversed(holders) if each.kind in CLASS_LIKE), holders[0] if holders else None)
    return holders[-1] if holders else None


def _is_top(enclosing: Definition | None) -> bool:
    while enclosing is not None and enclosing.kind in {"namespace", "module"}:
        enclosing = enclosing.enclosing
    return enclosing is None


def _make(
    tree: SyntaxTree, found: Found, extent: _Extent, enclosing: Definition | None, leading: LeadingComments
) -> Definition:
    receiver, name = split_name(tree, found)
    outer = _outermost(found.node, tree.language.wrappers)
    around = (
        (enclosing.name if found.role == "runner" else dotted(enclosing.parent, enclosing.name)) if enclosing else ""
    )
    if receiver in _ITSELF:
        receiver = ""
    if found.role == "self" and enclosing and enclosing.kind not in CLASS_LIKE:
        around = enclosing.parent or enclosing.name  # `X.prototype.f = function () { this.y = … }`
    return Definition(
        node=found.node,
        outer=outer,
        name=name,
        kind=_kind(found, name, enclosing, receiver),
        parent=dotted(around, receiver),
        first=leading.first_row_above(outer) + 1,
        line=found.name.start_point.row + 1,
        last=extent.row + 1,
        end=extent.end,
        enclosing=enclosing,
        role=found.role,
        name_at=found.name.start_byte,
    )


def _kind(found: Found, name: str, enclosing: Definition | None, receiver: str) -> str:
    is_member = (receiver and not found.is_owned) or (enclosing and enclosing.kind in CLASS_LIKE)
    if found.kind == "function" and is_member:
        return "method"
    if found.kind == "field" and found.role == "self" and enclosing is None:
        return "variable"
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
    """Return the 0-based row on which `node` ends; a node that ends with its line break ends on the row before."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row
