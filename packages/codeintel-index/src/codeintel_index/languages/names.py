"""Names in use: every identifier in code that is not itself the name of a definition, with the lines it stands on."""

import re
from collections import defaultdict

from codeintel_index.languages.captures import Captures
from codeintel_index.languages.tree import SyntaxTree

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def names_in(tree: SyntaxTree, captures: Captures) -> dict[str, tuple[int, ...]]:
    """The identifiers that a file uses, each with its lines in order. Names in comments and strings are none."""
    data, defined = tree.data, captures.definitions
    found: defaultdict[bytes, set[int]] = defaultdict(set)
    for node in captures.uses:
        start = node.start_byte
        if start not in defined:
            found[data[start : node.end_byte]].add(node.start_point[0] + 1)
    for node in captures.words:
        line = node.start_point[0] + 1
        for at, text in enumerate(data[node.start_byte : node.end_byte].split(b"\n")):
            for word in _WORD.findall(text):
                found[word].add(line + at)
    found.pop(b"", None)  # the grammar's guess at a name
    return {name.decode(): tuple(sorted(lines)) for name, lines in found.items()}
