"""The machine is pure: it imports nothing that touches the world, and calls nothing that does."""

import ast
from pathlib import Path

import pytest

import codeintel_session.machine as machine

FILES = sorted(Path(machine.__path__[0]).rglob("*.py"))
STANDARD = {
    "ast",
    "re",
    "unicodedata",
    "collections",
    "dataclasses",
    "enum",
    "itertools",
    "json",
    "pathlib",
    "types",
    "typing",
}
WORLD = {"open", "print", "input", "exec", "eval", "__import__"}
ON_DISK = {"Path", "PosixPath", "os", "sys", "subprocess", "time", "random", "datetime"}


def imports(tree: ast.AST) -> list[tuple[str, list[str], int]]:
    found = [(alias.name, [], 0) for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return found + [
        (node.module or "", [alias.name for alias in node.names], node.level)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_machine_imports_only_itself_and_the_contract(path: Path) -> None:
    depth = len(path.relative_to(FILES[0].parent).parts)
    for module, names, level in imports(ast.parse(path.read_text(encoding="utf-8"))):
        if level:
            assert level <= depth, f"{module} lies outside the machine"
            continue
        top = module.split(".")[0]
        own = module.startswith("codeintel_session.machine")
        assert own or top in STANDARD | {"codeintel_contract", "pydantic"}, module
        assert not ON_DISK & set(names), names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_machine_calls_nothing_that_reads_or_writes(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not calls & WORLD
