"""From a range of lines to the definitions it speaks of, and from their verdicts to one answer.

The smallest definition that holds the lines is judged. A class is judged by the methods the lines touch, else by its
fields, else as a whole; lines outside of all definitions are empty if nothing in them does anything.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from tree_sitter import Node

from codeintel_index.emptiness.legitimate import (
    forbids_instances,
    is_declaration,
    may_be_empty,
    may_do_nothing,
    takes_nothing,
)
from codeintel_index.emptiness.rows import ROW_OF
from codeintel_index.emptiness.statements import Reader, Verdict
from codeintel_index.emptiness.words import is_named_for_heirs
from codeintel_index.languages.captures import Captures, sort_matches
from codeintel_index.languages.definitions import (
    CALLABLE,
    CLASS_LIKE,
    CONTAINERS,
    Definition,
    definitions,
    last_row,
)
from codeintel_index.languages.margin import margin_of
from codeintel_index.languages.tree import read_tree


def is_empty_implementation(path: str, data: bytes, start: int, end: int) -> bool:
    """Whether the lines `start` to `end` (1-based, inclusive) show no implementation.

    True for bodies of nothing but `pass`, `...`, a docstring, comments, a bare return or an error of the "not
    implemented" kind, and for lines that are blank. False for what is rightly empty: declarations, abstract and
    interface members, protocol stubs, overloads, exception classes, and a no-op whose body has a comment that says why.
    Lines past the end of the file count as blank. In a file that cannot be parsed only blank lines are empty.
    """
    tree = read_tree(path, data)
    row = ROW_OF.get(tree.row.id) if tree else None
    if tree is None or row is None:
        return not any(line.strip() for line in data.split(b"\n")[max(start, 1) - 1 : end])
    if path.endswith(row.declaring_suffixes):
        return not any(line.strip() for line in tree.lines[max(start, 1) - 1 : end])
    captures = sort_matches(tree)
    found = definitions(tree, captures, margin_of(tree, captures))
    return _Judge(Reader(tree, row, captures.comments), captures, found).judge(start, end)


class _Judge:
    """The definitions of one file, asked about ranges of its lines."""

    def __init__(self, reader: Reader, captures: Captures, found: Iterable[Definition]) -> None:
        self._reader = reader
        self._children: dict[Definition | None, list[Definition]] = defaultdict(list)
        for each in found:
            if each.kind in CONTAINERS or self._is_callable(each):
                self._children[_holder(each)].append(each)
        self._defined = {
            scope: sorted(child.node.start_byte for child in children) for scope, children in self._children.items()
        }
        self._imports = sorted(each.node.start_byte for each in captures.imports if not _is_late(each.node))

    def judge(self, start: int, end: int) -> bool:
        """Whether the lines show no implementation."""
        scope = self._smallest(start, end)
        if scope is not None and self._is_callable(scope):
            return self._is_empty(scope) and not self._is_one_of_many(scope)
        if scope is not None and start <= scope.line and scope.last <= end:
            return self._is_empty(scope)
        touched = [each for each in self._children[scope] if each.first <= end and start <= each.last]
        own = self._has_own_work(scope, start, end)
        if scope is not None and scope.kind in CLASS_LIKE and touched:
            return all(map(self._is_empty, touched))
        if own or scope is None or touched:
            return not own and all(map(self._is_empty, touched))
        return self._is_empty(scope)

    def _smallest(self, start: int, end: int) -> Definition | None:
        """The innermost definition that holds the lines, unless two share them or its holder is named on its line."""
        scope: Definition | None = None
        while True:
            inner = [each for each in self._children[scope] if each.first <= start and end <= each.last]
            if len(inner) != 1 or (scope is not None and inner[0].line == scope.line):
                return scope
            scope = inner[0]

    def _is_empty(self, each: Definition) -> bool:
        if self._is_callable(each):
            return self._is_empty_callable(each)
        children = self._children[each]
        has_fields = self._has_own_work(each, each.first, each.last)
        if each.kind in {"class", "impl"} and not all(_constructs(child, each) for child in children):
            return all(map(self._is_empty, children))
        if has_fields:
            return False
        if children:
            return all(map(self._is_empty, children))
        return not may_be_empty(self._reader, each)

    def _is_callable(self, each: Definition) -> bool:
        """Whether it has a body of statements: a function, or a property that is computed by an expression."""
        return each.kind in CALLABLE or (each.kind == "property" and self._reader.body_of(each.node) is not None)

    def _is_empty_callable(self, each: Definition) -> bool:
        reader, node = self._reader, each.node
        body = reader.body_of(node)
        if (body is None and node.type not in reader.row.bodiless) or is_declaration(reader, each):
            return False
        verdict = reader.verdict_of(node, body)
        if verdict is Verdict.NOTHING and (may_do_nothing(reader, each) or reader.gives_reason(node, body)):
            return False
        if verdict is Verdict.STUB and is_named_for_heirs(each.parent.rpartition(".")[2]) and reader.throws(body):
            return False
        left_out = forbids_instances(reader, each) or reader.leaves_to_others(each, body)
        return verdict is not Verdict.WORK and not left_out

    def _is_one_of_many(self, each: Definition) -> bool:
        """Whether it is the constructor without parameters of a class that holds more: it takes the defaults."""
        holder = _holder(each)
        return (
            holder is not None
            and _constructs(each, holder)
            and takes_nothing(each)
            and len(self._children[holder]) > 1
            and self._reader.verdict_of(each.node, self._reader.body_of(each.node)) is Verdict.NOTHING
        )

    def _has_own_work(self, scope: Definition | None, start: int, end: int) -> bool:
        """Whether the lines hold anything of the scope's own that does something: a field, a constant, a call."""
        body = self._reader.tree.root if scope is None else self._room_of(scope)
        reaching = [each for each in self._children[scope] if each.end > each.node.end_byte]
        return body is not None and any(
            node.start_point.row < end
            and start <= last_row(node) + 1
            and not any(each.node.start_byte <= node.start_byte < each.end for each in reaching)
            and self._is_work(scope, node)
            for node in body.named_children
        )

    def _room_of(self, scope: Definition) -> Node | None:
        """What holds the content of `scope`: its body or, if it reaches beyond its own node, what is around it."""
        return self._reader.body_of(scope.node) if scope.end <= scope.node.end_byte else scope.node.parent

    def _is_work(self, scope: Definition | None, node: Node) -> bool:
        if (
            node.type in (*self._reader.row.frame, *self._reader.tree.row.comments)
            or self._reader.verdict(node) is Verdict.NOTHING
        ):
            return False
        if _any_within(node, self._defined.get(scope, [])):
            return False
        return scope is not None or not _any_within(node, self._imports)


def _is_late(node: Node) -> bool:
    """Whether an import is an expression that loads when it is reached, which is work."""
    return node.type == "call_expression" and node.children[0].type == "import"


def _any_within(node: Node, starts: list[int]) -> bool:
    """Whether one of the sorted `starts` lies in `node`."""
    at = bisect_left(starts, node.start_byte)
    return at < len(starts) and starts[at] < node.end_byte


def _constructs(each: Definition, holder: Definition) -> bool:
    return each.kind == "constructor" or each.name in {"constructor", "__init__", holder.name}


def _holder(each: Definition) -> Definition | None:
    """The judged definition around `each`: bindings hold nothing of their own."""
    holder = each.enclosing
    while holder is not None and holder.kind not in CALLABLE and holder.kind not in CONTAINERS:
        holder = holder.enclosing
    return holder
