"""Find where files that go with the tests put something in the place of changed code or of what the language gives, and
where they look at the text of changed code and not at what it does.

What a file held before is not found again. A double that the runner takes away after the test may be there for a
reason; so may a clock or a random number that is fixed.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from tree_sitter import Node

from codeintel_index.stub_detection.doubts import Texts, callee_of, is_new, plain_text, read_script
from codeintel_index.stub_detection.hollow import changed_bodies
from codeintel_index.syntax.tree import SyntaxTree, nodes_of

_FUNCTIONS = frozenset({"function_definition", "lambda", "class_definition"})
_REPLACING = frozenset({"setattr", "setitem", "patch", "object"})
_SOURCES = frozenset({"getsource", "getsourcelines", "findsource"})
_SPACE = re.compile(r"(?:vars\([\w.]+\)|[\w.]+\.__dict__)\[")
_GIVEN = re.compile(
    r"(?:Math|JSON|Array|String|Number|Object|RegExp|Map|Set|assert)\.(?!random\b)[\w.]+"
    r"|(?:Array|String|Number|Object|RegExp|Map|Set)\.prototype\.\w+"
)
"""What JavaScript, or its `assert`, gives to all code."""
_IMPORTS = frozenset({"import_statement", "import_from_statement", "variable_declarator"})
_Asks = Callable[[SyntaxTree, Node, set[str], set[str]], bool]


def find_replaced(tests: Mapping[str, Texts], code: Mapping[str, Texts]) -> list[str]:
    """List the places of files that go with the tests, `path:line`, that replace what changed code defines or what the
    language gives, and the files that take the place of a module of it."""
    modules = {_module(path) for path in code if path.endswith(".py")}
    new = [path for path, (_, before) in tests.items() if path.endswith(".py") and not before]
    taken = [path for path in new if _module(path) in modules and len(_module(path)) > 1]
    return [*taken, *_places(tests, code, _replaces)]


def find_text_asked(tests: Mapping[str, Texts], code: Mapping[str, Texts]) -> list[str]:
    """List the places of files that go with the tests, `path:line`, that ask for the text of changed code."""
    return _places(tests, code, _asks_text)


def _places(tests: Mapping[str, Texts], code: Mapping[str, Texts], asks: _Asks) -> list[str]:
    names = {
        (language == "python", name.rpartition(".")[2])
        for path, texts in code.items()
        for language, name, _ in changed_bodies(path, *texts)
        if not name.endswith("__")
    }
    found = []
    for path, (data, before) in tests.items() if names else ():
        tree, known = read_script(path, data), plain_text(before)
        if tree is not None:
            imported = _imported(tree)
            ours = {name for is_python, name in names if is_python == (tree.language.id == "python")}
            found += [f"{path}:{line}" for line in sorted({
                node.start_point.row + 1
                for node in nodes_of(tree.root)
                if asks(tree, node, ours, imported) and is_new(tree, node, known)
            })]  # fmt: skip
    return found


def _module(path: str) -> tuple[str, ...]:
    """Return the last two parts of a module's path."""
    return PurePosixPath(path).with_suffix("").parts[-2:]


def _imported(tree: SyntaxTree) -> set[str]:
    """Return the names that the imports of a file bind."""
    statements = [
        each for each in nodes_of(tree.root) if each.type in _IMPORTS
        and (each.type != "variable_declarator" or "require(" in tree.text(each))
    ]  # fmt: skip
    return {tree.text(each) for one in statements for each in nodes_of(one) if "identifier" in each.type}


def _replaces(tree: SyntaxTree, node: Node, names: set[str], imported: set[str]) -> bool:
    if node.type in ("assignment", "assignment_expression"):
        left = node.child_by_field_name("left")
        text = tree.text(left) if left is not None else ""
        parts = text.split(".")
        if left is None or tree.language.id != "python":
            return _GIVEN.fullmatch(text) is not None
        if left.type == "subscript":
            return _SPACE.match(text) is not None and bool(names & {*_strings(tree, left)})
        is_of = left.type == "attribute" and parts[0] in imported
        return is_of and (parts[0] == "builtins" or bool(names & {*parts[1:]}))
    if node.type == "function_definition":
        name, outer = node.child_by_field_name("name"), node.parent
        while outer is not None and outer.type not in _FUNCTIONS:
            outer = outer.parent
        return outer is None and name is not None and tree.text(name) in names
    arguments = node.child_by_field_name("arguments") if node.type == "call" else None
    if arguments is None or callee_of(tree, node) not in _REPLACING:
        return False
    is_given = tree.text(node).startswith("setattr(builtins,")
    return is_given or bool(names & {*_strings(tree, arguments)})


def _strings(tree: SyntaxTree, node: Node) -> Iterator[str]:
    """Yield the last part of each name that a call or an index takes as a string."""
    for each in node.named_children:
        if each.type == "string":
            yield tree.text(each).strip("\"'").rpartition(".")[2]


def _asks_text(tree: SyntaxTree, node: Node, names: set[str], imported: set[str]) -> bool:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type == "attribute" and tree.text(node).endswith(".__code__"):
        return _is_imported(tree, node.named_children[0], names, imported)
    if function is None or arguments is None:
        return False
    if tree.language.id == "python":
        is_source = node.type == "call" and callee_of(tree, node) in _SOURCES
        return is_source and any(_is_imported(tree, each, names, imported) for each in arguments.named_children)
    text = tree.text(function)
    asked = function.named_children[0] if text.endswith(".toString") and not arguments.named_children else None
    if text == "String" and len(arguments.named_children) == 1:
        asked = arguments.named_children[0]
    return asked is not None and _is_imported(tree, asked, names, imported)


def _is_imported(tree: SyntaxTree, node: Node, names: set[str], imported: set[str]) -> bool:
    """Return True for a changed definition, by a name of what the file imports."""
    parts = tree.text(node).split(".")
    return parts[0] in imported and parts[-1] in names
