"""Chunks: no line lost, none twice, none over the budget, and no two with one id — for any text in any language."""

import random

import pytest
from hypothesis import given, settings, strategies as st

from codeintel_index.languages.table import LANGUAGES
from codeintel_index.results import Chunk
from codeintel_index.syntax.parsing import parse

pytestmark = pytest.mark.draws(18)

SUFFIXES = [suffix for row in LANGUAGES for suffix in row.suffixes[:2]] + [".unknown"]
FRAGMENTS = [
    "class A:\n    x = 1\n",
    "class A extends B {\n",
    "    def f(self):\n        return 1\n",
    "def g(a,\n      b): pass\n",
    "@decorated\n",
    "# a comment\n",
    "// a comment\n",
    "/* a\n comment */\n",
    '"""a\nstring\n"""\n',
    "function f() {\n  return {};\n}\n",
    "const a = () => {\n",
    "fn f() -> u8 {\n    1\n}\n",
    "impl A {\n",
    "func (a *A) F() {\n\treturn\n}\n",
    "public class A { void f() {} }\n",
    "template <class T>\nvoid f() {}\n",
    "#define X 1\n",
    "}\n",
    "\n",
    "   \n",
    "\r\n",
    "x = [\n  1,\n  2,\n]\n",
    "größe = '✓'\n",
    "if x:\n",
    "\ufeff",
    "\0",
    "\x0c\x85\u2028",
    "no line break",
    "# Title\n\nText.\n\n## Part\n",
    "Title\n=====\n",
    "def f(0), do: 1\ndef f(n), do: n\n",
    "defmodule A do\n",
    "f :: Int\nf = 1\n",
    "instance C A where\n  m 0 = 1\n  m n = n\n",
    "[table]\nkey = 1\n",
    "key:\n  inner: 1\n",
    '{"key": {"inner": [\n1,\n2\n]}}\n',
    ".rule {\n  a: b;\n}\n",
    "<p id='a'>\n<b id='b'>text</b>\n",
    "create table a (\n  id int\n);\n",
    "namespace A;\n",
    "end\n",
]
CODE = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)
TEXT = st.one_of(CODE, st.text(max_size=300), st.text(alphabet="ab {}()\n\t:;\"'#/*", max_size=300))


def expected_lines(data: bytes) -> list[str]:
    lines = [line.removesuffix("\r") for line in data.decode(errors="replace").split("\n")]
    return lines if lines[-1] else lines[:-1]


def assert_chunks_cover(chunks: tuple[Chunk, ...], data: bytes, max_tokens: int) -> None:
    lines = expected_lines(data)
    if not any(map(str.strip, lines)):
        assert chunks == ()
        return
    assert [line for chunk in chunks for line in chunk.text.split("\n")] == lines
    following = 1
    for chunk in chunks:
        assert chunk.start_line == following
        assert chunk.end_line - chunk.start_line == chunk.text.count("\n")
        assert len(chunk.text) + 1 <= max_tokens * 4 or chunk.start_line == chunk.end_line
        following = chunk.end_line + 1
    assert following == len(lines) + 1
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@settings(deadline=None)
@given(text=TEXT, suffix=st.sampled_from(SUFFIXES), max_tokens=st.sampled_from([8, 40, 512]))
def test_every_line_stands_in_exactly_one_chunk_within_the_budget(text: str, suffix: str, max_tokens: int) -> None:
    data = text.encode()
    assert_chunks_cover(parse(f"a{suffix}", data, max_tokens=max_tokens).chunks, data, max_tokens)


@settings(deadline=None)
@given(data=st.binary(max_size=200), suffix=st.sampled_from(SUFFIXES))
def test_bytes_of_any_kind_are_chunked_without_an_error(data: bytes, suffix: str) -> None:
    assert_chunks_cover(parse(f"a{suffix}", data).chunks, data, 512)


@pytest.mark.sample(6)
@pytest.mark.parametrize("suffix", [row.suffixes[0] for row in LANGUAGES])
def test_lines_of_real_code_in_any_order_are_covered(suffix: str, sample_lines: list[bytes]) -> None:
    shuffled = random.Random(suffix)
    for _ in range(4):
        data = b"\n".join(shuffled.sample(sample_lines, 120))
        assert_chunks_cover(parse(f"a{suffix}", data, max_tokens=60).chunks, data, 60)


def test_two_equal_bodies_in_one_file_have_two_ids() -> None:
    body = "def f():\n" + "    x = compute_something_of_some_length()\n" * 30
    chunks = parse("a.py", (body + "\n\n" + body).encode()).chunks
    assert [chunk.symbol for chunk in chunks] == ["f", "f"]
    assert chunks[0].id != chunks[1].id


def test_an_id_is_a_function_of_path_range_and_content() -> None:
    one, same = parse("a.py", b"x = 1\n").chunks[0], parse("a.py", b"x = 1\n").chunks[0]
    assert one.id == same.id
    assert len(one.id) == 20
    assert set(one.id) <= set("0123456789abcdef")
    others = [parse("b.py", b"x = 1\n"), parse("a.py", b"x = 2\n"), parse("a.py", b"\nx = 1\n")]
    assert len({one.id, *(other.chunks[0].id for other in others)}) == 4


def test_a_method_is_a_chunk_of_its_own_and_the_class_head_does_not_repeat_it() -> None:
    method = "    def {}(self):\n" + "        self.total += compute(self.total)\n" * 12
    chunks = parse("a.py", ("class A:\n    x = 1\n\n" + method.format("f") + "\n" + method.format("g")).encode()).chunks
    assert [(chunk.kind, chunk.parent, chunk.symbol) for chunk in chunks] == [
        ("class", "", "A"),
        ("method", "A", "f"),
        ("method", "A", "g"),
    ]
    assert "def" not in chunks[0].text


def test_decorators_and_comments_above_stay_with_their_definition() -> None:
    body = "    x = compute_something_of_some_length()\n" * 20
    code = f"import os\n\n\ndef f():\n{body}\n\n# About g,\n# in two lines.\n@decorated(\n    1\n)\ndef g():\n{body}"
    g = parse("a.py", code.encode()).chunks[-1]
    assert g.symbol == "g"
    assert g.text.startswith("# About g,")


def test_a_long_function_is_cut_where_statements_begin() -> None:
    statement = "    if x:\n        y = compute_something(x)\n        z = compute_something(y)\n"
    chunks = parse("a.py", ("def f(x):\n" + statement * 60).encode(), max_tokens=120).chunks
    assert len(chunks) > 5
    assert {chunk.symbol for chunk in chunks} == {"f"}
    assert all(chunk.text.startswith("    if x:") for chunk in chunks[1:])


def test_functions_inside_of_a_long_function_are_chunks_of_their_own() -> None:
    inner = "    function {}() {{\n" + "      total += compute(total);\n" * 15 + "    }}\n"
    code = "export function make() {\n" + inner.format("f") + inner.format("g") + "  return { f, g };\n}\n"
    symbols = [(chunk.parent, chunk.symbol) for chunk in parse("a.js", code.encode(), max_tokens=150).chunks]
    assert ("make", "f") in symbols
    assert ("make", "g") in symbols


def test_small_neighbours_become_one_chunk_named_after_all_of_them() -> None:
    chunks = parse("a.go", b"package a\n\nfunc f() { g() }\n\nfunc h() { g() }\n").chunks
    assert [(chunk.kind, chunk.symbol) for chunk in chunks] == [("merged", "f, h")]


def test_a_small_class_is_one_chunk_under_its_own_name() -> None:
    chunks = parse(
        "a.py", b"class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    ).chunks
    assert [(chunk.kind, chunk.symbol) for chunk in chunks] == [("class", "A")]


def test_a_line_longer_than_the_budget_is_a_chunk_alone() -> None:
    chunks = parse("a.py", b"a = 1\nb = '" + b"x" * 4000 + b"'\nc = 1\n").chunks
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 1), (2, 2), (3, 3)]


def test_prose_is_cut_at_blank_lines() -> None:
    paragraph = "Words of a paragraph that goes on for a while.\n" * 5
    chunks = parse("a.md", "\n".join([paragraph] * 8).encode(), max_tokens=130).chunks
    assert {chunk.kind for chunk in chunks} == {"text"}
    assert all(chunk.text.startswith("Words") for chunk in chunks)


def test_the_same_bytes_give_the_same_answer_each_time() -> None:
    data = b"class A:\n    def f(self): return b\n"
    assert parse("a.py", data) == parse("a.py", data)
