"""From a range of lines to the definitions it covers, and from their verdicts to one answer.

The smallest definition that holds the lines is judged. A class is judged by the methods that the lines touch, else by
its fields, else as a whole; lines outside of all definitions are empty if they are blank. Imports, macros and the like
are work where they stand alone, and no excuse for a stub beside them. Declarations, members of contracts, and classes
that exist to have a name or a base are rightly empty.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from tree_sitter import Node

from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.stub_detection.rightly_empty import (
    forbids_instances,
    is_declaration,
    is_double_in_tests,
    is_stand_in,
    may_be_empty,
    may_do_nothing,
    takes_nothing,
)
from codeintel_index.stub_detection.statements import Reader, Verdict
from codeintel_index.stub_detection.words import is_named_for_heirs, is_put_off
from codeintel_index.syntax.captures import Captures
from codeintel_index.syntax.definitions import CALLABLE, CLASS_LIKE, CONTAINERS, Definition, last_row, read_definitions
from codeintel_index.syntax.parsing import classify
from codeintel_index.syntax.tree import SyntaxTree, nodes_of, read_tree

LinesKind = Literal["work", "documentation", "empty"]
"""What lines hold: work, comments and docstrings alone, or nothing that is implemented."""

_NOTE_TO_SELF = re.compile(rb"\W*(?:(?:todo|fixme|xxx)\b.*)?", re.IGNORECASE)
_PREPROCESSED = frozenset({"c", "cpp"})
_DIRECTIVE = re.compile(rb"\s*#\s*(?:define|undef|include|if|ifdef|ifndef|elif|else|endif|pragma|error)\b")
_COMMENT = re.compile(rb"\s*(?:/[/*]|\*)")
_NAMES = frozenset({"identifier", "type_identifier", "constant", "name"})


def kind_of_lines(path: str, data: bytes, start: int, end: int, changed: Sequence[tuple[int, int]] = ()) -> LinesKind:
    """Tell what the lines `start` to `end` (1-based, inclusive) hold.

    Comments and docstrings are documentation, unless they say nothing but TODO. Inside a definition that is empty they
    count only if it is older than the change: its first line is in none of the ranges `changed`. An `__init__.py` that
    says what its package is for is work: the package is what it makes.
    """
    judged = read_judge(path, data)
    if judged is not None and _is_prose(path, judged.tree, start, end):
        lines = judged.tree.lines[start - 1 : end]
        stub = judged.stub_around(start, end)
        is_new = stub is not None and any(first <= stub.line <= last for first, last in changed)
        is_whole = start <= 1 and end >= len(judged.tree.lines) - 1
        says_nothing = all(_NOTE_TO_SELF.fullmatch(line.strip()) for line in lines)
        if is_new or says_nothing:
            return "empty"
        return "work" if is_whole and path.endswith("__init__.py") else "documentation"
    return "empty" if is_empty_implementation(path, data, start, end) else "work"


def new_stubs(path: str, data: bytes, before: bytes, changed: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
    """List the callables that meet the changed lines, are empty, and were not so before: line and qualified name."""
    judged = read_judge(path, data)
    found = judged.stubs(changed) if judged else []
    old = read_judge(path, before) if found else None
    known = {name for _, name in old.stubs()} if old else set()
    return [(line, name) for line, name in found if name not in known]


def _is_prose(path: str, tree: SyntaxTree, start: int, end: int) -> bool:
    """Whether every line that is not blank begins and ends within a comment or a docstring."""
    places = [
        (number, column)
        for number, line in enumerate(tree.lines[start - 1 : end], start)
        if line.strip()
        for column in (len(line) - len(line.lstrip()), len(line.rstrip()) - 1)
    ]
    return bool(places) and set(classify(path, tree.data, places)) == {"comment"}


def is_empty_implementation(path: str, data: bytes, start: int, end: int) -> bool:
    """Whether the lines `start` to `end` (1-based, inclusive) show no implementation.

    True for bodies of nothing but `pass`, `...`, a docstring, comments, a bare return or an error of the "not
    implemented" kind, and for lines that are blank. False for what is rightly empty: declarations, abstract and
    interface members, protocol stubs, overloads, exception classes, and a no-op whose body has a comment that says why.
    Lines past the end of the file count as blank. In a file that cannot be parsed only blank lines are empty.
    """
    judged = read_judge(path, data)
    if judged is None:
        return not any(line.strip() for line in data.split(b"\n")[max(start, 1) - 1 : end])
    return judged.judge(start, end)


@lru_cache(maxsize=2)  # the pieces of evidence in a large file, one after the other: parsing it is what costs
def read_judge(path: str, data: bytes) -> "_Judge | None":
    """Read a file to judge; None for one whose language is not judged or that only declares."""
    tree = read_tree(path, data)
    rules = tree.language.stubs if tree else None
    if tree is None or rules is None or path.endswith(rules.declaring_suffixes):
        return None
    captures, _, found = read_definitions(tree)
    return _Judge(Reader(tree, rules, captures.comments), captures, found, is_test=kind_of(path) == "test")


class _Judge:
    """The definitions of one file, asked about ranges of its lines."""

    def __init__(
        self, reader: Reader, captures: Captures, found: Iterable[Definition], *, is_test: bool = False
    ) -> None:
        self._is_test = is_test
        self._reader = reader
        self.tree = reader.tree
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
        if self._is_preprocessing(start, end):
            return False
        scope = self._smallest(start, end)
        if scope is not None and self._is_callable(scope):
            return self._is_empty(scope) and not self._is_one_of_many(scope)
        if scope is not None and start <= scope.line and scope.last <= end:
            return self._is_empty(scope)
        touched = [each for each in self._children[scope] if each.first <= end and start <= each.last]
        own = self._has_own_work(scope, start, end, boilerplate=not touched)
        if scope is not None and scope.kind in CLASS_LIKE and touched:
            return all(map(self._is_empty, touched))
        if scope is None and not touched and not own:
            return not self._is_part_of_more(start, end)
        if own or scope is None or touched:
            return not own and all(map(self._is_empty, touched))
        return self._is_empty(scope)

    def _is_preprocessing(self, start: int, end: int) -> bool:
        """Whether the lines hold directives of the preprocessor and comments alone, more than the end of a condition.

        They stand outside the language's grammar: macros before a declaration make the tree around them unreliable.
        """
        if self.tree.language.id not in _PREPROCESSED:
            return False
        lines = [line for line in self.tree.lines[start - 1 : end] if line.strip() and not _COMMENT.match(line)]
        return bool(lines) and all(map(_DIRECTIVE.match, lines)) and any(b"endif" not in line for line in lines)

    def stubs(self, meeting: Sequence[tuple[int, int]] | None = None) -> list[tuple[int, str]]:
        """All empty callables, or those that meet some ranges of lines: line and qualified name."""
        found = (
            each
            for children in self._children.values()
            for each in children
            if self._is_callable(each)
            and (meeting is None or any(start <= each.last and each.first <= end for start, end in meeting))
        )
        empty = (each for each in found if self._is_empty_callable(each) and not self._is_one_of_many(each))
        return sorted((each.line, f"{each.parent}.{each.name}".lstrip(".")) for each in empty)

    def bodies(self) -> list[tuple[str, bytes, Node]]:
        """All callables that do something: qualified name, text, body."""
        found = [each for children in self._children.values() for each in children if self._is_callable(each)]
        return [
            (f"{each.parent}.{each.name}".lstrip("."), self.tree.data[each.node.start_byte : each.node.end_byte], body)
            for each in found
            if (body := self._reader.body_of(each.node)) is not None and not self._is_empty_callable(each)
        ]

    def stub_around(self, start: int, end: int) -> Definition | None:
        """The innermost callable around the lines, if it is empty."""
        scope = self._smallest(start, end)
        while scope is not None and not self._is_callable(scope):
            scope = _holder(scope)
        return scope if scope is not None and self._is_empty(scope) else None

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
        return not (may_be_empty(self._reader, each) or self._is_used(each))

    def _is_used(self, each: Definition) -> bool:
        """Whether its file does more with a class than export it: a marker or a sentinel is what it is by identity."""
        own = range(each.node.start_byte, each.node.end_byte)
        return each.kind == "class" and any(
            node.type in _NAMES and self.tree.text(node) == each.name and node.start_byte not in own
            for node in nodes_of(self.tree.root)
            if node.parent is not None and not node.parent.type.startswith("export")
        )

    def _is_callable(self, each: Definition) -> bool:
        """Whether it has a body of statements: a function, or a property that is computed by an expression."""
        return each.kind in CALLABLE or (each.kind == "property" and self._reader.body_of(each.node) is not None)

    def _is_empty_callable(self, each: Definition) -> bool:
        reader, node = self._reader, each.node
        body = reader.body_of(node)
        if (body is None and node.type not in reader.rules.bodiless) or is_declaration(reader, each):
            return False
        verdict = reader.verdict_of(node, body)
        is_double = is_double_in_tests(reader, each, among_tests=self._is_test)
        if verdict is Verdict.STUB and is_double and not is_put_off(reader.tree.text(node)):
            return False
        is_meant = is_double or is_stand_in(node) or may_do_nothing(reader, each) or reader.gives_reason(node, body)
        if verdict is Verdict.NOTHING and is_meant:
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

    def _has_own_work(self, scope: Definition | None, start: int, end: int, *, boilerplate: bool = False) -> bool:
        """Whether the lines hold anything of the scope's own that does something: a field, a constant, a call.

        With `boilerplate`, imports and whatever else is neither definition nor statement count as well.
        """
        body = self._reader.tree.root if scope is None else self._room_of(scope)
        reaching = [each for each in self._children[scope] if each.end > each.node.end_byte]
        return body is not None and any(
            _meets(node, start, end)
            and not any(each.node.start_byte <= node.start_byte < each.end for each in reaching)
            and self._is_work(scope, node, boilerplate=boilerplate)
            for node in self._statements_beside(scope, body)
        )

    def _is_part_of_more(self, start: int, end: int) -> bool:
        """Whether the lines hold a part of a larger statement that defines nothing: the head of a test suite, a line
        between branches of the preprocessor. Brackets alone do not count.
        """
        within = [each for each in self._statements_beside(None, self._reader.tree.root) if _meets(each, start, end)]
        return not within and any(
            leaf.is_named or self._reader.tree.text(leaf).isalnum()
            for leaf in _leaves(self._reader.tree.root, start, end)
            if leaf.type not in self._reader.tree.language.comments
        )

    def _statements_beside(self, scope: Definition | None, body: Node) -> Iterator[Node]:
        """Yield what a body holds; of a statement with a definition somewhere in it, such as the callback of a test
        suite, the statements of its inner blocks.
        """
        starts = self._defined.get(scope, [])
        own = {(each.node.start_byte, each.node.end_byte) for each in self._children[scope]}
        open_nodes = [(node, True) for node in reversed(body.named_children)]
        while open_nodes:
            node, is_statement = open_nodes.pop()
            if not _any_within(node, starts):
                if is_statement:
                    yield node
            elif (node.start_byte, node.end_byte) not in own:
                within = node.type in self._reader.rules.blocks
                open_nodes.extend((child, within) for child in reversed(node.named_children))

    def _room_of(self, scope: Definition) -> Node | None:
        """What holds the content of `scope`: its body or, if it reaches beyond its own node, what is around it."""
        return self._reader.body_of(scope.node) if scope.end <= scope.node.end_byte else scope.node.parent

    def _is_work(self, scope: Definition | None, node: Node, *, boilerplate: bool) -> bool:
        if node.type in self._reader.tree.language.comments or self._reader.verdict(node) is Verdict.NOTHING:
            return False
        if boilerplate:
            return True
        return node.type not in self._reader.rules.boilerplate and (
            scope is not None or not _any_within(node, self._imports)
        )


def _meets(node: Node, start: int, end: int) -> bool:
    return node.start_point.row < end and start <= last_row(node) + 1


def _leaves(node: Node, start: int, end: int) -> Iterator[Node]:
    """Yield the leaves below a node that begin on the lines."""
    open_nodes = [node]
    while open_nodes:
        each = open_nodes.pop()
        if not each.children and start - 1 <= each.start_point.row < end:
            yield each
        open_nodes.extend(child for child in each.children if _meets(child, start, end))


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
