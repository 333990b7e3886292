"""Python definitions compared with what `ast` finds in the standard library of the running interpreter."""

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_index.syntax.parsing import parse

STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = [*sorted(STDLIB.glob("*.py"))[::3], *sorted(STDLIB.glob("asyncio/*.py"))[::2]]
ENOUGH = 0.99

Fact = tuple[str, str, str, int]


def definitions(tree: ast.AST, name: str, parents: tuple[str, ...] = (), holder: str = "") -> Iterator[Fact]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield name, "class", ".".join((*parents, node.name)), node.lineno
            yield from definitions(node, name, (*parents, node.name), "class")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield name, "method" if holder == "class" else "function", ".".join((*parents, node.name)), node.lineno
            yield from definitions(node, name, (*parents, node.name), "function")
        else:
            yield from definitions(node, name, parents, holder)


@pytest.fixture(scope="module")
def sources() -> dict[str, bytes]:
    return {str(path.relative_to(STDLIB)): path.read_bytes() for path in FILES}


def test_classes_functions_and_methods_are_those_of_the_compiler(sources: dict[str, bytes]) -> None:
    sources = dict([*sources.items()][::3])
    truth = {fact for name, data in sources.items() for fact in definitions(ast.parse(data), name)}
    found = {
        (name, symbol.kind, ".".join(filter(None, (symbol.parent, symbol.name))), symbol.line)
        for name, data in sources.items()
        for symbol in parse(name, data).symbols
        if symbol.kind in {"class", "function", "method"}
    }
    assert len(truth) > 1000
    assert len(truth & found) / len(found) >= ENOUGH
    assert len(truth & found) / len(truth) >= ENOUGH


@pytest.mark.slow
def test_every_name_the_compiler_loads_is_a_name_in_use(sources: dict[str, bytes]) -> None:
    for name, data in sources.items():
        used = {(used, line) for used, lines in parse(name, data).names.items() for line in lines}
        loaded = {
            (node.id, node.lineno)
            for node in ast.walk(ast.parse(data))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        in_strings = {
            line
            for node in ast.walk(ast.parse(data))
            if isinstance(node, ast.JoinedStr)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        missing = {(word, line) for word, line in loaded - used if line not in in_strings}
        assert missing == set(), name
