"""Find values that both a test and the code it tests hold: code that knows its tests' inputs is right for them alone.

A value counts in code where it decides or is given: compared for equality, a case, returned, or both sides of an entry
of a table. In a call, and beside `typeof`, it is rather a message, an option or a name; and what the changed code held
before was not taken from the test. In a test it counts anywhere. Values of one character and a few common ones say
nothing. Data is not code: values that were given have to be somewhere.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from codeintel_index.languages.table import DATA_LANGUAGES, language_id
from codeintel_index.stub_detection.doubts import Texts
from codeintel_index.syntax.tree import nodes_of, read_tree

_LITERALS = frozenset(
    {
        "string", "string_literal", "interpreted_string_literal", "raw_string_literal", "encapsed_string",
        "integer", "float", "number", "integer_literal", "int_literal", "float_literal", "number_literal",
        "decimal_integer_literal", "decimal_floating_point_literal", "real_literal",
    }
)  # fmt: skip
_COMPARING = frozenset({"comparison_operator", "binary_expression", "binary"})
_ROLES = {
    **dict.fromkeys(
        ("case_pattern", "case_clause", "switch_case", "switch_label", "expression_case", "when"),
        "compared",
    ),
    **dict.fromkeys(("pair", "keyed_element", "match_arm"), "table"),
    **dict.fromkeys(("return_statement", "return_expression", "return", "lambda", "arrow_function"), "returned"),
}
_THROUGH = frozenset(
    {
        "parenthesized_expression", "list", "tuple", "set", "array", "expression_list", "unary_operator",
        "unary_expression", "conditional_expression", "ternary_expression", "array_expression", "literal_element",
        "literal_value", "match_pattern", "or_pattern",
    }
)  # fmt: skip
_SIGNS = frozenset({"==", "!=", "===", "!==", "in", "not in", "is"})
"""Comparisons that pick values out. One by order has a border, which a test should meet."""
_QUOTES = re.compile(r"""^[a-zA-Z]{0,2}(?:\"\"\"|'''|["'`])|(?:\"\"\"|'''|["'`])$""")
_QUOTED = re.compile(r"""```.*?```|`[^`\n]*`|"[^"\n]*"|(?<!\w)'[^'\n]*'(?!\w)""", re.DOTALL)
_BARE = re.compile(r"(?<![\w.=(\[:-])[^\W\d]\w+(?![\w=(\[:-])")
_MARKED = re.compile(r"(?<!`)`([^\W\d]\w*)`(?!`)")
_NAME = re.compile(r"[^\W_]_[^\W_]|[a-z][A-Z]")

_ESCAPED = re.compile(r"\\(?:u\{?[0-9a-fA-F]+\}?|x[0-9a-fA-F]{2}|.)")
"""A character as it is written in a literal."""
_COMMON = frozenset({"10", "100", "1.0", "0.0", "0.5", "utf-8", "utf8"})


class _Value(NamedTuple):
    text: str
    line: int
    role: str


def find_repeated(code: Mapping[str, Texts], tests: Mapping[str, Texts], asked: str = "") -> list[str]:
    """List the changed lines of code, `path:line`, that hold a value of a changed line of the tests.

    A text that the code also uses as a name (`key === "context"` beside `options.context`) is a name, not a value.
    Nor is what the request is about: a word that `asked` has several times, and not in quotes, as an example is; or
    once if it is written as a name is (`type_params`, `typeParams`), also alone in backticks.
    """
    words = Counter(_BARE.findall(_QUOTED.sub(" ", asked)))
    subjects = {word for word, number in words.items() if number > 1 or _NAME.search(word)}
    subjects |= {word for word in _MARKED.findall(asked) if _NAME.search(word)}
    held = {one.text for path, texts in tests.items() for one in _values(path, *texts)} - _COMMON - subjects
    held -= {text for path, (_, before) in code.items() for text in _texts(path, before)} if held else set()
    found = []
    for path, texts in code.items() if held else ():
        if language_id(path) in DATA_LANGUAGES:
            continue
        shared = [
            one
            for one in _values(path, *texts)
            if one.role and len(_ESCAPED.sub("x", one.text)) > 1 and one.text in held
        ]
        names = _names(path, texts[0]) if shared else set()
        shared = [one for one in shared if one.text not in names]
        entries = Counter(one.line for one in set(shared) if one.role == "table")
        lines = {one.line for one in shared if one.role != "table" or entries[one.line] > 1}
        found += [f"{path}:{line}" for line in sorted(lines)]
    return found


def _values(path: str, data: bytes, before: bytes) -> Iterator[_Value]:
    """Yield the literals on changed lines: what they say, their line (1-based), and what they do there."""
    tree = read_tree(path, data, matched=False)
    if tree is None:
        return
    known, lines = {line.strip() for line in before.splitlines()}, data.split(b"\n")
    for node in _literals(tree.root):
        row = node.start_point.row
        if lines[row].strip() not in known:
            yield _Value(_plain(tree.text(node)), row + 1, _role(node))


def _texts(path: str, data: bytes) -> set[str]:
    """Return what the literals of a file say."""
    tree = read_tree(path, data, matched=False)
    return {_plain(tree.text(node)) for node in _literals(tree.root)} if tree is not None else set()


def _names(path: str, data: bytes) -> set[str]:
    """Return the names that the code of a file uses."""
    tree = read_tree(path, data, matched=False)
    named = (each for each in nodes_of(tree.root) if each.type.endswith("identifier")) if tree is not None else ()
    return {tree.text(each) for each in named} if tree is not None else set()


def _literals(root: Node) -> Iterator[Node]:
    open_nodes = [root]
    while open_nodes:
        each = open_nodes.pop()
        if each.type in _LITERALS and each.is_named:
            is_filled = any("interpolation" in child.type or "substitution" in child.type for child in each.children)
            if not is_filled and (each.parent is None or each.parent.type != "expression_statement"):
                yield each
        else:
            open_nodes.extend(each.children)


def _plain(text: str) -> str:
    return _QUOTES.sub("", text) if text[-1:] in "\"'`" else text.replace("_", "").lower()


def _role(node: Node) -> str:
    each = node.parent
    while each is not None:
        if each.type in _COMPARING:
            signs = {child.type for child in each.children}
            is_of_type = any(child.text.startswith(b"typeof ") for child in each.children if child.text)
            return "compared" if _SIGNS & signs and not is_of_type else ""
        if each.type in _ROLES or each.type not in _THROUGH:
            return _ROLES.get(each.type, "")
        each = each.parent
    return ""
