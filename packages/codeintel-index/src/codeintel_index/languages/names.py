"""Names in use: every identifier in code that is not itself the name of a definition, once per name and line."""

import re

from codeintel_index.languages.captures import Captures
from codeintel_index.languages.tree import SyntaxTree
from codeintel_index.results import NameUse

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def names_in(tree: SyntaxTree, captures: Captures) -> tuple[NameUse, ...]:
    """The identifier uses of a file, in source order. Names in comments and strings are none."""
    data, defined = tree.data, captures.definitions
    seen = {
        (node.start_point.row + 1, data[node.start_byte : node.end_byte])
        for node in captures.uses
        if node.start_byte not in defined and node.start_byte < node.end_byte  # else the grammar's guess at one
    }
    for node in captures.words:
        line = node.start_point.row + 1
        for at, text in enumerate(data[node.start_byte : node.end_byte].split(b"\n")):
            seen.update((line + at, word) for word in _WORD.findall(text))
    return tuple(NameUse(name.decode(), line) for line, name in sorted(seen))
