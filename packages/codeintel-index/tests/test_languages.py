"""Languages as a whole project shows them: grammars that are missing, and data that is no code."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import codeintel_index
from codeintel_index import Index
from codeintel_index.languages.table import LANGUAGES
from codeintel_index.syntax.tree import grammar_of
from codeintel_index.testing import make_repo, write_files

pytestmark = pytest.mark.draws(18)

README = Path(__file__).parents[1] / "README.md"
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
        assert index.symbols("spin.zig") == ()
        assert index.search("spin speed", collection="forest").hits[0].path == "spin.zig"


def test_with_its_grammar_there_is_nothing_to_tell(wheel: Path) -> None:
    with Index.open(wheel) as index:
        assert index.sync().notices == ()
        assert [each.name for each in index.definitions("spin")] == ["spin"]


def test_where_code_defines_a_name_keys_and_headings_are_found_by_their_kinds_only(tmp_path: Path) -> None:
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
        assert [each.path for each in index.definitions("timeout")] == ["z.py", "c.css", "d.swift"]
        assert cold == ["z.py", "c.css", "d.swift"]
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


@pytest.mark.parametrize("synced", ["work", "empty"])
def test_further_clauses_of_a_function_are_no_references_to_it(tmp_path: Path, synced: bool) -> None:
    files = {
        "a.ex": "defmodule A do\n  def walk([]), do: 0\n  def walk([_ | t]) do\n    walk(t)\n  end\nend\n",
        "b.hs": "walk :: Int -> Int\nwalk 0 = 0\nwalk n =\n  walk (n - 1)\n",
    }
    with Index.open(make_repo(tmp_path / "p", files)) as index:
        if synced:
            index.sync()
        assert [(each.path, each.line) for each in index.references("walk")] == [("a.ex", 4), ("b.hs", 4)]


def test_what_only_data_defines_is_found_there_and_marked(tmp_path: Path) -> None:
    files = {"package.json": '{"scripts": {"build_docs": "make"}}\n', "a.py": "def build(): ...\n"}
    with Index.open(make_repo(tmp_path / "p", files)) as index:
        cold = index.definitions("scripts.build_docs")
        index.sync()
        for found in (cold, index.definitions("build_docs"), index.definitions("build_d", exact=False)):
            assert [(each.path, each.parent, found.matched) for each in found] == [("package.json", "scripts", "data")]
        assert index.definitions("scripts.build").matched == "last_name"
        assert index.definitions("build_docs", kind="key").matched == ""
        assert index.search("build_docs", collection="forest").hits[0].path == "package.json"


SNEK = """
from codeintel_index.languages.language import ImportRules, Language, StubRules
from codeintel_index.languages.resolution import Link, Project, Target, link_if
from codeintel_index.results import Import

def _resolve(importer: str, each: Import, target: Target, project: Project) -> Link:
    return link_if(f"{each.module}.snek" == target.path)

SNEK = Language(
    id="snek",
    name="Snek",
    finds="function",
    suffixes=(".snek",),
    grammar=("tree_sitter_python", "language"),
    queries=("snek.scm",),
    comments=("comment",),
    strings=("string",),
    docstrings=True,
    imports=ImportRules(resolve=_resolve),
    stubs=StubRules(no_ops=("pass_statement",), blocks=("block",)),
)
"""
SNEK_QUERY = """
(function_definition name: (identifier) @name) @definition.function
(import_statement name: (dotted_name) @module) @import
(identifier) @use
"""
USES_SNEK = """
import json, sys
import codeintel_index
from codeintel_index import Index
with Index.open(sys.argv[1]) as index:
    report = index.sync()
    print(json.dumps({
        "report": [report.files, list(report.errors)],
        "symbols": [[each.name, each.doc] for each in index.symbols("hiss.snek")],
        "definitions": [each.path for each in index.definitions("slither")],
        "references": [[each.path, each.line, each.enclosing] for each in index.references("slither")],
        "search": index.search("move over the ground", "forest").hits[0].path,
        "impact": [[each.path, each.reason] for each in index.impact(["hiss.snek"]).must_verify],
        "kinds": [index.kind_of_lines("hiss.snek", 1, 3), index.kind_of_lines("hiss.snek", 6, 7)],
    }))
"""


def test_a_language_is_added_by_one_file_with_its_query_and_one_row(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "codeintel_index"
    shutil.copytree(Path(codeintel_index.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    write_files(package / "languages", {"snek.py": SNEK, "snek.scm": SNEK_QUERY})
    table = package / "languages" / "table.py"
    text = table.read_text("utf-8").replace("    scala,\n", "    scala,\n    snek,\n", 1)
    table.write_text(text.replace("    sql.SQL,\n", "    sql.SQL,\n    snek.SNEK,\n", 1), "utf-8")
    code = {
        "hiss.snek": 'def slither():\n    """Move over the ground."""\n    return 1 + 2\n\n\ndef later():\n    pass\n',
        "use.snek": "import hiss\n\ndef go():\n    slither()\n",
    }
    root = make_repo(tmp_path / "snakes", code)
    command = [sys.executable, "-c", USES_SNEK, str(root)]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lib")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "report": [2, []],
        "symbols": [["slither", "Move over the ground."], ["later", ""]],
        "definitions": ["hiss.snek"],
        "references": [["use.snek", 4, "go"]],
        "search": "hiss.snek",
        "impact": [["use.snek", "reference"]],
        "kinds": ["work", "empty"],
    }


def test_the_readme_names_every_language_and_what_needs_the_extra() -> None:
    section = README.read_text(encoding="utf-8").partition("## Languages\n")[2].partition("Without the extra")[0]
    always, _, extra = section.replace("\n", " ").partition("`codeintel-index[languages]`")
    for row in LANGUAGES:
        assert re.search(rf"\b{re.escape(row.name)}[,;.]", extra if row.extra else always), row.name
