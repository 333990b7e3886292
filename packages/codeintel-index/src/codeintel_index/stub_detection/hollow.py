"""What a file would be if its changed definitions did nothing, or gave another value.

A test that still passes then does not test them, or does not look at what they give. Where a compiler refuses an empty
body, the definition stops the program: a test that still passes then does not even reach it, or it is not built.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from codeintel_index.languages.table import detect_language
from codeintel_index.stub_detection.doubts import SCRIPT
from codeintel_index.stub_detection.judge import read_judge
from codeintel_index.stub_detection.rightly_empty import is_test_of_rust
from codeintel_index.syntax.definitions import read_definitions
from codeintel_index.syntax.tree import SyntaxTree, nodes_of, read_tree

_BLOCK, _EXPRESSION = "block", "expression"
_FILLERS: dict[str, dict[str, bytes]] = {
    "python": {_BLOCK: b"return None", _EXPRESSION: b"None"},
    **{language: {_BLOCK: b"{ return; ", _EXPRESSION: b"undefined"} for language in SCRIPT},
    "bash": {_BLOCK: b"{ :; }"},
    "go": {_BLOCK: b'{ panic("codeintel"); '},
    "rust": {_BLOCK: b'{ panic!("codeintel"); '},
    "c": {_BLOCK: b"{ __builtin_trap(); "},
    "cpp": {_BLOCK: b"{ __builtin_trap(); "},
    "java": {_BLOCK: b'{ if (true) throw new IllegalStateException("codeintel"); '},
    "csharp": {_BLOCK: b'{ if (true) throw new System.InvalidOperationException("codeintel"); '},
    "php": {_BLOCK: b"{ throw new \\LogicException('codeintel'); "},
    "ruby": {_BLOCK: b'raise "codeintel"'},
}
"""What does nothing, or stops. In a block it comes before the statements, so that a test which reads the text finds it
there."""
_TURNED = ("python", *SCRIPT)
_NAME = re.compile(rb"[^\W\d]\w*")
_BLOCKS = ("block", "statement_block", "compound_statement", "body_statement")
_PYTHON = """
import functools, inspect, types
others = {
    bool: lambda value: not value, int: lambda value: -value - 1, float: lambda value: -value - 1,
    str: lambda value: "codeintel", bytes: lambda value: b"codeintel",
    list: lambda value: ["codeintel"] * (len(value) + 1), tuple: lambda value: ("codeintel",) * (len(value) + 1),
    dict: lambda value: {"codeintel": True}, set: lambda value: {"codeintel"},
    frozenset: lambda value: frozenset(["codeintel"]),
}
def filled(value, base):
    if base in (int, float):
        return base(value) + 1
    return base("codeintel" for _ in value) if base in (list, tuple) and value else object()
def orders_alike(value, kind, base):
    own = base(value)
    ends = (own - 1, own + 1) if base in (int, float) else (own[:0], own + own + base(b"z" if base is bytes else "z"))
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        compares = getattr(kind, name)
        try:
            if compares is not getattr(base, name) and len({bool(compares(value, end)) for end in ends}) == 1:
                return True
        except Exception:  # a class of the project may raise anything
            continue
    return False
def equals_others(value, depth):
    kind = type(value)
    if kind in (list, tuple, set, frozenset, dict):
        inner = list(value.values() if kind is dict else value)[:20]
        return depth < 3 and any(equals_others(one, depth + 1) for one in inner)
    base = next((each for each in others if isinstance(value, each)), object)
    if kind not in others and base in (int, float, str, bytes) and orders_alike(value, kind, base):
        return True
    if kind in others or kind.__eq__ is base.__eq__:
        return False
    equals = getattr(kind.__eq__, "__wrapped__", kind.__eq__)  # it may be turned itself
    for make in (object, lambda: filled(value, base)):
        try:
            same = equals(value, make())
            if type(same) in others and same:  # an object of its own is an expression, as queries build them
                return True
        except Exception:  # a class of the project may raise anything
            continue
    return False
def other(value, mark):
    if mark + "=" not in marks and equals_others(value, 0):
        marks.add(mark + "=")
        open(mark + "=", "a").close()
    if isinstance(value, types.FunctionType):
        return turn(value, mark)
    base = next((kind for kind in others if isinstance(value, kind)), None)
    try:
        changed = others[base](value)
        changed = changed if type(value) is base else type(value)(changed)
    except Exception:  # a class of the project may raise anything
        return value
    if mark not in marks:
        marks.add(mark)
        open(mark, "a").close()
    return changed
marks = set()
def turn(function, mark):
    @functools.wraps(function)
    def turned(*values, **named):
        return other(function(*values, **named), mark)
    @functools.wraps(function)
    async def later(*values, **named):
        return other(await function(*values, **named), mark)
    @functools.wraps(function)
    def each(*values, **named):
        for value in function(*values, **named):
            yield other(value, mark)
    if inspect.iscoroutinefunction(function):
        return later
    if inspect.isasyncgenfunction(function):
        return function
    return each if inspect.isgeneratorfunction(function) else turned
"""
_SCRIPT = (
    "((value$, mark$)$ => { let other = value; const kind = typeof value;"
    " if (kind === 'boolean') other = !value; else if (kind === 'number') other = -value - 1;"
    " else if (kind === 'bigint') other = -value - BigInt(1); else if (kind === 'string') other = 'codeintel';"
    " else if (Array.isArray(value)) other = new Array(value.length + 1).fill('codeintel');"
    " else if (value && Object.getPrototypeOf(value) === Object.prototype) other = { codeintel: true };"
    " else return value;"
    " process.getBuiltinModule('fs').appendFileSync(mark, ''); return other; })"
)


class Hollow(NamedTuple):
    """A changed definition, the bytes of its body (or a place before it), and what is put there.

    `mark` is the path of a file that the definition makes once it gives another value, "" if it is just empty; with `=`
    behind it, one that it makes if what it gives is equal to values of which it differs. `line` is 0 for a whole
    definition.
    """

    name: str
    start: int
    end: int
    filler: bytes
    mark: str = ""
    line: int = 0


def find_hollows(path: str, data: bytes, before: bytes) -> list[Hollow]:
    """List the callables of a file whose text `before` does not hold, outermost first; none in other languages."""
    return [
        Hollow(name, body.start_byte, *_emptied(data, body, _FILLERS[language][_kind(body)]))
        for language, name, body in changed_bodies(path, data, before)
        if _kind(body) in _FILLERS[language]
    ]


def _emptied(data: bytes, body: Node, filler: bytes) -> tuple[int, bytes]:
    """Return the end of what is replaced, and what is put there."""
    if _kind(body) == _EXPRESSION or filler.endswith(b"}"):
        return body.end_byte, filler
    if filler.startswith(b"{"):
        return body.start_byte + 1, filler
    margin = margin_before(data, body.start_byte)
    return body.start_byte, filler + (b"; " if margin.strip() else b"\n" + margin)


def margin_before(data: bytes, at: int) -> bytes:
    """Return the begin of a line up to a place on it."""
    return data[data.rfind(b"\n", 0, at) + 1 : at]


def find_turned(path: str, data: bytes, before: bytes, marks: str) -> list[Hollow]:
    """List the same callables, each made to give another value of the same type: the opposite truth, another number,
    text, or collection. What gives nothing or an object of a class is left as it is.

    Args:
        marks: the begin of the path of the file that each makes when it has given another value.
    """
    found = []
    for language, name, body in changed_bodies(path, data, before):
        if language not in _TURNED:
            continue
        mark = f"{marks}{body.start_byte}"
        turned = _decorated(data, body, mark) if language == "python" else _wrapped(data, body, mark, language)
        if turned is not None:
            found.append(Hollow(name, *turned, mark))
    return found


def find_reverted(path: str, data: bytes, before: bytes) -> list[Hollow]:
    """List those of the same callables that do something else than in `before`, each with its body from there, and the
    constants that callables of the file use, each with its value from there."""
    old: dict[str, list[Node]] = {}
    was_used = list(_constants(path, before))
    for name, body in (*((name, body) for name, _, body in _bodies(path, before)[1]), *was_used):
        old.setdefault(name, []).append(body)
    changed = [(name, body) for _, name, body in changed_bodies(path, data, before)]
    return [
        Hollow(name, body.start_byte, body.end_byte, before[was.start_byte : was.end_byte])
        for name, body in (*changed, *(_constants(path, data) if was_used else ()))
        for was in old.get(name, ())
        if len(old[name]) == 1 and _code_words(before, was) != _code_words(data, body)
    ]


def _constants(path: str, data: bytes) -> Iterator[tuple[str, Node]]:
    """Yield the name and the definition of each value of the file itself that a callable of it uses."""
    tree = read_tree(path, data)
    used = {word for _, text, _ in _bodies(path, data)[1] for word in _NAME.findall(text)} if tree is not None else ()
    if tree is None or tree.language.id not in _FILLERS or not used:
        return
    for each in read_definitions(tree)[2]:
        is_value = each.kind in ("constant", "variable") and each.enclosing is None and each.name.encode() in used
        if is_value and not is_test_of_rust(each.node) and not any(map(_is_callable, nodes_of(each.node))):
            yield each.name, each.node


def _is_callable(node: Node) -> bool:
    return "function" in node.type or node.type in ("lambda", "class", "closure_expression", "func_literal")


def has_same_code(path: str, data: bytes, before: bytes) -> bool:
    """Return True if two texts of code of an examined language differ in comments, docstrings and tests beside the code
    alone."""
    now, old = (read_tree(path, text, matched=False) for text in (data, before))
    if now is None or old is None or now.language.id not in _FILLERS or data == before:
        return False
    return _code_words(data, now.root) == _code_words(before, old.root)


def _code_words(data: bytes, root: Node) -> list[bytes]:
    """Return the words of code without comments, docstrings and tests beside it."""
    words: list[bytes] = []
    open_nodes = [root]
    while open_nodes:
        each = open_nodes.pop()
        said = [child.type for child in each.named_children] == ["string"] and each.type == "expression_statement"
        is_test = each.type in ("mod_item", "function_item") and is_test_of_rust(each)
        if said or is_test or "comment" in each.type:
            continue
        open_nodes.extend(reversed(each.children))
        if not each.child_count:
            words.append(data[each.start_byte : each.end_byte])
    return words


def is_unreadable(path: str, data: bytes) -> bool:
    """Return True for code of an examined language without a syntax tree: a line is too long, or it nests too deep."""
    language = detect_language(path, data)
    return language is not None and language.id in _FILLERS and read_tree(path, data, matched=False) is None


def changed_bodies(path: str, data: bytes, before: bytes) -> Iterator[tuple[str, str, Node]]:
    """Yield the language, the name and the body of each outermost callable whose text `before` does not hold."""
    language, found = _bodies(path, data)
    if language not in _FILLERS:
        return
    known = {(name, text) for name, text, _ in _bodies(path, before)[1]}
    end = 0
    for name, text, body in found:
        if (name, text) not in known and body.start_byte >= end and not is_test_of_rust(body):
            end = body.end_byte
            yield language, name, body


def _bodies(path: str, data: bytes) -> tuple[str, list[tuple[str, bytes, Node]]]:
    """Return the language, and of each callable its name, its text and its body, by place."""
    if judged := read_judge(path, data):
        return judged.tree.language.id, sorted((*judged.bodies(), *_lambdas(judged.tree)), key=_place)
    tree = read_tree(path, data, matched=False)
    if tree is None or tree.language.id != "bash":
        return "", []
    found = []
    for each in nodes_of(tree.root):
        name, body = each.child_by_field_name("name"), each.child_by_field_name("body")
        if each.type == "function_definition" and name and body and body.type == "compound_statement":
            found.append((tree.text(name), data[each.start_byte : each.end_byte], body))
    return tree.language.id, sorted(found, key=_place)


def _place(found: tuple[str, bytes, Node]) -> int:
    return found[2].start_byte


def _lambdas(tree: SyntaxTree) -> Iterator[tuple[str, bytes, Node]]:
    """Yield the functions of Python that are assigned and not defined."""
    for each in nodes_of(tree.root) if tree.language.id == "python" else ():
        name, value = each.child_by_field_name("left"), each.child_by_field_name("right")
        while value is not None and value.type == "call":  # `partial(lambda ...)`
            arguments = value.child_by_field_name("arguments")
            value = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        body = value.child_by_field_name("body") if value is not None and value.type == "lambda" else None
        if each.type == "assignment" and name is not None and body is not None:
            yield tree.text(name), tree.data[each.start_byte : each.end_byte], body


def _kind(body: Node) -> str:
    return _BLOCK if body.type in _BLOCKS else _EXPRESSION


def _decorated(data: bytes, body: Node, mark: str) -> tuple[int, int, bytes] | None:
    """Return a decorator before the definition, None where it does not begin its line; a lambda is passed to it."""
    definition = body.parent
    if definition is None or definition.type not in ("function_definition", "lambda"):
        return None
    text = f"(lambda f: (s := {{}}, exec({_PYTHON!r}, s), s['turn'](f, {mark!r}))[2])"
    turn = text.encode("utf-8", "surrogateescape")
    at, end = definition.start_byte, definition.end_byte
    if definition.type == "lambda":
        return at, end, turn + b"(" + data[at:end] + b")"
    margin = margin_before(data, at)
    return None if margin.strip() else (at, at, b"@" + turn + b"\n" + margin)


def _wrapped(data: bytes, body: Node, mark: str, language: str) -> tuple[int, int, bytes] | None:
    """Return a body that turns the value of the present one; None for a generator."""
    definition = body.parent
    kinds = {child.type for child in definition.children} if definition is not None else {"*"}
    if definition is None or "*" in kinds:
        return None
    turn = _SCRIPT.replace("$", "" if language == "javascript" else ": any").encode()
    text, place = data[body.start_byte : body.end_byte], json.dumps(mark).encode()
    if _kind(body) == _EXPRESSION:
        wait = b"await " if "async" in kinds else b""
        return body.start_byte, body.end_byte, turn + b"(" + wait + text + b", " + place + b")"
    run = b"await (async () => " if "async" in kinds else b"(() => "
    return body.start_byte, body.end_byte, b"{ return " + turn + b"(" + run + text + b")(), " + place + b"); }"


def hollowed(data: bytes, hollows: list[Hollow]) -> bytes:
    """Return a file with these bodies replaced."""
    for each in sorted(hollows, key=lambda one: -one.start):
        data = data[: each.start] + each.filler + data[each.end :]
    return data
