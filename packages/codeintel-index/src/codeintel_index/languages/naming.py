"""What a definition is called: its own name, and the type or module that it names as its place."""

import re

from codeintel_index.languages.captures import Found
from codeintel_index.languages.tree import SyntaxTree

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
    """(dotted type named by a definition outside of it, own name): `net::Client<T>::send` → (`net.Client`, `send`)."""
    if found.name.type == _PROSE:
        return "", _plain(tree.text(found.name))
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
