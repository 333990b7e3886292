"""Both engines of text search on the same odd files: what one finds the other finds, in the same places."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from codeintel_index import Index, IndexConfig
from codeintel_index.errors import BadArgument, BadPattern
from codeintel_index.results import GrepResult
from codeintel_index.testing import make_repo, write_files

pytestmark = pytest.mark.draws(18)

ODD = {
    "a.py": "x = 'é'\ndef f(): return a.b  # ab\n",
    "crlf.txt": b"one;\r\ntwo\r\nab ab;\r\n",
    "mixed/b.md": b"\tab\n\xc3\xa9 ab\n\nlast ab",
    "mixed/--ab": "ab\n",
    "mixed/[x].txt": "a.b ab a-b\n",
    "deep/er/B.PY": "AB aB\n",
    "empty.txt": "",
    ".hidden/c.txt": "ab\n",
    "ignored.log": "ab\n",
    ".gitignore": "*.log\n",
    "out/d.txt": "ab\n",
    "binary.bin": b"ab\0ab\n",
}
PIECES = ["a", "b", "ab", ".", "a.b", ";", "é", "^", "$", r"\w", r"\s", "[ab]", "a|b", "(ab)", "a?", "x", " ", "-"]

Both = Callable[..., tuple[GrepResult, GrepResult]]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Asks both engines the same in a project of odd files."""
    root = make_repo(tmp_path_factory.mktemp("odd") / "odd project", ODD)
    config = IndexConfig(exclude_patterns=("out/",))

    def ask(pattern: str, **options: object) -> tuple[GrepResult, GrepResult]:
        with Index.open(root, config) as index, pytest.MonkeyPatch.context() as patch:
            first = index.grep(pattern, **options)[0]  # type: ignore[arg-type]
            patch.setenv("CODEINTEL_RG", "/nowhere/rg")
            return first, index.grep(pattern, **options)[0]  # type: ignore[arg-type]

    return ask


def places(result: GrepResult) -> list[tuple[object, ...]]:
    return [(m.path, m.line, m.column, m.text, m.before, m.after) for m in result.matches]


@settings(
    max_examples=settings.default.max_examples // 10,  # each starts two processes
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    pattern=st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join),
    fixed=st.booleans(),
    case_sensitive=st.booleans(),
    context_lines=st.integers(0, 2),
    path=st.sampled_from(["", "mixed", "a.py"]),
    glob=st.sampled_from(["", "*.txt", "!*.py", "mixed/*", "**/*.{py,md}"]),
    limit=st.integers(1, 30),
    offset=st.integers(0, 5),
)
def test_both_engines_find_the_same(both: Both, pattern: str, **options: object) -> None:
    # A match of nothing is no find, and ripgrep knows none behind a last line that has no end.
    assume(options["fixed"] or re.search(pattern, "") is None)
    ripgrep, python = both(pattern, **options)
    assert (ripgrep.engine, python.engine) == ("ripgrep", "python-re")
    assert places(ripgrep) == places(python)
    assert (ripgrep.total, ripgrep.truncated) == (python.total, python.truncated)


@pytest.mark.parametrize(("file_type", "found"), [("py", {"a.py"}), ("md", {"mixed/b.md"})])
def test_a_file_type_is_the_same_to_both(both: Both, file_type: str, found: set[str]) -> None:
    for result in both("ab", file_type=file_type):
        assert {match.path for match in result.matches} == found


def test_excluded_ignored_and_binary_files_are_searched_by_none(both: Both) -> None:
    for result in both("ab", fixed=True):
        seen = {match.path for match in result.matches}
        assert ".hidden/c.txt" in seen
        assert not seen & {"out/d.txt", "ignored.log", "binary.bin"}


def test_the_end_of_a_line_is_before_its_carriage_return(both: Both) -> None:
    for result in both(";$"):
        assert [(m.line, m.column, m.text) for m in result.matches] == [(1, 4, "one;"), (3, 6, "ab ab;")]


def test_a_pattern_of_two_lines_is_refused_with_the_reason(both: Both) -> None:
    with pytest.raises(BadPattern, match="by itself"):
        both("one\ntwo")


def test_an_unknown_file_type_is_refused_by_both(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        with pytest.raises(BadArgument, match="file type"):
            index.grep("x", file_type="nosuchtype")
        monkeypatch.setenv("CODEINTEL_RG", "/nowhere/rg")


def test_a_file_whose_name_is_not_utf8_harms_no_search(index: Index) -> None:
    place = bytes(index.root) + b"/caf\xe9.txt"
    try:
        with open(place, "wb") as file:
            file.write(b"needle\n")
    except OSError:
        pytest.skip("this file system has no such names")
    write_files(index.root, {"plain.txt": "needle\n"})
    assert "plain.txt" in [match.path for match in index.grep("needle")[0].matches]


SEARCH = """
import json, sys
from codeintel_index import Index
with Index.open(sys.argv[1]) as index:
    print(json.dumps([match.path for match in index.grep("needle")[0].matches]))
    print(json.dumps(sys.stdin.read()))
"""


@pytest.mark.parametrize("engine", ["", "/nowhere/rg"])
def test_what_waits_on_standard_input_is_neither_searched_nor_taken(shop: Path, engine: str) -> None:
    environment = {**os.environ, **({"CODEINTEL_RG": engine} if engine else {})}
    command = [sys.executable, "-c", SEARCH, str(shop)]
    done = subprocess.run(command, input="needle\n", capture_output=True, text=True, check=True, env=environment)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [[], "needle\n"]


def test_bytes_that_are_no_text_hide_no_text_beside_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`.` is another matter: to ripgrep it is a character, and those bytes are none."""
    root = make_repo(tmp_path / "bytes", {"b.md": b"x \xff\xfe ab\n"})
    with Index.open(root) as index:
        first = index.grep("ab")[0]
        monkeypatch.setenv("CODEINTEL_RG", "/nowhere/rg")
        assert places(first) == places(index.grep("ab")[0])
        assert [(match.line, match.text[-2:]) for match in first.matches] == [(1, "ab")]
