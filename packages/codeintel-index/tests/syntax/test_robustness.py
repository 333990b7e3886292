"""What cannot be parsed is chunked by lines, and nothing that a file holds makes any question about it raise."""

import dataclasses
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from codeintel_index.languages.language import Language
from codeintel_index.languages.table import LANGUAGES, find_language
from codeintel_index.results import ParsedFile
from codeintel_index.stub_detection.judge import is_empty_implementation
from codeintel_index.syntax import tree
from codeintel_index.syntax.parsing import classify, parse, structure
from codeintel_index.syntax.tree import grammar_of

pytestmark = pytest.mark.draws(18)

CODE = b"def f():\n    return 1\n"
SUFFIXES = [suffix for row in LANGUAGES for suffix in row.suffixes[:1]]


def assert_by_lines(parsed: ParsedFile) -> None:
    assert parsed.symbols == ()
    assert parsed.names == {}
    assert parsed.imports == ()
    assert parsed.chunks
    assert {chunk.kind for chunk in parsed.chunks} == {"text"}


def test_an_unknown_language_is_chunked_by_lines() -> None:
    parsed = parse("a.unknown", CODE)
    assert parsed.language == ""
    assert_by_lines(parsed)


def test_broken_encoding_is_chunked_by_lines_and_shows_what_it_can() -> None:
    parsed = parse("a.py", b"caf\xe9 = 1\n" + CODE)
    assert_by_lines(parsed)
    assert parsed.chunks[0].text.startswith("caf\ufffd = 1\n")


def test_a_line_made_by_a_program_keeps_a_file_from_being_parsed() -> None:
    assert_by_lines(parse("a.js", b"var a = '" + b"x" * 20_000 + b"';\nfunction f() {}\n"))
    assert parse("a.js", b"var a = '" + b"x" * 19_000 + b"';\nfunction f() {}\n").symbols


def test_a_parse_past_the_deadline_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "DEADLINE_S", 0.0)
    assert_by_lines(parse("a.py", CODE * 2000))


def test_a_parser_answers_again_after_one_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tree, "DEADLINE_S", 0.0)
        parse("a.py", CODE * 2000)
    assert len(parse("a.py", CODE * 20).symbols) == 20


def test_a_missing_grammar_wheel_degrades_to_line_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    row = find_language("a.py")
    assert row is not None
    missing = dataclasses.replace(row, grammar=("tree_sitter_that_is_not_installed", "language"))
    monkeypatch.setattr(tree, "detect_language", lambda path, data: missing)
    assert_by_lines(parse("a.py", CODE))


@pytest.mark.parametrize("row", LANGUAGES, ids=lambda row: row.id)
def test_the_query_of_every_language_fits_its_grammar(row: Language) -> None:
    assert grammar_of(row) is not None


def test_deep_nesting_neither_overflows_nor_takes_long() -> None:
    start = time.monotonic()
    deep = b"x = [\n" + b"[\n" * 20_000 + b"]\n" * 20_000 + b"]\n"
    assert parse("a.py", deep).chunks
    assert classify("a.py", deep, [(20_000, 0)]) == ["code"]
    assert time.monotonic() - start < 10


DEEP = {
    "keys": "".join(" " * at + "a:\n" for at in range(260)),
    "lists": "- " * 260 + "a\n",
    "lists of keys": "".join("  " * at + "- a:\n" for at in range(130)),
    "values": ": " * 1000,
    "carriage returns": "".join(" " * at + "- a:\r" for at in range(190)) + "\n",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_levels_that_crash_the_scanner_of_yaml_are_not_parsed(text: str) -> None:
    assert_by_lines(parse("a.yml", text.encode()))


def test_blocks_that_crash_the_scanner_of_python_are_not_parsed() -> None:
    assert_by_lines(parse("a.py", "".join(" " * at + '$"{\n' for at in range(600)).encode()))
    assert parse("a.py", "".join(" " * at + "def f():\n" for at in range(100)).encode()).symbols


@pytest.mark.parametrize("tab", ["\t", " " * 8], ids=["tabs", "spaces"])
def test_lines_that_begin_at_more_than_120_columns_are_not_parsed(tab: str) -> None:
    lines = [tab * (at // 8) + " " * (at % 8) + "def f():\n" for at in range(121)]
    assert parse("a.py", "".join(lines[:120]).encode()).symbols
    assert_by_lines(parse("a.py", "".join(lines).encode()))


# What nests in most languages, and what nests in a few.
NESTING = [("(", ")"), ("{", "}"), ("[", "]"), ("<b id='x'>", "</b>"), ("if x then", "end"), ("- ", ""), ("> ", "")]


@pytest.mark.sample(6)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_deep_nesting_is_answered_in_any_language(suffix: str) -> None:
    for opening, closing in NESTING:
        data = (f"{opening}\n" * 400 + f"{closing}\n" * 400).encode()
        assert parse(f"a{suffix}", data).chunks
        assert len(classify(f"a{suffix}", data, [(1, 0), (400, 0)])) == 2


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_broken_encodings_and_long_lines_are_chunked_by_lines_in_any_language(suffix: str) -> None:
    assert_by_lines(parse(f"a{suffix}", b"caf\xe9 = 1\n"))
    assert_by_lines(parse(f"a{suffix}", b"\xff\xfea\x00 \x00=\x00"))  # UTF-16
    assert_by_lines(parse(f"a{suffix}", b"a = '" + b"x" * 20_000 + b"'\n"))


@pytest.mark.sample(6)
@pytest.mark.parametrize("row", [row for row in LANGUAGES if row.suffixes], ids=lambda row: row.id)
def test_a_sample_cut_off_anywhere_or_with_holes_is_answered(row: Language, samples: Path) -> None:
    path = f"a{row.suffixes[0]}"
    data = next(each for each in sorted(samples.glob("*.sample")) if find_language(each.stem) == row).read_bytes()
    for at in range(0, len(data), max(1, len(data) // 12)):
        for broken in (data[:at], data[at:], data[:at] + b"\0" + data[at:], data[:at] + b'"' + data[at + 9 :]):
            parsed = parse(path, broken)
            assert bool(parsed.chunks) == bool(broken.strip())
            assert structure(path, broken).symbols == parsed.symbols
            assert all(each.name and 0 < each.line <= each.end_line for each in parsed.symbols)


@pytest.mark.parametrize(("path", "code"), [("a.json", b'{"": 1}'), ("a.swift", b"class A {\n  static let = 1\n}\n")])
def test_what_has_no_name_is_no_symbol(path: str, code: bytes) -> None:
    assert all(each.name for each in parse(path, code).symbols)
    assert all(parse(path, code).names)


def test_a_heap_of_open_brackets_is_given_up_instead_of_queried() -> None:
    start = time.monotonic()
    assert_by_lines(parse("a.js", b"(\n" * 100_000))
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("code", [b"LIB_BEGIN_DECLS\n", b"\n", b"LIB_API ", b"  \n\t\n"])
def test_a_long_header_in_which_the_grammar_sees_nothing_is_answered(code: bytes) -> None:
    parsed = parse("a.h", code * 500)
    assert parsed.symbols == ()
    assert bool(parsed.chunks) == bool(code.strip())


def test_a_byte_order_mark_is_no_part_of_the_code() -> None:
    parsed = parse("a.py", b"\xef\xbb\xbf" + CODE)
    assert [(symbol.name, symbol.line) for symbol in parsed.symbols] == [("f", 1)]


def test_line_ends_of_two_characters_change_nothing_but_the_ids() -> None:
    unix, windows = parse("a.py", CODE), parse("a.py", CODE.replace(b"\n", b"\r\n"))
    assert unix.symbols == windows.symbols
    assert [chunk.text for chunk in unix.chunks] == [chunk.text for chunk in windows.chunks]


@pytest.mark.parametrize("code", ["class A {", "def f(", "}}}}", "#if X", "fn", "@", '"""', "`", "/*", "\x00\x01"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_broken_code_is_answered(suffix: str, code: str) -> None:
    data = code.encode()
    assert parse(f"a{suffix}", data).chunks
    assert structure(f"a{suffix}", data).lines == 1
    assert is_empty_implementation(f"a{suffix}", data, 1, 1) in {True, False}


@settings(deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=120),
        st.text(max_size=120).map(str.encode),
        st.text(alphabet="class def(){}:;@#\"'`/*\n\t<>=é", max_size=160).map(str.encode),
    ),
    suffix=st.sampled_from(SUFFIXES),
    start=st.integers(-1, 9),
    length=st.integers(0, 9),
    column=st.integers(0, 30),
)
def test_no_question_about_any_bytes_raises(data: bytes, suffix: str, start: int, length: int, column: int) -> None:
    path = f"a{suffix}"
    parse(path, data)
    structure(path, data)
    assert len(classify(path, data, [(start, column), (start + length, 0)])) == 2
    assert is_empty_implementation(path, data, start, start + length) in {True, False}


HOSTILE = """
from codeintel_index.impact.markup import attributes, selectors
from codeintel_index.languages.ecmascript import _tsconfig
from codeintel_index.syntax.parsing import parse
for form in ("// {} x\\nfunction f() {{}}\\n", "/* {} x */\\nfunction f() {{}}\\n"):
    for mark in "-_* ":
        data = form.format(mark * 18000) * 12
        assert parse("a.js", data.encode()).symbols
for mark in ("[", "[a](", " ", "<", "*"):
    assert parse("a.md", ("# " + mark * (18000 // len(mark)) + " x\\n\\ntext\\n").encode() * 12).chunks
for text in ("/*" * 100000, "a:" * 100000, "url(" * 50000, "." * 200000):
    selectors(text)
    attributes(text)
try:
    list(_tsconfig("/*" * 100000, ()))
except ValueError:
    print("done")
"""


def test_no_file_takes_the_square_of_its_size() -> None:
    done = subprocess.run([sys.executable, "-c", HOSTILE], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("done\n", "")
