"""What the new tests of a file assert, and what the file would be if one of these assertions failed.

A test that passes although its assertion fails does not hear it: nobody asks the thread, the promise or the block in
which it fails, or it never runs. Assertions of one group are heard or not heard together: those of the test's own
block, of one nested function, of one `with` or `try`, or of one function of the file that the test uses. Left out is
what an honest test may expect to fail or to be passed over: whatever is in a block that expects a failure, in a `try`
that takes it, and in a test that is marked to be skipped or to fail.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from codeintel_index.stub_detection.doubts import (
    ALL_ERRORS,
    SCRIPT,
    callee_of,
    definition_in,
    is_new,
    plain_text,
    read_script,
    titled_tests,
)
from codeintel_index.stub_detection.hollow import Hollow
from codeintel_index.syntax.tree import SyntaxTree, nodes_of


class Asserted(NamedTuple):
    """An assertion: what makes it fail, and whether it runs whenever its test passes.

    `shared` is the function of the file that holds it, "" if the test itself does.
    """

    hole: Hollow
    must_run: bool
    shared: str = ""


class AssertingTest(NamedTuple):
    """A new or changed test; the failure of an assertion in `own` cannot but be heard where the runner is honest."""

    name: str
    owner: str
    own: tuple[Asserted, ...]
    groups: tuple[tuple[Asserted, ...], ...]

    def all(self) -> tuple[Asserted, ...]:
        """Return all that it asserts."""
        return (*self.own, *(one for group in self.groups for one in group))


_ASSERTS = re.compile(r"^(?:assert(?=_|[A-Z]|$)|expect$|should$)")
_NOT_MET = re.compile(r"fail$|unreachable$|ifError$|never$|Never$|not_reached$")
"""Assertions that are there not to be reached."""
_HANDLES = re.compile(r"err|fail|never|not_|unexpected|reject|abort|timeout|unused|uncalled", re.I)
"""Names of functions that a test may pass on so that nobody calls them."""
_SET_ASIDE = re.compile(r"skip|xfail|expected_?failure|todo|failing|fails\b|only_if|requires", re.I)
_PLAIN_MARKS = re.compile(
    r"^@(?:pytest\.mark\.(?:parametrize|asyncio|anyio|usefixtures|django_db|slow|unit|integration|filterwarnings)"
    r"|(?:unittest\.)?(?:mock\.)?patch|given|settings|example|staticmethod|freeze_time|override_settings)\b"
)
"""Decorators that run what they decorate."""
_LEAVES = frozenset({"skip", "skipTest", "importorskip", "xfail", "exit", "assume"})
_CONDITIONS = frozenset(
    {
        "if_statement", "elif_clause", "else_clause", "while_statement", "match_statement", "conditional_expression",
        "boolean_operator", "list_comprehension", "set_comprehension", "dictionary_comprehension",
        "generator_expression", "except_clause", "except_group_clause", "ternary_expression", "binary_expression",
        "switch_statement", "catch_clause", "do_statement", "for_in_statement", "for_statement",
    }
)  # fmt: skip
_NESTED = frozenset({"function_definition", "lambda", "arrow_function", "function_expression", "function_declaration"})
_DEFINING = frozenset({"function_definition", "class_definition", "decorator"})
_CALLS = frozenset({"call", "call_expression"})
_AROUND = frozenset({"expression_statement", "await", "await_expression", "parenthesized_expression"})
_SKIPPED = frozenset({"class_definition", "class_declaration", "comment", "string", "template_string"})
_FALSE = frozenset({"False", "0", "None", "not True", '""', "''"})
_EXPECTS = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress", "RaisesGroup", "RaisesExc"})
_METHODS = frozenset(
    {
        "is", "not", "deepEqual", "notDeepEqual", "true", "false", "truthy", "falsy", "like", "regex", "ok", "notOk",
        "equal", "notEqual", "strictEqual", "same", "throws", "throwsAsync", "rejects", "snapshot", "assert",
    }
)  # fmt: skip
"""What ava, tap and tape assert with, on the first parameter of a test."""


@dataclass
class _Walk:
    """The assertions of one function, by group; group 0 is its own block.

    Args:
        marks: the begin of the path of the file that each assertion makes when it fails.
        first: the first parameter of a test of JavaScript, which may assert by it.
        helpers: what the functions of the file assert that this one may use.
    """

    tree: SyntaxTree
    marks: str
    first: str = ""
    helpers: "dict[str, tuple[Asserted, ...]]" = field(default_factory=dict)
    groups: list[list[Asserted]] = field(default_factory=lambda: [[]])

    def walk(self, node: Node, group: int, is_sure: bool) -> None:
        """Collect what a node asserts; `is_sure` if it runs whenever the test passes."""
        for child in node.named_children:
            self._step(child, group, is_sure)
            is_sure = is_sure and not self._may_leave(child)

    def _may_leave(self, node: Node) -> bool:
        """Return True if the function may end, without a failure, within a statement."""
        if node.type in _NESTED:
            return False
        is_exit = node.type in _CALLS and callee_of(self.tree, node) in _LEAVES
        return node.type == "return_statement" or is_exit or any(map(self._may_leave, node.named_children))

    def _step(self, node: Node, group: int, is_sure: bool) -> None:
        kind = node.type
        if (hole := self._hole(node)) is not None:
            self.groups[group].append(Asserted(hole, is_sure))
        elif kind in _SKIPPED or self._is_assertion(node):
            return  # what an assertion takes is its own matter
        elif kind == "with_statement":
            if not self._expects_any(node):
                self.walk(node, self._open(), is_sure)
        elif kind == "try_statement":
            self._try(node, group, is_sure)
        elif kind in _NESTED:
            name = node.child_by_field_name("name")
            is_handler = name is not None and _HANDLES.search(self.tree.text(name)) is not None
            self.walk(node, self._open(), is_sure and not is_handler and not self._is_caught(node))
        elif kind == "identifier":
            self._use(node, group, is_sure)
        else:
            is_sure = is_sure and kind != "decorated_definition" and (kind not in _CONDITIONS or _has_rounds(node))
            self.walk(node, group, is_sure)

    def _open(self) -> int:
        self.groups.append([])
        return len(self.groups) - 1

    def _try(self, node: Node, group: int, is_sure: bool) -> None:
        """Leave out the block of a `try` that takes any failure, and what handles one: it may hand it on."""
        takes = [each for each in node.children if each.type in ("except_clause", "catch_clause")]
        heads = [[part for part in each.named_children if part.type != "block"] for each in takes]
        names = {self.tree.text(each) for head in heads for part in head for each in nodes_of(part)}
        takes_all = any(each.type == "catch_clause" for each in takes) or not all(heads)
        for child in node.named_children:
            if child.type in ("block", "statement_block") and not takes_all and not names & ALL_ERRORS:
                self.walk(child, self._open() if takes else group, is_sure)
            elif child.type == "finally_clause":
                self.walk(child, group, is_sure)

    def _expects_any(self, node: Node) -> bool:
        """Return True for a `with` that expects, or suppresses, what may be the failure of an assertion."""
        for call in nodes_of(node.named_children[0]):
            if call.type != "call" or callee_of(self.tree, call) not in _EXPECTS:
                continue
            arguments = call.child_by_field_name("arguments")
            given = arguments.named_children[:1] if arguments is not None else []
            kinds = [each for one in given for each in (one.named_children if one.type == "tuple" else [one])]
            names = [self.tree.text(each).rpartition(".")[2] for each in kinds]
            if not names or any(name in ALL_ERRORS or not name[:1].isupper() for name in names):
                return True
        return False

    def _is_caught(self, function: Node) -> bool:
        """Return True for a function that a promise calls only if it fails."""
        call = function.parent.parent if function.parent is not None else None
        return call is not None and call.type == "call_expression" and callee_of(self.tree, call) == "catch"

    def _use(self, node: Node, group: int, is_sure: bool) -> None:
        """Count what a function of the file asserts for the test that uses it."""
        place = node.parent
        if place is None or node == place.child_by_field_name("name"):
            return  # the name of an argument
        if place.type == "attribute":
            if node != place.named_children[-1]:
                return
            node, place = place, place.parent
        found = self.helpers.get(self.tree.text(node), ())
        is_called = place is not None and place.type in _CALLS and place.child_by_field_name("function") == node
        if found:
            self.groups[group if is_called and _is_statement(place) else self._open()] += [
                Asserted(one.hole, one.must_run and is_sure, self.tree.text(node)) for one in found
            ]

    def _is_assertion(self, node: Node) -> bool:
        """Return True for a call, in JavaScript also for a chain that ends in a property, that asserts."""
        parts = _parts(self.tree, node)
        if not parts:
            return False
        if self.tree.language.id == "python":
            return node.type == "call" and any(_ASSERTS.search(part) for part in parts)
        is_own = parts[0] == self.first and parts[1:2] and parts[1] in _METHODS
        return bool(is_own) or (parts[0] in ("assert", "expect", "should") and _is_call(node, parts[0] != "assert"))

    def _hole(self, node: Node) -> Hollow | None:
        """Return what makes an assertion fail, None if the node is none, or one that is not to be reached."""
        if node.type == "assert_statement":
            return None if self.tree.text(node.named_children[0]) in _FALSE else self._failing(node, node)
        inner = node
        while inner.type in _AROUND and len(inner.named_children) == 1:
            inner = inner.named_children[0]
        last = inner.named_children[-1] if inner.type in ("boolean_operator", "binary_expression") else inner
        is_met = not _NOT_MET.search(".".join(_parts(self.tree, last)))
        if last != inner if is_met else last == inner:  # `value === 9 || assert.fail(value)` is met, `fail()` alone not
            return None
        if is_met and not self._is_assertion(inner):
            return None
        if node.type == "expression_statement":
            return self._failing(node, inner)
        is_given = node.parent is not None and node.parent.type == "lambda"
        return self._failing(node, inner, True) if is_given or self.tree.language.id in SCRIPT else None

    def _failing(self, node: Node, inner: Node, is_value: bool = False) -> Hollow:
        start, end = node.start_byte, node.end_byte
        mark = f"{self.marks}{start}"
        text, place = json.dumps(" ".join(self.tree.text(inner).split())[:300]), json.dumps(mark)
        if self.tree.language.id in SCRIPT:
            fails = f"{{ process.getBuiltinModule('fs').appendFileSync({place}, ''); throw new Error({text}); }}"
            filler = f"(() => {fails})()" if is_value else fails
        else:
            fails = f"(open({place}, 'a').close(), AssertionError({text}))[1]"
            filler = f"(_ for _ in ()).throw({fails})" if is_value else f"raise {fails}"
        return Hollow("", start, end, filler.encode("utf-8", "surrogateescape"), mark, node.start_point.row + 1)


class TestFunction(NamedTuple):
    """A function of a file: `is_test` by its name, `is_plain` if nothing around it may pass it over."""

    name: str
    owner: str
    node: Node
    is_test: bool
    is_plain: bool = True


def find_assertions(path: str, data: bytes, before: bytes, marks: str) -> tuple[list[AssertingTest], list[Asserted]]:
    """Return the new tests of a file that assert, and what functions assert that no other function uses.

    Args:
        path: the file; Python and JavaScript are read.
        data: what it holds.
        before: what it held before.
        marks: the begin of the path of the file that each assertion makes when it is made to fail.
    """
    tree, known = read_script(path, data), plain_text(before)
    if tree is None:
        return [], []
    is_python = tree.language.id == "python"
    functions = list(python_functions(tree, tree.root, "") if is_python else _script_functions(tree))
    helpers: dict[tuple[str, str], tuple[Asserted, ...]] = {}
    for each in functions:
        if not each.is_test:
            walk = _Walk(tree, marks)
            walk.walk(each.node, 0, True)
            helpers[each.owner, each.name] = tuple(one for group in walk.groups for one in group)
    tests = []
    for each in functions:
        if each.is_test and is_new(tree, each.node, known):
            own = {f"{word}.{name}": found for (owner, name), found in helpers.items() if owner == each.owner
                   for word in ("self", "cls")} if each.owner else {}  # fmt: skip
            bound = _bound(tree, each.node)
            own |= {name: found for (owner, name), found in helpers.items() if not owner and name not in bound}
            walk = _Walk(tree, marks, "" if is_python else _first(tree, each.node), own)
            walk.walk(each.node.child_by_field_name("body") or each.node, 0, each.is_plain)
            groups = tuple(tuple(group) for group in walk.groups[1:] if group)
            if walk.groups[0] or groups:
                tests.append(AssertingTest(each.name, each.owner, tuple(walk.groups[0]), groups))
    orphans = [Asserted(one.hole, True, name) for (owner, name), found in helpers.items()
               if is_python and not owner and _is_orphan(tree, name) for one in found if one.must_run]  # fmt: skip
    return tests, orphans


def list_tests(path: str, data: bytes, before: bytes = b"") -> list[str]:
    """Return the new tests of a file of Python, `name` or `Class.name`, that no mark sets aside."""
    tree, known = read_script(path, data), plain_text(before)
    if tree is None or tree.language.id != "python":
        return []
    return [
        f"{each.owner}.{each.name}".lstrip(".")
        for each in python_functions(tree, tree.root, "")
        if each.is_test and is_new(tree, each.node, known)
    ]


def _script_functions(tree: SyntaxTree) -> Iterator[TestFunction]:
    for title, call in titled_tests(tree):
        last = (call.child_by_field_name("arguments") or call).named_children[-1]
        callee = call.child_by_field_name("function")
        is_set_aside = callee is None or _SET_ASIDE.search(tree.text(callee))
        if last.type in _NESTED and not is_set_aside and not _is_within(call, _CONDITIONS):
            yield TestFunction(title, "", last, True)
    for each in tree.root.named_children:
        declared = each.named_children[0] if each.type == "lexical_declaration" else each
        name, value = declared.child_by_field_name("name"), declared.child_by_field_name("value")
        function = value if value is not None else declared
        if name is not None and function.type in _NESTED:
            yield TestFunction(tree.text(name), "", function, False)


def python_functions(tree: SyntaxTree, block: Node, owner: str) -> Iterator[TestFunction]:
    """Yield functions and methods, without those that are marked to be skipped or to fail, or that are fixtures."""
    for outer in block.named_children:
        one = definition_in(outer)
        name = one.child_by_field_name("name") if one is not None else None
        marks = [tree.text(each) for each in outer.named_children if each.type == "decorator"]
        if one is None or name is None or any(_SET_ASIDE.search(mark) for mark in marks):
            continue
        body = one.child_by_field_name("body")
        is_test = tree.text(name).startswith("test")
        if one.type == "class_definition" and body is not None:
            yield from python_functions(tree, body, tree.text(name))
        elif is_test or not marks:
            yield TestFunction(tree.text(name), owner, one, is_test, all(map(_PLAIN_MARKS.match, marks)))


def _is_within(node: Node, kinds: Collection[str]) -> bool:
    outer = node.parent
    while outer is not None and outer.type not in kinds:
        outer = outer.parent
    return outer is not None


def _bound(tree: SyntaxTree, function: Node) -> set[str]:
    """Return the names that a function binds itself."""
    places = [each.child_by_field_name(name) for each in nodes_of(function) for name in ("left", "parameters")]
    places += [each for each in nodes_of(function) if each.type == "as_pattern_target"]
    return {tree.text(each) for place in places if place is not None for each in nodes_of(place)}


def _is_orphan(tree: SyntaxTree, name: str) -> bool:
    """Return True if a file uses a function, but in no function, class or decorator."""
    found = [each for each in nodes_of(tree.root) if each.type == "identifier" and tree.text(each) == name]
    used = [each for each in found if each.parent is not None and each != each.parent.child_by_field_name("name")]
    return bool(used) and not any(_is_within(each, _DEFINING) for each in used)


def _first(tree: SyntaxTree, function: Node) -> str:
    """Return the name of the first parameter of a function of JavaScript, "" without one."""
    parameters = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
    return tree.text(parameters).strip("()").partition(",")[0].partition(":")[0].strip() if parameters else ""


def _parts(tree: SyntaxTree, node: Node) -> list[str]:
    """Return the names of a chain of calls and attributes."""
    if node.type in _CALLS:
        function = node.child_by_field_name("function")
        return _parts(tree, function) if function is not None else []
    if node.type in ("attribute", "member_expression"):
        inner = _parts(tree, node.named_children[0])
        return [*inner, tree.text(node.named_children[-1])] if inner else []
    return [tree.text(node)] if node.type in ("identifier", "this") else []


def _is_call(node: Node, is_first: bool) -> bool:
    """Return True for a chain that calls something, with `is_first` its first name: `expect(x).to.be.true` does."""
    called = False
    while node.type == "member_expression" or node.type in _CALLS:
        is_call = node.type in _CALLS and (not is_first or node.named_children[0].type == "identifier")
        called = called or is_call
        node = node.named_children[0]
    return called


def _is_statement(call: Node | None) -> bool:
    outer = call.parent if call is not None else None
    while outer is not None and outer.type in ("await", "await_expression"):
        outer = outer.parent
    return outer is not None and outer.type == "expression_statement"


def _has_rounds(loop: Node) -> bool:
    """Return True for a loop over a literal that is not empty."""
    values = loop.child_by_field_name("right")
    return values is not None and values.type in ("list", "tuple", "array") and bool(values.named_children)
