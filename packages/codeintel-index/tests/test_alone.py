"""The package stands alone, is cheap to import, and keeps its parts apart."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import codeintel_index

SOURCES = sorted(Path(codeintel_index.__file__).parent.rglob("*.py"))
SIBLINGS = {"codeintel_contract", "codeintel_session", "codeintel_server", "codeintel_templates"}
HEAVY = {"chromadb", "numpy", "tree_sitter", "rich", "typer"}


def imported_by(code: str) -> set[str]:
    """Top-level modules that are loaded after running this code in a fresh interpreter."""
    code += "\nimport sys\nprint(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_imports_none_of_its_siblings() -> None:
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert SIBLINGS.isdisjoint(name.partition(".")[0] for name in names), source.name


def test_importing_and_opening_load_nothing_heavy(tmp_path: Path) -> None:
    code = f"from codeintel_index import Index, IndexConfig\nIndex.open({str(tmp_path)!r}).close()"
    assert HEAVY.isdisjoint(imported_by(code))


def test_text_search_loads_no_model_and_no_grammar(tmp_path: Path) -> None:
    code = f"from codeintel_index import Index\nIndex.open({str(tmp_path)!r}).grep('x')"
    assert HEAVY.isdisjoint(imported_by(code))


def test_a_search_with_vectors_loads_no_chroma(dense: codeintel_index.Index) -> None:
    dense.close()
    code = f"from codeintel_index import Index\nwith Index.open({str(dense.root)!r}) as index:\n"
    found = imported_by(f"{code}    assert index.search('where are carts stored').dense == ''\n    index.wait_dense()")
    assert "numpy" in found
    assert "chromadb" not in found


def test_the_command_lines_help_loads_no_vectors() -> None:
    assert {"chromadb", "numpy", "tree_sitter"}.isdisjoint(imported_by("import codeintel_index.cli.app"))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = codeintel_index.Nonsense
    assert codeintel_index.IndexConfig().chunk_max_tokens == 512
