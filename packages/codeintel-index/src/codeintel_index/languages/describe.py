"""From definitions to symbols: the one-line signature and the first line of the documentation."""

import re

from tree_sitter import Node

from codeintel_index.languages.definitions import Definition
from codeintel_index.languages.margin import Margin, first_prose
from codeintel_index.languages.tree import SyntaxTree
from codeintel_index.results import Symbol

LONGEST_SIGNATURE = 200
_LONGEST_HEAD = 4000  # bytes that are looked at for it; what has no body may be as long as its file
_AFTER_OPENING = re.compile(r"\(\s+")
_BEFORE_CLOSING = re.compile(r",?\s+\)")
_DECORATORS = frozenset(
    {"decorator", "annotation", "marker_annotation"}
    | {"attribute", "attribute_item", "attribute_declaration", "attribute_list"}
)
_BARE_END = re.compile(r"\s*(?:[;#].*)?\bend$")  # of a definition in which its grammar sees no body
_BOUND_FIELDS = ("value", "right")  # where a function that is bound to a name stands
# Node types of bodies in grammars that put them in no field.
_BODIES = frozenset(
    {"class_body", "enum_class_body", "function_body", "do_block", "block", "computed_property"}
    | {"class_declarations", "instance_declarations"}
)
_BRACED = frozenset({"struct", "interface", "enum", "union"})  # kinds whose members some grammars put in no body
_ONE_LINE = frozenset({"key", "section", "selector", "id", "keyframes"})  # told by the line of the name


def symbols_of(path: str, tree: SyntaxTree, margin: Margin, found: list[Definition]) -> tuple[Symbol, ...]:
    """The symbols among the definitions of a file, in source order."""
    return tuple(_symbol(path, tree, margin, each) for each in found if each.is_symbol)


def _symbol(path: str, tree: SyntaxTree, margin: Margin, definition: Definition) -> Symbol:
    return Symbol(
        name=definition.name,
        kind=definition.kind,
        path=path,
        line=definition.line,
        end_line=definition.last,
        parent=definition.parent,
        signature=signature(tree, definition),
        doc=doc_line(tree, margin, definition),
    )


def signature(tree: SyntaxTree, definition: Definition) -> str:
    """The head of a definition on one line, without decorators and body, cut at 200 characters."""
    if definition.kind in _ONE_LINE:
        return tree.lines[definition.line - 1].decode().strip()[:LONGEST_SIGNATURE]
    node, outer = definition.node, definition.outer
    start = _after_decorators(outer if _opens(outer, node) else node)
    body = body_of(node) or node.child_by_field_name("accessors")
    end = _end_of_head(tree, body) if body else node.end_byte
    text = " ".join(tree.data[start : min(end, start + _LONGEST_HEAD)].decode(errors="ignore").split())
    text = _AFTER_OPENING.sub("(", _BEFORE_CLOSING.sub(")", text))
    if body is None:
        text = _BARE_END.sub("", text)
    if definition.kind in _BRACED:
        text = text.partition("{")[0].rstrip()
    text = (text.removesuffix("{") if body else text).rstrip("; ")
    return re.sub(r"(?:\s=|:)$", "", text).rstrip()[:LONGEST_SIGNATURE]


def _end_of_head(tree: SyntaxTree, body: Node) -> int:
    """The byte before `body` and before comments that stand between it and the head."""
    end, before = body.start_byte, body.prev_sibling
    while before is not None and before.type in tree.row.comments:
        end, before = before.start_byte, before.prev_sibling
    return end


def _opens(outer: Node, node: Node) -> bool:
    """Whether `node` is the first thing said in `outer`: true of `export const a`, not of the second name in a list."""
    return outer.start_point.row == node.start_point.row or _after_decorators(outer) > outer.start_byte


def _after_decorators(node: Node) -> int:
    """The first byte of `node` behind its decorators or annotations."""
    start = node.start_byte
    for child in node.children[:1]:
        if child.type == "modifiers":
            return _after_decorators(child)
    for child in node.children:
        if child.type in _DECORATORS:
            start = child.end_byte
        elif child.type not in {"comment", "line_comment", "block_comment"}:
            break
    return start


def body_of(node: Node) -> Node | None:
    """The body of a definition, also of a function bound to a name; None for a declaration without one."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    for field in _BOUND_FIELDS:
        bound = node.child_by_field_name(field)
        body = bound and (bound.child_by_field_name("body") or bound.child_by_field_name("block"))
        if body is not None:
            return body
    return next((child for child in reversed(node.named_children[1:]) if child.type in _BODIES), None)


def doc_line(tree: SyntaxTree, margin: Margin, definition: Definition) -> str:
    """The first line of the docstring, else of the comment above; "" where there is neither."""
    if tree.row.docstrings and (docstring := docstring_in(body_of(definition.node))) is not None:
        return string_line(tree, docstring)
    if (text := margin.docs.get(definition.node.start_byte)) is not None:
        return first_prose(tree.text(text).encode().split(b"\n"))
    return margin.doc_above(definition.outer)


def docstring_in(body: Node | None) -> Node | None:
    """The string that is the first statement of `body`."""
    statements = [child for child in body.named_children if child.type != "comment"][:1] if body else []
    for statement in statements:
        if statement.type == "expression_statement" and [child.type for child in statement.children] == ["string"]:
            return statement.children[0]
    return None


def string_line(tree: SyntaxTree, string: Node) -> str:
    """The first line of prose in a string node."""
    content = [child for child in string.named_children if child.type == "string_content"]
    if not content:
        return ""
    return first_prose(tree.data[content[0].start_byte : content[-1].end_byte].split(b"\n"))
