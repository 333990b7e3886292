"""What a file would be if its new tests weighed what they compare, and its changed definitions said that they run.

Each comparison of a test is evaluated again with other values in the place of those that changed code gave. Read is
Python: `assert` and the methods of `TestCase`, each where something is supposed to be equal to a value, or in one. A
question for a type, for a truth, for nothing or for none is not: honest tests ask it beside others.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from codeintel_index.stub_detection.assertions import python_functions
from codeintel_index.stub_detection.doubts import callee_of, is_new, plain_text, read_script
from codeintel_index.stub_detection.hollow import Hollow, changed_bodies, margin_before
from codeintel_index.syntax.symbols import docstring_in
from codeintel_index.syntax.tree import SyntaxTree, nodes_of

MODULE = "codeintel_values"
"""What the changed files import; whoever runs them puts it on the path."""
_NAME = f"_{MODULE}"
_EQUAL = frozenset(
    {
        "assertEqual", "assertEquals", "assertAlmostEqual", "assertSequenceEqual", "assertListEqual",
        "assertTupleEqual", "assertDictEqual", "assertSetEqual", "assertMultiLineEqual", "assertCountEqual",
    }
)  # fmt: skip
_NO_VALUE = re.compile(
    r"(?:True|False|None|-?0|-1|\[\s*\]|\(\s*\)|\{\s*\}|[rbu]?(?:\"\"|'')|(?:set|dict|list|tuple|frozenset|str|bytes)\(\)"
    r"|.*\b(?:type|isinstance|issubclass|callable|hasattr|bool|__class__|__name__|ANY)\b.*)",
    re.DOTALL,
)
_KEPT = frozenset({"string", "lambda", "concatenated_string", "comment", "type"})
_NOT_IN_LAMBDA = frozenset({"named_expression", "await", "yield"})
_OWN_FRAME = frozenset({"super", "locals", "vars", "dir", "eval", "exec"})
_NESTED = frozenset({"function_definition", "class_definition", "decorated_definition"})


def find_entered(path: str, data: bytes, before: bytes) -> list[Hollow]:
    """List the changed definitions of a file of Python, each made to say that it runs."""
    said = f"__import__({MODULE!r}).entered()".encode()
    found = []
    for language, name, body in changed_bodies(path, data, before):
        start, end = body.start_byte, body.end_byte
        if language != "python":
            continue
        if body.type != "block":
            found.append(Hollow(name, start, end, b"(%s, %s)[1]" % (said, data[start:end])))
            continue
        string = docstring_in(body)
        after = string.end_byte if string is not None else start
        first = next(
            (each for each in body.named_children if each.type != "comment" and each.start_byte >= after), None
        )
        if first is not None:
            margin = margin_before(data, first.start_byte)
            filler = said + (b"; " if margin.strip() else b"\n" + margin)
            found.append(Hollow(name, first.start_byte, first.start_byte, filler))
    return found


def find_compared(path: str, data: bytes, before: bytes) -> list[Hollow]:
    """List what makes the new tests of a file of Python weigh their new comparisons; none if they compare nothing.

    A place is written down as `path:line test`.
    """
    tree, known = read_script(path, data), plain_text(before)
    if tree is None or tree.language.id != "python":
        return []
    found: list[Hollow] = []
    for each in python_functions(tree, tree.root, ""):
        body = each.node.child_by_field_name("body")
        if each.is_test and body is not None and is_new(tree, each.node, known):
            found += _Weighing(tree, path, f"{each.owner}.{each.name}".lstrip("."), known).holes(body)
    if not any(hole.name for hole in found):
        return []
    return [*found, Hollow("", len(data), len(data), f"\nimport {MODULE} as {_NAME}\n".encode())]


class _Weighing(NamedTuple):
    """A test, its name and its file, and what the file held before."""

    tree: SyntaxTree
    path: str
    test: str
    known: bytes

    def holes(self, block: Node) -> Iterator[Hollow]:
        """Yield what replaces its comparisons, and what it gives to names."""
        for each in block.named_children:
            value = each.child_by_field_name("right")
            if each.type in ("assignment", "for_statement") and value is not None and self._fits(value):
                target = each.child_by_field_name("left")
                names = [] if target is None else [target, *target.named_children]
                keys = tuple(self._key(one) for one in names if one.type == "identifier")
                if keys and value.type != "assignment":
                    filler = f"{_NAME}.bound({keys!r}, lambda: ({self._text(value)}))"
                    yield _hole("", value, filler)
            is_call = each.type == "call" and block.type == "expression_statement"
            if each.type == "assert_statement" or is_call:
                yield from self._comparison(each)
            elif each.type not in _KEPT | _NESTED:
                yield from self.holes(each)

    def _comparison(self, node: Node) -> Iterator[Hollow]:
        callee = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        values = node.named_children if arguments is None else arguments.named_children
        name = callee_of(self.tree, node)
        if name in _EQUAL or name == "assertIn":
            sign = _sign_of(self.tree, values[:2], name == "assertIn")
        else:
            sign = _sign(self.tree, values[0]) if values and name in ("", "assertTrue") else ""
        if not sign or not self._fits(node) or not is_new(self.tree, node, self.known):
            return
        place = f"{self.path}:{node.start_point.row + 1} {self.test}"
        inner = self._text(values[0])
        if callee is not None and arguments is not None:
            inner = f"{self.tree.text(callee)}{self._all(arguments)}, True"
        weighed = f"({inner})[1]" if callee is not None else f"({inner})"
        yield _hole(place, node, f"{_NAME}.compared({json.dumps(place)}, {sign == 'in'}, lambda: {weighed})")

    def _fits(self, node: Node) -> bool:
        """Return True for what may be evaluated in a function of its own."""
        return not any(each.type in _NOT_IN_LAMBDA or self.tree.text(each) in _OWN_FRAME for each in nodes_of(node))

    def _key(self, name: Node) -> str:
        return f"{self.test}.{self.tree.text(name)}"

    def _text(self, node: Node) -> str:
        """Return an expression whose calls, parts and names tell what they give."""
        text, site = self.tree.text(node), node.end_byte  # of no two of these the same
        if node.type in _KEPT:
            return text
        if node.type == "identifier":
            return f"{_NAME}.named({self._key(node)!r}, {text})"
        if node.type == "keyword_argument":
            return self._all(node, node.named_children[0])
        if node.type == "for_in_clause":
            return self._all(node, node.child_by_field_name("left"))
        if node.type in ("attribute", "subscript"):
            owner = node.named_children[0]
            rest = self._all(node, owner if node.type == "subscript" else node.named_children[-1], owner)
            return f"{_NAME}.part({text!r}, {self._text(owner)}, lambda _it: _it{rest})"
        if node.type == "call":
            callee, given = node.named_children[0], node.named_children[-1]
            is_method = callee.type == "attribute"
            method = self._all(callee, callee.named_children[-1]) if is_method else self.tree.text(callee)
            return f"{_NAME}.call({site}, lambda: {method}{self._text(given)})"
        return self._all(node)

    def _all(self, node: Node, kept: Node | None = None, after: Node | None = None) -> str:
        """Return a node with each of its parts as `_text` does, but one; from behind another one."""
        at = node.start_byte if after is None else after.end_byte
        parts = []
        for each in node.children:
            if each.start_byte >= at:
                text = self.tree.text(each) if each == kept or not each.is_named else self._text(each)
                parts += [_text_between(self.tree, at, each.start_byte), text]
                at = each.end_byte
        return "".join([*parts, _text_between(self.tree, at, node.end_byte)])


def _hole(name: str, node: Node, filler: str) -> Hollow:
    return Hollow(name, node.start_byte, node.end_byte, filler.encode("utf-8", "surrogateescape"))


def _text_between(tree: SyntaxTree, start: int, end: int) -> str:
    return tree.data[start:end].decode("utf-8", "surrogateescape")


def _sign(tree: SyntaxTree, value: Node) -> str:
    """Return what an expression asks of a value: `==`, or `in` if it may ask more; "" if it asks nothing."""
    if value.type in ("parenthesized_expression", "boolean_operator"):
        signs = {_sign(tree, each) for each in value.named_children} - {""}
        return "in" if "in" in signs else "".join(signs)
    signs = {each.type for each in value.children if not each.is_named}
    if value.type != "comparison_operator" or len(value.named_children) != 2 or not signs & {"==", "in"}:
        return ""
    return _sign_of(tree, value.named_children, "in" in signs)


def _sign_of(tree: SyntaxTree, values: list[Node], is_in: bool) -> str:
    """Return `in`, too, where both sides hold the same name: they may ask whether it lies below or above something."""
    if len(values) != 2 or any(_NO_VALUE.fullmatch(tree.text(each)) for each in values):
        return ""
    left, right = ({tree.text(one) for one in nodes_of(each) if one.type == "identifier"} for each in values)
    return "in" if is_in or left & right else "=="
