"""Every message this package names has its words, and every placeholder of them is given where it is named."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import codeintel_session
from codeintel_contract.loader import load_contract

SOURCES = sorted(Path(codeintel_session.__path__[0]).rglob("*.py"))
MESSAGES = load_contract(None).messages
SECTIONS = {name.split(".")[0] for name in MESSAGES}
KEY = re.compile(rf"(?:{'|'.join(sorted(SECTIONS))})(?:\.[\w*]+)+")
BUILDERS = {"_fail": "failures.READY.*", "_ask": "session_messages.ask_*"}
"""Helpers that put a key together from the last part they are given."""


def text_of(node: ast.AST) -> str:
    """A literal; what an f-string fills in reads as `*`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
    return ""


def texts(node: ast.AST) -> Iterator[str]:
    """All literals, an f-string as one."""
    if found := text_of(node):
        yield found
        return
    for child in ast.iter_child_nodes(node):
        yield from texts(child)


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Every call that names a message: where, the call, the key."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            first, name = text_of(node.args[0]), getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in BUILDERS and first:
                yield f"{path.name}:{node.lineno}", node, BUILDERS[name].replace("*", first)
            elif KEY.fullmatch(first):
                yield f"{path.name}:{node.lineno}", node, first


def matching(key: str) -> list[str]:
    pattern = re.compile(re.escape(key).replace(r"\*", r"\w+"))
    return [name for name in MESSAGES if pattern.fullmatch(name)]


def given(call: ast.Call) -> set[str] | None:
    """Names of the values handed over; None if they cannot be told from the call alone."""
    names: set[str] = set()
    for word in call.keywords:
        if word.arg is None:
            return None
        names.add(word.arg)
    for extra in call.args[1:]:
        if not isinstance(extra, ast.Dict):
            return None
        names |= {text_of(part) for part in extra.keys if part is not None}
    return names - {"problems"}


CALLS = list(calls())


def test_the_scan_sees_the_calls() -> None:
    assert len(CALLS) > 60


def test_each_message_that_is_named_exists_and_gets_its_placeholders() -> None:
    wrong = []
    for where, call, key in CALLS:
        found, values = matching(key), given(call)
        wrong += [f"{where}: no message {key}"] * (not found)
        for name in found if values is not None and "*" not in key else ():
            missing = MESSAGES[name].placeholders() - (values or set())
            wrong += [f"{where}: {name} gets no {', '.join(sorted(missing))}"] * bool(missing)
    assert wrong == []


def test_keys_that_stand_alone_exist_too() -> None:
    """A key kept in a field (`failure=...`) is raised somewhere else."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES]
    alone = {text for tree in trees for text in texts(tree) if KEY.fullmatch(text)}
    assert [key for key in sorted(alone) if not matching(key)] == []


def test_no_message_asks_for_what_a_string_formatter_would_do() -> None:
    assert [name for name, message in MESSAGES.items() if re.search(r"\{[^}]*[.!:\[]", message.message)] == []
