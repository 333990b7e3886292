"""What a file would be if its changed definitions did nothing: a test that still passes then does not test them.

Only for languages in which an empty body runs; where a compiler refuses it, that would say nothing about tests.
"""

from typing import NamedTuple

from codeintel_index.stub_detection.judge import read_judge

_BLOCK, _EXPRESSION = "block", "expression"
_FILLERS: dict[str, dict[str, bytes]] = {
    "python": {_BLOCK: b"return None", _EXPRESSION: b"None"},
    "javascript": {_BLOCK: b"{}", _EXPRESSION: b"undefined"},
    "typescript": {_BLOCK: b"{}", _EXPRESSION: b"undefined"},
    "tsx": {_BLOCK: b"{}", _EXPRESSION: b"undefined"},
}


class Hollow(NamedTuple):
    """A changed definition, the bytes of its body, and what does nothing in their place."""

    name: str
    start: int
    end: int
    filler: bytes


def find_hollows(path: str, data: bytes, before: bytes) -> list[Hollow]:
    """List the callables of a file whose text `before` does not hold, outermost first; none in other languages."""
    judged = read_judge(path, data)
    fillers = _FILLERS.get(judged.tree.language.id) if judged else None
    if judged is None or fillers is None:
        return []
    old = read_judge(path, before)
    known = {(name, text) for name, text, _ in old.bodies()} if old else set()
    found: list[Hollow] = []
    for name, text, body in judged.bodies():
        is_inside = found and body.start_byte < found[-1].end
        if (name, text) in known or is_inside:
            continue
        kind = _BLOCK if body.type in ("block", "statement_block") else _EXPRESSION
        found.append(Hollow(name, body.start_byte, body.end_byte, fillers[kind]))
    return found


def hollowed(data: bytes, hollows: list[Hollow]) -> bytes:
    """Return a file with these bodies emptied."""
    for each in sorted(hollows, key=lambda one: -one.start):
        data = data[: each.start] + each.filler + data[each.end :]
    return data
