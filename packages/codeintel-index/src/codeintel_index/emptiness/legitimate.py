"""What is rightly empty: declarations, members of contracts, and classes that exist to have a name or a base."""

from tree_sitter import Node

from codeintel_index.emptiness.statements import Reader
from codeintel_index.emptiness.words import is_named_for_nothing
from codeintel_index.languages.definitions import Definition

_DECORATORS = frozenset({"decorator", "annotation", "marker_annotation", "attribute_list"})
_MODIFIERS = frozenset({"modifiers", "modifier", "visibility_modifier"})
_IMPLIED_BASES = frozenset({"()", "(object)"})
_FORBIDDING = frozenset({"__clone", "__wakeup"})  # private and empty they keep a class from being copied


def is_declaration(reader: Reader, each: Definition) -> bool:
    """Whether a callable with a body only declares: an overload, an abstract method, a member of a protocol."""
    marks, contracts = reader.row.marks, reader.row.contracts
    if marks is not None and any(marks.search(text) for text in _decorators(reader, each)):
        return True
    holder = each.enclosing
    return _serves_type_checkers(reader, each.outer) or (
        contracts is not None
        and holder is not None
        and any(contracts.search(text) for text in _bases(reader, holder.node))
    )


def _serves_type_checkers(reader: Reader, node: Node | None) -> bool:
    name = reader.row.declaring_condition
    while name and node is not None:
        condition = node.child_by_field_name("condition")
        if condition is not None and reader.tree.text(condition).rpartition(".")[2] == name:
            return True
        node = node.parent
    return False


def may_do_nothing(reader: Reader, each: Definition) -> bool:
    """Whether an empty body is right: a default in an interface, a constructor that sets fields, a `noop`."""
    if is_named_for_nothing(each.name, each.parent.rpartition(".")[2]):
        return True
    if each.enclosing is not None and each.enclosing.kind in reader.row.contract_kinds:
        return True
    body = reader.body_of(each.node)
    heads = [child for child in each.node.children if child != body]
    if any(_holds(head, reader.row.intended) for head in heads):
        return True
    parameters = each.node.child_by_field_name("parameters")
    return parameters is not None and _holds(parameters, reader.row.field_parameters)


def forbids_instances(reader: Reader, each: Definition) -> bool:
    """Whether it is a private constructor without parameters, empty or failing, or a private copy."""
    forbids = each.kind == "constructor" or each.name in _FORBIDDING
    modifiers = [child for child in each.node.children if child.type in _MODIFIERS]
    return (
        forbids
        and takes_nothing(each)
        and any("private" in reader.tree.text(modifier).split() for modifier in modifiers)
    )


def takes_nothing(each: Definition) -> bool:
    """Whether it is declared without parameters."""
    parameters = each.node.child_by_field_name("parameters")
    return parameters is not None and not parameters.named_children


def may_be_empty(reader: Reader, each: Definition) -> bool:
    """Whether a container without members is right: any but a class or an inherent `impl`; these with a reason to be.

    A base, a decorator with arguments, an annotation, fields in the head, or a comment that says why is a reason.
    """
    if each.kind not in {"class", "impl", "namespace", "module"}:
        return True
    if each.kind == "impl":
        return each.node.child_by_field_name("trait") is not None
    body = reader.body_of(each.node)
    return (
        (body is None and each.node.type not in reader.row.bodiless)
        or any(text not in _IMPLIED_BASES for text in _bases(reader, each.node))
        or any("(" in text or reader.row.any_mark for text in _decorators(reader, each))
        or reader.gives_reason(each.node, body)
    )


def _bases(reader: Reader, node: Node) -> list[str]:
    inner = node.child_by_field_name("value") or node
    return [reader.tree.text(child) for child in inner.children if child.type in reader.row.bases]


def _decorators(reader: Reader, each: Definition) -> list[str]:
    """The texts of the decorators or annotations of a definition, wherever its grammar puts them."""
    around = [*each.outer.children, *each.node.children]
    nodes = [*around, *(inner for child in around if child.type == "modifiers" for inner in child.children)]
    sibling = each.node.prev_named_sibling
    while sibling is not None and sibling.type in _DECORATORS:
        nodes.append(sibling)
        sibling = sibling.prev_named_sibling
    return [reader.tree.text(node) for node in nodes if node.type in _DECORATORS]


def _holds(node: Node, types: tuple[str, ...]) -> bool:
    open_nodes = [node]
    while open_nodes:
        each = open_nodes.pop()
        if each.type in types:
            return True
        open_nodes.extend(each.children)
    return False
