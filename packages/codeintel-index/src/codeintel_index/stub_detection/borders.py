"""What a file would be if the comparisons on its changed lines drew their border one step further.

A test that still passes then does not look at the border: `<` and `<=` differ for one value alone.
"""

from collections.abc import Iterator

from tree_sitter import Node

from codeintel_index.stub_detection.hollow import Hollow, changed_bodies

_STEPS = {
    b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">",
    b"-lt": b"-le", b"-le": b"-lt", b"-gt": b"-ge", b"-ge": b"-gt",
}  # fmt: skip
_COMPARING = ("comparison_operator", "binary_expression", "binary")
"""What the grammars call a comparison; the signs stand for other things too, such as parameters of types."""


def find_borders(path: str, data: bytes, before: bytes) -> list[Hollow]:
    """List the comparisons of order on changed lines of changed callables, each with its border moved by one step."""
    known, lines = {line.strip() for line in before.splitlines()}, data.split(b"\n")
    found = []
    for _, definition, body in changed_bodies(path, data, before):
        for sign, step in _signs(data, body):
            row = sign.start_point.row
            if lines[row].strip() not in known:
                name = f"{definition}: {step.decode()} in place of {data[sign.start_byte : sign.end_byte].decode()}"
                found.append(Hollow(name, sign.start_byte, sign.end_byte, step, line=row + 1))
    return sorted(found, key=lambda each: each.start)


def _signs(data: bytes, body: Node) -> Iterator[tuple[Node, bytes]]:
    open_nodes = [body]
    while open_nodes:
        each = open_nodes.pop()
        step = None if each.named_children else _STEPS.get(data[each.start_byte : each.end_byte])
        if step and each.parent is not None and each.parent.type in _COMPARING:
            yield each, step
        open_nodes.extend(each.children)
