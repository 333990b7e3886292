"""Imports and exports as the source spells them, one `Import` per statement and module."""

from tree_sitter import Node

from codeintel_index.languages.captures import Captures, FoundImport
from codeintel_index.languages.definitions import Definition
from codeintel_index.languages.tree import SyntaxTree
from codeintel_index.results import Import

_QUOTES = "\"'`<>"
_GROUPS = frozenset({"scoped_use_list"})  # node types whose `path` stands in front of every module within


def imports_in(tree: SyntaxTree, captures: Captures) -> tuple[Import, ...]:
    """The imports of a file in source order, with the names each takes (`*` for all of them)."""
    grouped: dict[tuple[int, str], list[str]] = {}
    lines: dict[tuple[int, str], int] = {}
    for found in captures.imports:
        key = found.node.start_byte, _module(tree, found)
        lines.setdefault(key, found.module.start_point.row + 1)
        names = grouped.setdefault(key, [])
        names.extend(name for node in found.names if (name := tree.text(node)) not in names)
    return tuple(Import(module, tuple(names), lines[at, module]) for (at, module), names in grouped.items())


def _module(tree: SyntaxTree, found: FoundImport) -> str:
    parts = [tree.data[found.module.start_byte : found.module_end.end_byte].decode().strip(_QUOTES)]
    node: Node | None = found.module
    while node is not None:
        path = node.child_by_field_name("path") if node.type in _GROUPS else None
        if path is not None and path != found.module:
            parts.insert(0, tree.text(path))
        node = node.parent
    return tree.row.separator.join(parts)


def exports_in(tree: SyntaxTree, captures: Captures, found: list[Definition]) -> tuple[str, ...]:
    """The names a file hands out: those it marks, else those its names make public."""
    marked = [tree.text(node).strip(_QUOTES) for node in captures.exports]
    public = tree.row.public
    if not marked and public is not None:
        marked = [each.name for each in found if not each.parent and public.match(each.name)]
    return tuple(dict.fromkeys(marked))
