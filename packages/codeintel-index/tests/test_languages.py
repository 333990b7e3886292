"""Languages as a whole project shows them: grammars that are missing, and data that is no code."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_index import Index
from codeintel_index.languages import LANGUAGES
from codeintel_index.languages.grammar import grammar_of
from codeintel_index.testing import make_repo

README = Path(__file__).parents[1] / "README.md"
SPELLED = {"csharp": "C#", "cpp": "C++", "tsx": "TSX", "html": "HTML", "css": "CSS", "json": "JSON", "yaml": "YAML"}
SPELLED |= {"toml": "TOML", "sql": "SQL", "php": "PHP", "javascript": "JavaScript", "typescript": "TypeScript"}
ZIG = "pub fn spin(speed: u8) u8 {\n    return speed;\n}\n"


@pytest.fixture
def no_zig(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Python's import system has no Zig grammar, as without the extra."""
    grammar_of.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_zig", None)
    monkeypatch.setenv("CODEINTEL_CTAGS", "")
    yield
    grammar_of.cache_clear()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A project with three files of Zig."""
    return make_repo(
        tmp_path / "wheel", {f"{name}.zig": ZIG.replace("spin", name) for name in ("spin", "turn", "stop")}
    )


def test_a_language_whose_grammar_is_missing_is_text_and_the_user_is_told(wheel: Path, no_zig: None) -> None:
    with Index.open(wheel) as index:
        report = index.sync()
        told = "3 .zig files are searched as text; install codeintel-index[languages]"
        assert report.notices == (told,)
        assert told in index.stats().notices
        assert report.errors == ()
        assert index.symbols("spin.zig") == []
        assert index.search("spin speed", collection="forest").hits[0].path == "spin.zig"


def test_with_its_grammar_there_is_nothing_to_tell(wheel: Path) -> None:
    with Index.open(wheel) as index:
        assert index.sync().notices == ()
        assert [each.name for each in index.definitions("spin")] == ["spin"]


def test_definitions_in_code_come_before_keys_and_headings(tmp_path: Path) -> None:
    files = {
        "a.json": '{"timeout": 3}\n',
        "b.md": "# timeout\n\nHow long.\n",
        "c.css": ".timeout { color: red; }\n",
        "d.swift": "extension timeout {}\n",
        "z.py": "def timeout(): ...\n",
    }
    with Index.open(make_repo(tmp_path / "p", files)) as index:
        cold = [each.path for each in index.definitions("timeout")]
        index.sync()
        assert [each.path for each in index.definitions("timeout")] == ["z.py", "a.json", "b.md", "c.css", "d.swift"]
        assert cold[0] == "z.py"
        assert [each.kind for each in index.definitions("timeout", kind="key")] == ["key"]


def test_a_key_does_not_outrank_the_code_that_bears_its_name(tmp_path: Path) -> None:
    files = {f"config/{name}.json": '{"retry_policy": {"retries": 3}}\n' for name in "abcdef"}
    files["src/client.py"] = "def send(): ...\n\n\ndef retry_policy(attempt):\n    return attempt < 3\n"
    with Index.open(make_repo(tmp_path / "p", files)) as index:
        index.sync()
        assert index.search("retry_policy", collection="forest").hits[0].path == "src/client.py"


def test_a_key_or_heading_that_changes_reaches_no_code_by_its_name(tmp_path: Path) -> None:
    files = {
        "settings.toml": "[server]\nhostname = 'a'\n",
        "notes.md": "# hostname\n",
        "app.py": "def connect(hostname):\n    return hostname\n",
    }
    with Index.open(make_repo(tmp_path / "p", files)) as index:
        index.sync()
        found = index.impact(["settings.toml", "notes.md"])
        assert (found.must_verify, found.symbols) == ((), ())


@pytest.mark.parametrize("synced", [False, True])
def test_further_clauses_of_a_function_are_no_references_to_it(tmp_path: Path, synced: bool) -> None:
    files = {
        "a.ex": "defmodule A do\n  def walk([]), do: 0\n  def walk([_ | t]) do\n    walk(t)\n  end\nend\n",
        "b.hs": "walk :: Int -> Int\nwalk 0 = 0\nwalk n =\n  walk (n - 1)\n",
    }
    with Index.open(make_repo(tmp_path / "p", files)) as index:
        if synced:
            index.sync()
        assert [(each.path, each.line) for each in index.references("walk")[0]] == [("a.ex", 4), ("b.hs", 4)]


def test_what_only_data_defines_is_found_there(tmp_path: Path) -> None:
    files = {"package.json": '{"scripts": {"build_docs": "make"}}\n', "a.py": "def build(): ...\n"}
    with Index.open(make_repo(tmp_path / "p", files)) as index:
        index.sync()
        assert [(each.path, each.parent) for each in index.definitions("build_docs")] == [("package.json", "scripts")]
        assert index.search("build_docs", collection="forest").hits[0].path == "package.json"


def test_the_readme_names_every_language_and_what_needs_the_extra() -> None:
    section = README.read_text(encoding="utf-8").partition("## Languages\n")[2].partition("Without the extra")[0]
    always, _, extra = section.replace("\n", " ").partition("`codeintel-index[languages]`")
    for row in LANGUAGES:
        name = SPELLED.get(row.id, row.id.capitalize())
        assert re.search(rf"\b{re.escape(name)}[,;.]", extra if row.extra else always), name
