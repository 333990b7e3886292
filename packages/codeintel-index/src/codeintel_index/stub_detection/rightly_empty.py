"""What is rightly empty: declarations, what has only a name or a base, what is meant to be empty, doubles of tests."""

import re

from tree_sitter import Node

from codeintel_index.stub_detection.statements import Reader
from codeintel_index.stub_detection.words import is_named_for_nothing
from codeintel_index.syntax.definitions import Definition

_DECORATORS = frozenset({"decorator", "annotation", "marker_annotation", "attribute_list"})
_MODIFIERS = frozenset({"modifiers", "modifier", "visibility_modifier"})
_IMPLIED_BASES = frozenset({"()", "(object)"})
_STATEMENTS = frozenset({"statement_block", "class_body", "program"})  # of JavaScript, which has objects of functions
_FORBIDDING = frozenset({"__clone", "__wakeup"})  # private and empty they keep a class from being copied
_TEST_OF_RUST = re.compile(rb"#\[\s*(?:(?:\w+::)*test\b|rstest\b|test_case\b|cfg\(\s*(?:all\(\s*)?test\s*[,)])")


def is_declaration(reader: Reader, each: Definition) -> bool:
    """Whether a callable with a body only declares: an overload, an abstract method, a member of a protocol."""
    marks, contracts = reader.rules.declaring_decorators, reader.rules.contracts
    if marks is not None and any(marks.search(text) for text in _decorators(reader, each)):
        return True
    holder = each.enclosing
    return _serves_type_checkers(reader, each.outer) or (
        contracts is not None
        and holder is not None
        and any(contracts.search(text) for text in _bases(reader, holder.node))
    )


def _serves_type_checkers(reader: Reader, node: Node | None) -> bool:
    name = reader.rules.declaring_condition
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
    if each.enclosing is not None and each.enclosing.kind in reader.rules.contract_kinds:
        return True
    body = reader.body_of(each.node)
    heads = [child for child in each.node.children if child != body]
    if any(_holds(head, reader.rules.intended) for head in heads):
        return True
    parameters = each.node.child_by_field_name("parameters")
    return parameters is not None and _holds(parameters, reader.rules.field_parameters)


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
        (body is None and each.node.type not in reader.rules.bodiless)
        or any(text not in _IMPLIED_BASES for text in _bases(reader, each.node))
        or any("(" in text or reader.rules.any_attribute for text in _decorators(reader, each))
        or reader.gives_reason(each.node, body)
    )


def _bases(reader: Reader, node: Node) -> list[str]:
    inner = node.child_by_field_name("value") or node
    return [reader.tree.text(child) for child in inner.children if child.type in reader.rules.bases]


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


def is_stand_in(node: Node) -> bool:
    """Whether it is an arrow in an object that a call is given, `{ onError: () => {} }`: an option or a double."""
    if node.type == "method_definition":
        return False
    within_object = False
    above = node.parent
    while above is not None and above.type not in _STATEMENTS:
        if above.type == "arguments" and within_object:
            return True
        within_object = within_object or above.type == "object"
        above = above.parent
    return False


def is_double_in_tests(reader: Reader, each: Definition, *, among_tests: bool) -> bool:
    """Whether it stands in for something in tests: a member of a fake, a callback, or a function whose types are the
    test (`fn assert_send<T: Send>() {}`). `among_tests` says that the file is one of tests; in Rust they may be beside
    the code.
    """
    if each.name.lower().startswith("test") or not (among_tests or is_test_of_rust(each.node.parent)):
        return False
    if reader.tree.language.id == "rust":
        is_test = is_test_of_rust(each.node, within=each.node.parent)
        within = each.enclosing is not None and each.enclosing.node.type != "mod_item"
        return not is_test and (within or each.node.child_by_field_name("type_parameters") is not None)
    return bool(each.parent) or each.node.child_by_field_name("type_parameters") is not None


def is_test_of_rust(node: Node | None, within: Node | None = None) -> bool:
    """Whether a node has an attribute such as `#[test]` or `#[cfg(test)]`, or is in one that has, up to `within`."""
    above = node
    while above is not None and above != within:
        beside = above.prev_named_sibling
        while beside is not None and beside.type == "attribute_item":
            if _TEST_OF_RUST.match(beside.text or b""):
                return True
            beside = beside.prev_named_sibling
        above = above.parent
    return False
