"""What an index keeps of a parsed file: symbols with signature and documentation, imports, exports, and names in
use.
"""

import re
from bisect import bisect
from collections import defaultdict
from itertools import accumulate

from tree_sitter import Node

from codeintel_index.results import Import, Symbol
from codeintel_index.syntax.captures import Captures, FoundImport
from codeintel_index.syntax.definitions import CALLABLE, Definition
from codeintel_index.syntax.leading_comments import LeadingComments, first_prose
from codeintel_index.syntax.tree import SyntaxTree

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def names_in(tree: SyntaxTree, captures: Captures, definitions: list[Definition]) -> dict[str, tuple[int, ...]]:
    """Collect the identifiers that a file uses, each with its lines in order; comments and strings do not count.

    An attribute is defined where it is first assigned and used where it is assigned after that.
    """
    data = tree.data
    defined = {at for at, found in captures.definitions.items() if found.role != "self"}
    defined.update(each.name_at for each in definitions if each.role == "self")
    found: defaultdict[bytes, set[int]] = defaultdict(set)
    lines = [*accumulate((len(line) + 1 for line in tree.lines), initial=0)]  # where each begins
    for node in captures.uses:
        start = node.start_byte
        if start not in defined:
            found[data[start : node.end_byte]].add(bisect(lines, start))
    for node in captures.words:
        first = bisect(lines, node.start_byte)
        for at, text in enumerate(data[node.start_byte : node.end_byte].split(b"\n"), first):
            for word in _WORD.findall(text):
                found[word].add(at)
    found.pop(b"", None)  # the grammar's guess at a name
    return {name.decode(): tuple(sorted(at)) for name, at in found.items()}


_QUOTES = "\"'`<>"
_GROUPS = frozenset({"scoped_use_list"})  # node types whose `path` precedes every module within


def imports_in(tree: SyntaxTree, captures: Captures) -> tuple[Import, ...]:
    """List the imports of a file in source order, with the names each takes (`*` for all of them)."""
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
    return tree.language.separator.join(parts)


def exports_in(tree: SyntaxTree, captures: Captures, found: list[Definition]) -> tuple[str, ...]:
    """List the names that a file exports: those it marks, else those that are public by their form."""
    marked = [tree.text(node).strip(_QUOTES) for node in captures.exports]
    public = tree.language.public_names
    if not marked and public is not None:
        marked = [each.name for each in found if not each.parent and public.match(each.name)]
    return tuple(dict.fromkeys(marked))


LONGEST_SIGNATURE = 200
_LONGEST_HEAD = 4000  # bytes that are looked at for it; what has no body may be as long as its file
_DECORATORS = frozenset(
    {"decorator", "annotation", "marker_annotation"}
    | {"attribute", "attribute_item", "attribute_declaration", "attribute_list"}
)
_BARE_END = re.compile(r"\s*(?:[;#].*)?\bend$")  # of a definition in which its grammar sees no body
_BOUND_FIELDS = ("value", "right")  # of a function that is bound to a name
# Node types of bodies in grammars that put them in no field.
_BODIES = frozenset(
    {"class_body", "enum_class_body", "function_body", "do_block", "block", "computed_property"}
    | {"class_declarations", "instance_declarations"}
)
_BRACED = frozenset({"struct", "interface", "enum", "union"})  # kinds whose members some grammars put in no body
_ONE_LINE = frozenset({"key", "section", "selector", "id", "keyframes"})  # shown by the line of the name


def symbols_of(path: str, tree: SyntaxTree, leading: LeadingComments, found: list[Definition]) -> tuple[Symbol, ...]:
    """Make the symbols of a file's definitions, in source order."""
    return tuple(_symbol(path, tree, leading, each) for each in found if each.role != "scope")


def _symbol(path: str, tree: SyntaxTree, leading: LeadingComments, definition: Definition) -> Symbol:
    return Symbol(
        name=definition.name,
        kind=definition.kind,
        path=path,
        line=definition.line,
        end_line=definition.last,
        parent=definition.parent,
        signature=signature(tree, definition),
        doc=doc_line(tree, leading, definition),
        start_line=_start_line(leading, definition),
    )


def _start_line(leading: LeadingComments, definition: Definition) -> int | None:
    """The first line of decorators, attributes and modifiers, where that is above the name."""
    row = definition.outer.start_point.row
    above = range(definition.first - 1, row)
    row = next((each for each in above if each in leading.attribute_rows), row)
    return row + 1 if row + 1 < definition.line else None


_WORDS = re.compile(r"[^\W\d]\w*")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|[\"'][^\"'\n]*[\"']|\w+\s*=")
_NO_BASES = frozenset(
    {"extends", "implements", "public", "private", "protected", "virtual", "with", "typename", "class"}
)
_MOST_BASES = 20


def bases_in(tree: SyntaxTree, captures: Captures, found: list[Definition]) -> tuple[tuple[str, str], ...]:
    """List what the types of a file derive from or mix in, as (type, base), by last names."""
    types = [each for each in found if each.kind in _INHERITING]
    pairs = [(each.name, base) for each in types for base in _bases_of(tree, each)]
    for node in captures.bases:
        around = [each for each in types if each.node.start_byte <= node.start_byte < each.end]
        pairs += [(around[-1].name, base) for base in _last_names(tree.text(node))] if around else []
    return tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


_INHERITING = frozenset({"class", "interface", "struct", "record", "trait", "module", "object", "protocol", "enum"})


def _bases_of(tree: SyntaxTree, definition: Definition) -> list[str]:
    """The types that the head of a definition names."""
    kinds = tree.language.stubs.bases if tree.language.stubs else ()
    heads = [child for child in definition.node.children if child.type in kinds]
    return [base for head in heads for base in _last_names(tree.text(head)[:1000])][:_MOST_BASES]


def _last_names(text: str) -> list[str]:
    """The last parts of the qualified names in the head of a type: `(a.B[C], metaclass=D)` → B, D."""
    text = text.removeprefix("(").removesuffix(")")
    while text != (shorter := _GENERIC.sub("", text)):
        text = shorter
    parts = (_WORDS.findall(part) for part in re.split(r",|\bimplements\b|\bextends\b|\s(?=with\b)", text))
    return [part[-1] for part in parts if part and part[-1] not in _NO_BASES]


def signature(tree: SyntaxTree, definition: Definition) -> str:
    """Write the head of a definition on one line, without decorators and body, cut at 200 characters."""
    if definition.kind in _ONE_LINE or (definition.is_inner and definition.kind not in CALLABLE):
        return tree.lines[definition.line - 1].decode().strip()[:LONGEST_SIGNATURE]
    node, outer = definition.node, definition.outer
    start = _after_decorators(outer if _opens(outer, node) else node)
    body = body_of(node) or node.child_by_field_name("accessors")
    end = _end_of_head(tree, body) if body else node.end_byte
    text = " ".join(tree.data[start : min(end, start + _LONGEST_HEAD)].decode(errors="ignore").split())
    text = text.replace(", )", ")").replace(" )", ")").replace("( ", "(")
    if body is None:
        text = _BARE_END.sub("", text)
    if definition.kind in _BRACED:
        text = text.partition("{")[0].rstrip()
    text = (text.removesuffix("{") if body else text).rstrip("; ")
    text = text.removesuffix(" =") if text.endswith("=") else text.removesuffix(":")
    return text.rstrip()[:LONGEST_SIGNATURE]


def _end_of_head(tree: SyntaxTree, body: Node) -> int:
    """The byte before `body` and before comments that stand between it and the head."""
    end, before = body.start_byte, body.prev_sibling
    while before is not None and before.type in tree.language.comments:
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
    """Find the body of a definition, also of a function bound to a name; None for a declaration without one."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    for field in _BOUND_FIELDS:
        bound = node.child_by_field_name(field)
        body = bound and (bound.child_by_field_name("body") or bound.child_by_field_name("block"))
        if body is not None:
            return body
    return next((child for child in reversed(node.named_children[1:]) if child.type in _BODIES), None)


def doc_line(tree: SyntaxTree, leading: LeadingComments, definition: Definition) -> str:
    """Extract the first line of the docstring, else of the comment above; "" where there is neither."""
    if tree.language.docstrings and (docstring := docstring_in(body_of(definition.node))) is not None:
        return string_line(tree, docstring)
    if (text := leading.docs.get(definition.node.start_byte)) is not None:
        return first_prose(tree.text(text).encode().split(b"\n"))
    return leading.doc_above(definition.outer)


def docstring_in(body: Node | None) -> Node | None:
    """Find the string that is the first statement of `body`."""
    if body is None or not body.named_child_count:
        return None
    statement: Node | None = body.named_child(0)  # the list of all children costs as much as there are
    while statement is not None and statement.type == "comment":
        statement = statement.next_named_sibling
    if statement is None or statement.type != "expression_statement" or statement.child_count != 1:
        return None
    only = statement.child(0)
    return only if only is not None and only.type == "string" else None


def string_line(tree: SyntaxTree, string: Node) -> str:
    """Extract the first line of prose in a string node."""
    content = [child for child in string.named_children if child.type == "string_content"]
    if not content:
        return ""
    return first_prose(tree.data[content[0].start_byte : content[-1].end_byte].split(b"\n"))
