"""What one parse promises whatever the language: it answers for any bytes and says the same each time."""

from codeintel_index.languages import language_of
from codeintel_index.parsing import parse

PYTHON = b'''"""Doc."""

import os


def greet(name: str) -> str:
    """Say hello."""
    return os.sep + name
'''


def test_a_python_file_yields_symbols_chunks_names_and_imports() -> None:
    parsed = parse("pkg/greet.py", PYTHON)
    assert [(each.kind, each.name, each.line, each.end_line) for each in parsed.symbols] == [
        ("function", "greet", 6, 8)
    ]
    assert parsed.symbols[0].signature == "def greet(name: str) -> str"
    assert parsed.symbols[0].doc == "Say hello."
    assert [each.module for each in parsed.imports] == ["os"]
    assert {each.name for each in parsed.names} >= {"os", "sep", "str", "name"}
    assert "greet" not in {each.name for each in parsed.names}


def test_text_after_non_ascii_characters_is_named_rightly() -> None:
    data = "# żółć — ✓✓✓\nclass Größe:\n    def maß(self): ...  # ß\nLÄNGE_MM = 1\n".encode()
    assert [each.name for each in parse("a.py", data).symbols] == ["Größe", "maß", "LÄNGE_MM"]


def test_a_language_is_told_by_suffix_in_any_case_and_by_name() -> None:
    assert language_of("a/B.PY") == "python"
    assert language_of("a.d.ts") == "typescript"
    assert language_of("SConstruct") == "python"
    assert language_of("a.hpp") == "cpp"
    assert language_of("README") == ""
    assert language_of(".py") == ""
