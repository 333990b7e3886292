"""What changed code takes or keeps and never reads: a new parameter of a function that was there, and a private
collection that it only writes to. Python, JavaScript and TypeScript are read.

Honest code takes what it does not read where something else fixes the signature: in a class with a base, below a
decorator, in a function that is handed on, in one that only refuses. Such functions are left out.
"""

from collections.abc import Iterator

from tree_sitter import Node

from codeintel_index.stub_detection.doubts import callee_of, definition_in, read_script
from codeintel_index.syntax.tree import SyntaxTree, nodes_of

_NAMES = frozenset(
    {
        "identifier", "property_identifier", "private_property_identifier", "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
    }
)  # fmt: skip
_ACCESS = frozenset({"attribute", "member_expression"})
_ELEMENT = frozenset({"subscript", "subscript_expression"})
_ASSIGNED = frozenset(
    {"assignment", "assignment_expression", "augmented_assignment", "variable_declarator", "field_definition"}
)
_STORES = frozenset({"append", "appendleft", "add", "update", "insert", "extend", "push", "unshift", "set"})
_COLLECTIONS = frozenset({"dictionary", "list", "set", "object", "array"})
_KINDS = frozenset(
    {
        "dict", "list", "set", "OrderedDict", "defaultdict", "deque", "collections.OrderedDict",
        "collections.defaultdict", "collections.deque", "new Map", "new Set", "new WeakMap", "new WeakSet",
    }
)  # fmt: skip
_OWN_FRAME = frozenset({"locals", "vars", "eval", "exec", "arguments", "super"})
_PLAIN = frozenset({"staticmethod", "classmethod"})
_REFUSES = frozenset({"pass_statement", "raise_statement", "throw_statement", "comment"})


def find_unread(path: str, data: bytes, before: bytes) -> list[str]:
    """List what a file takes or keeps now and never reads, `path:line name`, by line."""
    now, old = (read_script(path, text) for text in (data, before))
    if now is None or old is None or not before:
        return []
    known = {name: _parameters(old, each) for name, each in _functions(old, old.root, "")}
    found = [each for name, function in _functions(now, now.root, "") if name in known
             for each in _unused(now, function, set(known[name]))]  # fmt: skip
    words = {old.text(each) for each in nodes_of(old.root) if each.type in _NAMES}
    found += [each for each in _only_written(now) if now.text(each) not in words]
    return [
        f"{path}:{each.start_point.row + 1} {now.text(each)}" for each in sorted(found, key=lambda one: one.start_byte)
    ]


def _functions(tree: SyntaxTree, block: Node, owner: str) -> Iterator[tuple[str, Node]]:
    """Yield functions by name that nothing but their own file decides about."""
    for outer in block.named_children:
        each = definition_in(outer) or outer
        if outer.type == "export_statement":
            each = next((one for one in outer.named_children if one.type.endswith("_declaration")), outer)
        name, body = each.child_by_field_name("name"), each.child_by_field_name("body")
        if name is None or body is None:
            continue
        qualified = f"{owner}.{tree.text(name)}"
        if each.type in ("class_definition", "class_declaration"):
            if not any(one.type in ("argument_list", "class_heritage") for one in each.children):
                yield from _functions(tree, body, qualified)
        elif each.type in ("function_definition", "function_declaration", "method_definition"):
            marks = [tree.text(one)[1:] for one in outer.named_children if one.type == "decorator"]
            if set(marks) <= _PLAIN:
                yield qualified, each


def _parameters(tree: SyntaxTree, function: Node) -> dict[str, Node]:
    """Return the parameters of a function by name, without those that take what is left."""
    found: dict[str, Node] = {}
    listed = function.child_by_field_name("parameters")
    for each in listed.named_children if listed is not None else ():
        name = each
        while name.type.endswith(("_parameter", "assignment_pattern")) and name.named_children:
            name = name.child_by_field_name("name") or name.child_by_field_name("pattern") or name.named_children[0]
        if name.type == "identifier" and not tree.text(name).startswith("_"):
            found[tree.text(name)] = name
    return found


def _unused(tree: SyntaxTree, function: Node, known: set[str]) -> Iterator[Node]:
    body, name = function.child_by_field_name("body"), function.child_by_field_name("name")
    added = {name: node for name, node in _parameters(tree, function).items() if name not in known}
    if not added or body is None or name is None or _is_handed_on(tree, name):
        return
    works = [each for each in body.named_children if each.type not in _REFUSES and not _is_text(each)]
    used = {tree.text(each) for each in nodes_of(body) if each.type in _NAMES}
    if works and not used & _OWN_FRAME:
        yield from (node for each, node in added.items() if each not in used)


def _is_text(node: Node) -> bool:
    return node.type == "expression_statement" and node.named_children[0].type in ("string", "ellipsis")


def _is_handed_on(tree: SyntaxTree, name: Node) -> bool:
    """Return True if a file names a function otherwise than to call or to define it, or defines it more than once."""
    same = [each for each in nodes_of(tree.root) if each.type in _NAMES and tree.text(each) == tree.text(name)]
    return not all(each == name or _is_called(each) for each in same)


def _is_called(name: Node) -> bool:
    access = name.parent if name.parent is not None and name.parent.type in _ACCESS else name
    call = access.parent
    return (
        call is not None and call.type in ("call", "call_expression") and call.child_by_field_name("function") == access
    )


def _only_written(tree: SyntaxTree) -> Iterator[Node]:
    """Yield the first place of each private collection that a file only writes to."""
    places: dict[str, list[Node]] = {}
    for each in nodes_of(tree.root):
        if each.type in _NAMES and tree.text(each).startswith(("_", "#")) and not tree.text(each).startswith("__"):
            places.setdefault(tree.text(each), []).append(each)
    texts = "\0".join(tree.text(each) for each in nodes_of(tree.root) if "string" in each.type)
    for name, nodes in places.items():
        kinds = [_write(tree, each) for each in nodes]
        if all(kinds) and "store" in kinds and name not in texts:
            yield min(nodes, key=lambda each: each.start_byte)


def _write(tree: SyntaxTree, name: Node) -> str:
    """Return `set` or `store` for a place that gives a name a collection or puts something into it, "" for others."""
    outer = name.parent
    access = outer if outer is not None and outer.type in _ACCESS and outer.named_children[-1] == name else name
    place = access.parent
    if place is None:
        return ""
    if place.type in _ELEMENT and place.named_children[0] == access:
        outer = place.parent
        return "store" if outer is not None and outer.type in _ASSIGNED and _left(outer) == place else ""
    if place.type in _ACCESS:
        call = place.parent
        statement = call.parent if call is not None else None
        is_alone = statement is not None and statement.type == "expression_statement"
        is_store = call is not None and call.type in ("call", "call_expression") and callee_of(tree, call) in _STORES
        return "store" if is_alone and is_store else ""
    is_set = place.type in _ASSIGNED and _left(place) == access and _is_collection(tree, place)
    return "set" if is_set or place.type == "global_statement" else ""


def _is_collection(tree: SyntaxTree, assignment: Node) -> bool:
    """Return True for what keeps things and does nothing with them: an object that takes them may."""
    value = assignment.child_by_field_name("right") or assignment.child_by_field_name("value")
    if value is None or value.type in _COLLECTIONS:
        return value is not None and assignment.type != "augmented_assignment"
    return value.type in ("call", "new_expression") and tree.text(value).partition("(")[0] in _KINDS


def _left(node: Node) -> Node | None:
    found = (node.child_by_field_name(name) for name in ("left", "name", "property"))
    return next((each for each in found if each is not None), None)
