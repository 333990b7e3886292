"""Find what lets tests pass whatever the code does: assertions that cannot fail, and tests that no run lists.

What a file held before is not found again: a place counts if its text is new. Python and JavaScript are read, each by
the names that its grammar and its common test libraries use; of Go, the names of tests are compared with what ran.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from tree_sitter import Node

from codeintel_index.syntax.tree import SyntaxTree, nodes_of, read_tree

Texts = tuple[bytes, bytes]
"""What a file holds now, and what it held before."""
_PYTHON, SCRIPT = "python", ("javascript", "typescript", "tsx")
ALL_ERRORS = frozenset({"AssertionError", "Exception", "BaseException"})
_RAISES = frozenset({"raises", "assertRaises"})
_KEEPS = frozenset(
    {"append", "put", "put_nowait", "add", "fail", "exit", "set_exception", "reject", "done", "next", "skip", "xfail"}
)
"""Calls that hand on what was caught."""
_CALLS = frozenset({"call", "call_expression"})
_TRUTHS = frozenset({"assertTrue", "assertFalse"})
_VALUES = frozenset(
    {
        "integer", "float", "number", "true", "false", "none", "null", "undefined", "list", "tuple", "dictionary",
        "set", "array", "object",
    }
)  # fmt: skip
"""What nobody gives as a message, if it holds constants alone and the assertion itself compares nothing."""
_COMPARED = frozenset({"comparison_operator", "boolean_operator", "not_operator", "binary_expression"})
_DOUBLES = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock"})
_NO_ASSERTIONS = frozenset(
    {
        "called_with", "called_once_with", "called_once", "not_called", "has_calls", "any_call", "awaited_with",
        "awaited_once_with", "awaited_once", "not_awaited", "has_awaits", "any_await",
    }
)  # fmt: skip
_PLAIN = frozenset({"int", "float", "str", "bytes", "list", "tuple", "dict", "set"})
_COMPARING = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
_TITLED = frozenset({"it", "test", "specify"})


def find_unfailing(path: str, data: bytes, before: bytes) -> list[str]:
    """List the places of a test file, `path:line`, at which an assertion cannot fail, or its failure goes unseen."""
    tree, known = read_script(path, data), plain_text(before)
    if tree is None:
        return []
    is_unfailing = _unfailing_python if tree.language.id == _PYTHON else _unfailing_script
    lines = {node.start_point.row + 1 for node in nodes_of(tree.root)
             if is_unfailing(tree, node) and is_new(tree, node, known)}  # fmt: skip
    return [f"{path}:{line}" for line in sorted(lines)]


def _unfailing_python(tree: SyntaxTree, node: Node) -> bool:
    if node.type == "try_statement":
        body = node.child_by_field_name("body")
        return body is not None and _asserts(tree, body) and any(
            _swallows(tree, each) for each in node.children if each.type == "except_clause"
        )  # fmt: skip
    if node.type == "with_statement":
        body = node.child_by_field_name("body")
        return body is not None and any(_hides(tree, each, body) for each in node.children)
    if node.type == "assert_statement":
        values = node.named_children
        is_double = bool(values) and _asks_a_double(tree, values[0])
        return is_double or _takes_value_as_text(values) or (bool(values) and _is_always_true(tree, values[0]))
    if node.type == "call":
        arguments = node.child_by_field_name("arguments")
        takes = callee_of(tree, node) in _TRUTHS and arguments is not None
        return takes and arguments is not None and _takes_value_as_text(arguments.named_children)
    if node.type == "class_definition":
        return _is_own_value(tree, node)
    if node.type == "function_definition":
        return _is_never_called(tree, node)
    return node.type == "if_statement" and _leaves_early(tree, node)


def _is_never_called(tree: SyntaxTree, function: Node) -> bool:
    """Return True for a function that asserts, inside of a test that does not use it."""
    name, body, block = function.child_by_field_name("name"), function.child_by_field_name("body"), function.parent
    test = block.parent if block is not None else None
    if name is None or body is None or test is None or test.type != "function_definition" or not _asserts(tree, body):
        return False
    return sum(tree.text(each) == tree.text(name) for each in nodes_of(test) if each.type == "identifier") == 1


def _leaves_early(tree: SyntaxTree, branch: Node) -> bool:
    """Return True if a test ends, without a word, before what it asserts, where the code gives other values."""
    then, condition = branch.child_by_field_name("consequence"), branch.child_by_field_name("condition")
    block = branch.parent
    test = block.parent if block is not None else None
    if block is None or test is None or then is None or condition is None or test.type != "function_definition":
        return False
    name = test.child_by_field_name("name")
    last = then.named_children[-1] if then.named_children else None
    if name is None or not tree.text(name).startswith("test") or last is None or tree.text(last) != "return":
        return False
    after = [each for each in block.named_children if each.start_byte > branch.end_byte]
    if _asserts(tree, then) or not any(_asserts(tree, each) for each in after):
        return False
    return any(each.type == "call" for each in nodes_of(condition)) or bool(
        {tree.text(each) for each in nodes_of(condition) if each.type == "identifier"} & _worked_out(tree, test)
    )


def _worked_out(tree: SyntaxTree, test: Node) -> set[str]:
    """Return the names that a test gives to what a call returns."""
    found = [(each.child_by_field_name("left"), each.child_by_field_name("right")) for each in nodes_of(test)
             if each.type == "assignment"]  # fmt: skip
    return {tree.text(left) for left, right in found if left is not None and right is not None and right.type == "call"}


def _asserts(tree: SyntaxTree, body: Node, is_plain: bool = False) -> bool:
    """Return True if a block asserts something; `is_plain` leaves out functions that assert, which may be tested."""
    for each in nodes_of(body):
        if each.type == "assert_statement":
            return True
        callee = each.child_by_field_name("function") if each.type in _CALLS else None
        parts = tree.text(callee).split(".") if callee is not None else []
        if any(part.startswith(("assert", "expect")) for part in parts) and (not is_plain or parts[0] == "self"):
            return True
    return False


def _swallows(tree: SyntaxTree, clause: Node) -> bool:
    """Return True if an `except` takes the failure of an assertion and does not hand it on."""
    block = clause.named_children[-1]
    head = [each for each in clause.named_children if each.type not in ("block", "comment")]
    names = {tree.text(each) for part in head for each in nodes_of(part) if each.type == "identifier"}
    if head and not names & ALL_ERRORS:
        return False
    for each in nodes_of(block):
        if each.type == "raise_statement" or (each.type == "call" and callee_of(tree, each) in _KEEPS):
            return False
    caught = next(
        (_last(tree, each) for part in head for each in nodes_of(part) if each.type == "as_pattern_target"), ""
    )
    used = {tree.text(each) for each in nodes_of(block) if each.type == "identifier"}
    return not caught or caught not in used


def _hides(tree: SyntaxTree, clause: Node, body: Node) -> bool:
    """Return True if a `with` suppresses, or expects, the failure of an assertion in its block."""
    for call in nodes_of(clause) if clause.type == "with_clause" else ():
        name = callee_of(tree, call) if call.type == "call" else ""
        arguments = call.child_by_field_name("arguments") if name == "suppress" or name in _RAISES else None
        if arguments is None or "match" in tree.text(arguments):
            continue
        caught = {_last(tree, each) for each in nodes_of(arguments) if each.type in ("identifier", "attribute")}
        if caught & ALL_ERRORS and _asserts(tree, body, is_plain=name in _RAISES):
            return True
    return False


def _is_always_true(tree: SyntaxTree, value: Node) -> bool:
    """Return True for what holds whatever was called: a filled tuple, `or` with a constant, `== ANY`."""
    open_values = [value]
    while open_values:
        one = open_values.pop()
        operands = one.named_children
        signs = {each.type for each in one.children}
        if one.type == "boolean_operator" and "or" in signs:
            if any(_is_truthy(tree, each) for each in operands):
                return True
            open_values += operands
        elif one.type == "parenthesized_expression":
            open_values += operands
        is_compared = one.type == "comparison_operator" and "==" in signs
        if (one.type == "tuple" and operands) or (is_compared and any(_is_any(tree, each) for each in operands)):
            return True
    return False


def _is_truthy(tree: SyntaxTree, value: Node) -> bool:
    if value.type in ("list", "tuple", "dictionary", "set"):
        return bool(value.named_children)
    if value.type == "string":
        return any(each.type == "string_content" for each in value.children)
    return value.type == "true" or (value.type in ("integer", "float") and tree.text(value).strip("0.") != "")


def _is_any(tree: SyntaxTree, value: Node) -> bool:
    """Return True for `ANY`, and for a list or tuple of nothing else."""
    if value.type in ("list", "tuple") and value.named_children:
        return all(_is_any(tree, each) for each in value.named_children)
    return value.type in ("identifier", "attribute") and _last(tree, value) == "ANY"


def _takes_value_as_text(values: list[Node]) -> bool:
    """Return True if what an assertion should compare with is in the place of its message."""
    is_plain = len(values) == 2 and values[0].type not in _COMPARED and values[1].type in _VALUES
    return is_plain and not any(each.type in ("identifier", "call", "call_expression") for each in nodes_of(values[1]))


def _asks_a_double(tree: SyntaxTree, value: Node) -> bool:
    """Return True for a call of a double that asserts nothing, and always gives another double."""
    function = value.child_by_field_name("function") if value.type == "call" else None
    parts = tree.text(function).split(".") if function is not None and function.type == "attribute" else []
    if len(parts) < 2 or parts[-1] not in _NO_ASSERTIONS:
        return False
    made = [each.child_by_field_name("right") for each in nodes_of(tree.root) if each.type == "assignment"
            and (left := each.child_by_field_name("left")) is not None
            and parts[0] in {tree.text(one) for one in (left, *left.named_children)}]  # fmt: skip
    calls = [each for right in made if right is not None for each in (right, *right.named_children)]
    return any(each.type == "call" and callee_of(tree, each) in _DOUBLES for each in calls)


def _is_own_value(tree: SyntaxTree, kind: Node) -> bool:
    """Return True for a kind of number, text or collection that compares in its own way."""
    bases, body = kind.child_by_field_name("superclasses"), kind.child_by_field_name("body")
    names = {tree.text(each) for each in bases.named_children} if bases is not None else set()
    defined = [each.child_by_field_name("name") for each in map(definition_in, body.named_children if body else [])
               if each is not None]  # fmt: skip
    return bool(names & _PLAIN) and any(tree.text(name) in _COMPARING for name in defined if name is not None)


def _unfailing_script(tree: SyntaxTree, node: Node) -> bool:
    if node.type == "call_expression":
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        is_truth = function is not None and tree.text(function) in ("assert", "assert.ok")
        return is_truth and arguments is not None and _takes_value_as_text(arguments.named_children)
    if node.type != "try_statement":
        return False
    body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
    if body is None or handler is None or not _asserts(tree, body):
        return False
    caught, block = handler.child_by_field_name("parameter"), handler.child_by_field_name("body")
    inside = list(nodes_of(block)) if block is not None else []
    hands_on = any(
        each.type == "throw_statement"
        or (each.type in _CALLS and callee_of(tree, each) in _KEEPS | {"assert", "expect"})
        for each in inside
    )
    used = {tree.text(each) for each in inside if each.type == "identifier"}
    return not hands_on and (caught is None or tree.text(caught) not in used)


class _Test(NamedTuple):
    name: str
    owner: str
    """The class that holds it, "" outside of one."""
    is_shadowed: bool = False
    is_new: bool = True


def find_unlisted(path: str, data: bytes, before: bytes, ids: Iterable[str], *, left_out: bool = False) -> list[str]:
    """List the new and changed tests of a file that a run did not list, `path: name`.

    One that does not run because a later one has its name is listed with that reason behind its name.

    Args:
        ids: the ids of all tests of the run, as `class::name`.
        left_out: whether the run is known to list none of the file's tests; otherwise that may be for the form of ids.
    """
    if path.endswith(".go"):
        return [f"{path}: {name}" for name in _unlisted_go(data, before, ids)]
    tree, known = read_script(path, data), plain_text(before)
    if tree is None:
        return []
    if tree.language.id == _PYTHON:
        tests = list(_tests(tree, tree.root, known))
        listed = _listed(tests, PurePosixPath(path).stem, ids)
    else:
        tests = [_Test(title, "", is_new=is_new(tree, node, known)) for title, node in titled_tests(tree)]
        texts = "\0".join(" ".join(each.split()) for each in ids)
        listed = [" ".join(test.name.split()) in texts for test in tests]
    if not any(listed) and not left_out:
        return []
    missing = (test for test, is_listed in zip(tests, listed, strict=True) if test.is_new and not is_listed)
    reasons = {True: " (a later one has its name)", False: ""}
    named = (f"{f'{test.owner}.{test.name}'.lstrip('.')}{reasons[test.is_shadowed]}" for test in missing)
    return [f"{path}: {name}" for name in dict.fromkeys(named)]


_GO_TEST = re.compile(rb"^func\s+((?:Test|Fuzz)(?![a-z])\w*)\s*\(\s*\w+\s+\*testing\.[TF]\b", re.MULTILINE)
_GO_RAN = re.compile(r"(?:Test|Fuzz|Example)(?![a-z])\w*")


def _unlisted_go(data: bytes, before: bytes, ids: Iterable[str]) -> list[str]:
    """List the new tests of a file of Go that a run of Go left out, as behind a constraint of its build."""
    ran = {test.rpartition("::")[2].partition("/")[0] for test in ids}
    if not any(map(_GO_RAN.fullmatch, ran)):
        return []
    old = {*_GO_TEST.findall(before)}
    return [name.decode() for name in _GO_TEST.findall(data) if name not in old and name.decode() not in ran]


def _listed(tests: list[_Test], stem: str, ids: Iterable[str]) -> list[bool]:
    """Tell of each test whether the ids hold it, or a class of another name inherited it."""
    holders: dict[str, set[str]] = defaultdict(set)
    for test in ids:
        place, _, name = test.partition("[")[0].partition(" #")[0].rpartition("::")
        parts = re.split(r"[.:/]+", place)
        if stem in parts:
            holders[name].add(parts[-1])
    own = {(each.owner, each.name) for each in tests}
    return [
        not test.is_shadowed
        and any(
            holder == test.owner or ((holder, test.name) not in own and (not test.owner or holder != stem))
            for holder in holders[test.name]
        )
        for test in tests
    ]


def _tests(tree: SyntaxTree, block: Node, known: bytes, owner: str = "") -> Iterator[_Test]:
    """Yield the functions of a module and its classes whose name is that of a test, also below a condition that is
    never met; below any other they may be left out for a reason."""
    defined = [definition_in(each) for each in block.named_children]
    named = [one.child_by_field_name("name") if one is not None else None for one in defined]
    names = [tree.text(each) if each is not None else "" for each in named]
    for at, (outer, one, name) in enumerate(zip(block.named_children, defined, names, strict=True)):
        body = one.child_by_field_name("body") if one is not None else None
        if outer.type == "if_statement" and _is_never_met(tree, outer):
            yield from _tests(tree, outer.child_by_field_name("consequence") or outer, known, owner)
        if one is None or body is None:
            continue
        if one.type == "class_definition":
            yield from _tests(tree, body, known, name)
        elif name.startswith("test_"):
            later = (slot for slot in range(at + 1, len(names)) if names[slot] == name)
            again = [slot for slot in later if (other := defined[slot]) is not None and other.type == one.type]
            # A test of the base that a new one takes the name of no longer runs: that is new.
            is_changed = any(is_new(tree, block.named_children[slot], known) for slot in (at, *again))
            yield _Test(name, owner, bool(again), is_changed)


def _is_never_met(tree: SyntaxTree, branch: Node) -> bool:
    """Return True for a condition that is a false constant, or a name that its file gives one and nothing else."""
    condition = branch.child_by_field_name("condition")
    if condition is None or condition.type in ("false", "none", "integer"):
        return condition is not None and tree.text(condition) in ("False", "None", "0")
    if condition.type != "identifier":
        return False
    name = tree.text(condition)
    used = [each for each in nodes_of(tree.root) if each.type == "identifier" and tree.text(each) == name]
    bound = [each.parent for each in used if each != condition and each.parent is not None]
    values = [each.child_by_field_name("right") for each in bound if each.type == "assignment"]
    return [tree.text(each) for each in values if each is not None] in (["False"], ["0"], ["None"]) and not any(
        each.type in ("global_statement", "named_expression", "aliased_import", "for_statement") for each in bound
    )


def definition_in(node: Node) -> Node | None:
    inner = node.child_by_field_name("definition") if node.type == "decorated_definition" else node
    return inner if inner is not None and inner.type in ("function_definition", "class_definition") else None


def titled_tests(tree: SyntaxTree) -> Iterator[tuple[str, Node]]:
    """Yield the tests of JavaScript whose title is a plain string, each with its call."""
    for node in nodes_of(tree.root):
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        name = tree.text(callee).partition(".")[0] if callee is not None else ""
        if callee is None or name not in _TITLED or callee.type not in ("identifier", "member_expression"):
            continue
        arguments = node.child_by_field_name("arguments")
        values = arguments.named_children if arguments is not None else []
        title = tree.text(values[0])[1:-1] if values and values[0].type == "string" else ""
        if title and len(values) > 1 and not set(title) & set("\\%$&<>\"'") and ".each" not in tree.text(callee):
            yield title, node


def read_script(path: str, data: bytes) -> SyntaxTree | None:
    """Read a file of Python or JavaScript; None for any other, and for one that cannot be parsed."""
    tree = read_tree(path, data, matched=False)
    return tree if tree is not None and tree.language.id in (_PYTHON, *SCRIPT) else None


def plain_text(data: bytes) -> bytes:
    return b" ".join(data.split())


def is_new(tree: SyntaxTree, node: Node, known: bytes) -> bool:
    """Return True for a node whose text a plain text does not hold."""
    return plain_text(tree.data[node.start_byte : node.end_byte]) not in known


def callee_of(tree: SyntaxTree, call: Node) -> str:
    """Return the last part of the name that is called."""
    function = call.child_by_field_name("function")
    return _last(tree, function) if function is not None else ""


def _last(tree: SyntaxTree, node: Node) -> str:
    return tree.text(node).rpartition(".")[2]
