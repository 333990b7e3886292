"""What a file would be if the comparisons of order on its changed lines failed on their border, or drew it one step
further.

A border is where both sides are equal: `<` and `<=` differ there alone. If the suite ends as before although the code
fails there, no test meets it. Where one does, the other comparison may do the same: the end of a loop runs once more.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from codeintel_index.stub_detection.hollow import Hollow, changed_bodies
from codeintel_index.syntax.tree import nodes_of

_STEPS = {
    b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">",
    b"-lt": b"-le", b"-le": b"-lt", b"-gt": b"-ge", b"-ge": b"-gt",
}  # fmt: skip
_COMPARING = ("comparison_operator", "binary_expression", "binary")
"""What the grammars call a comparison; the signs stand for other things too, such as parameters of types."""
_SCRIPT = (
    b"((l$, r$) => { if (l <= r && l >= r) throw new Error('codeintel'); return l %(sign)b r; })(%(left)b, %(right)b)"
)
_C = (
    b"({ %b codeintel_l = (%%(left)b); %b codeintel_r = (%%(right)b);"
    b" if (codeintel_l == codeintel_r) __builtin_trap(); codeintel_l %%(sign)b codeintel_r; })"
)
_FAILING = {
    "python": b"(lambda *it: exec(\"raise RuntimeError('codeintel')\") if %(pair)b else %(all)b)(%(values)b)",
    "javascript": _SCRIPT.replace(b"$", b""),
    "typescript": _SCRIPT.replace(b"$", b": any"),
    "tsx": _SCRIPT.replace(b"$", b": any"),
    "rust": b"(match (&(%(left)b), &(%(right)b))"
    b' { (l, r) => if l == r { panic!("codeintel") } else { l %(sign)b r } })',
    "c": _C % (b"__auto_type", b"__auto_type"),
    "cpp": _C % (b"const auto&", b"const auto&"),
    "go": b'func() bool { if (%(left)b) == (%(right)b) { panic("codeintel") }; return %(left)b %(sign)b %(right)b }()',
    "java": b"((%(left)b) <= (%(right)b) && (%(left)b) >= (%(right)b) && (boolean) (Boolean) null"
    b" || %(left)b %(sign)b %(right)b)",
    "csharp": b"((%(left)b) <= (%(right)b) && (%(left)b) >= (%(right)b)"
    b' ? throw new System.InvalidOperationException("codeintel") : %(left)b %(sign)b %(right)b)',
    "php": b"(function ($l, $r) { if ($l <= $r && $l >= $r) throw new \\LogicException('codeintel');"
    b" return $l %(sign)b $r; })(%(left)b, %(right)b)",
    "ruby": b'->(l, r) { raise "codeintel" if l == r; l %(sign)b r }.call(%(left)b, %(right)b)',
    "bash": b"{ ! %(equal)b || exit 70; %(whole)b; }",
}
"""What takes the place of a comparison, and fails where both sides are equal."""
_TWICE = ("go", "java", "csharp")
"""Languages in which the sides are worked out more than once."""
_FIXED = re.compile(
    rb"(?!.*(?:\+\+|--))(?:[\w.\s\[\]+*/%&'\"-]|\b(?:len|cap|size|length|Count|Length)\([\w.\s]*\))+", re.S
)
"""A side that is the same each time."""
_CHOOSING = re.compile("if|conditional|ternary|match_pattern")
_AROUND = re.compile(rb"\belse\b|\breturn\b|\bSome\b|[{}();:\s]")
_LONGEST = 60


class _Comparison(NamedTuple):
    """A comparison of a body, its sides and signs, and which of the signs is meant."""

    data: bytes
    node: Node
    sides: list[Node]
    signs: list[Node]
    at: int

    @property
    def sign(self) -> Node:
        """The sign that draws the border."""
        return self.signs[self.at]

    def name(self, definition: str) -> str:
        """Return the definition that holds it, and its text."""
        pair = self.data[self.sides[self.at].start_byte : self.sides[self.at + 1].end_byte]
        text = " ".join(pair.decode("utf-8", "replace").split())
        return f"{definition}: {text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}"

    def failing(self, language: str) -> tuple[int, int, bytes] | None:
        """Return what fails on the border, and its place; None where the rest would not be the same for certain."""
        values, node, sign = [_text(self.data, each) for each in self.sides], self.node, _text(self.data, self.sign)
        left, right = values[self.at : self.at + 2]
        if language == "bash":
            if not sign.startswith(b"-") or node.parent is None or node.parent.named_child_count != 1:
                return None
            node = node.parent
        elif (language in _TWICE and not all(map(_FIXED.fullmatch, (left, right)))) or (
            len(values) > 2 and language != "python"
        ):
            return None
        whole, places = _text(self.data, node), [b"it[%d]" % at for at in range(len(values))]
        signs = [*(_text(self.data, each) for each in self.signs), b""]
        filler = _FAILING[language] % {
            b"left": left, b"right": right, b"sign": sign, b"whole": whole,
            b"equal": whole.replace(sign, b"-eq", 1), b"values": b", ".join(values),
            b"pair": b" == ".join(places[self.at : self.at + 2]),
            b"all": b" ".join(word for pair in zip(places, signs, strict=True) for word in pair).strip(),
        }  # fmt: skip
        return node.start_byte, node.end_byte, filler

    def is_choice(self) -> bool:
        """Return True if both answers come to the same for equal values: one of the two is chosen, or a place in an
        order that has none for equal ones."""
        inner, above = self.node, self.node.parent
        while above is not None and above.type == "parenthesized_expression":
            inner, above = above, above.parent
        if above is None or not _CHOOSING.search(above.type):
            return False
        parts = [each for each in above.named_children if each != inner]
        if above.type == "match_pattern" and above.parent is not None and above.parent.parent is not None:
            arms = (above.parent, above.parent.parent.named_children[-1])
            parts = [value for arm in arms if (value := arm.child_by_field_name("value")) is not None]
        left, right = (_AROUND.sub(b"", _text(self.data, each)) for each in self.sides[self.at : self.at + 2])
        told = {_AROUND.sub(b"", _text(self.data, each)) for each in parts}
        given = {b"%b=%b" % pair for pair in ((left, right), (right, left))}
        is_place = any(told == {one, b"-" + one} for one in told)
        return bool(told) and (is_place or told <= {left, right} or told <= given)


def find_borders(path: str, data: bytes, before: bytes) -> list[tuple[Hollow, Hollow]]:
    """List the comparisons of order on changed lines of changed callables, each made to fail where both sides are
    equal, and with its border moved by one step."""
    known, lines = {line.strip() for line in before.splitlines()}, data.split(b"\n")
    found = []
    for language, definition, body in changed_bodies(path, data, before):
        for each in _comparisons(data, body):
            filled = None if each.is_choice() else each.failing(language)
            line = each.sign.start_point.row + 1
            if filled is not None and lines[line - 1].strip() not in known:
                name, sign = each.name(definition), each.sign
                moved = Hollow(name, sign.start_byte, sign.end_byte, _STEPS[_text(data, sign)], line=line)
                found.append((Hollow(name, *filled, line=line), moved))
    return sorted(found, key=lambda both: both[1].start)


def _comparisons(data: bytes, body: Node) -> Iterator[_Comparison]:
    for each in nodes_of(body):
        if each.type in _COMPARING:
            parts = [one for one in each.children if "comment" not in one.type]
            sides, signs = parts[::2], parts[1::2]
            for at, sign in enumerate(signs):
                if _text(data, sign) in _STEPS:
                    yield _Comparison(data, each, sides, signs, at)


def _text(data: bytes, node: Node) -> bytes:
    return data[node.start_byte : node.end_byte]
