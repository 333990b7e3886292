"""The outline of a file, the definition around a line, and what a place in a file is part of."""

import pytest

from codeintel_index.results import Symbol
from codeintel_index.syntax.parsing import classify, innermost, parse, structure

pytestmark = pytest.mark.draws(18)

NESTED = b"""class A:
    def f(self):
        def g():
            return 1
        return g

    x = 1


LIMIT = 3
"""


def places(data: bytes, word: bytes) -> list[tuple[int, int]]:
    """Every place of `word`: 1-based line, 0-based byte column."""
    return [
        (number, column)
        for number, line in enumerate(data.split(b"\n"), start=1)
        for column in range(len(line))
        if line.startswith(word, column)
    ]


def parts(path: str, code: str, word: str = "foo") -> list[str]:
    data = code.encode()
    return classify(path, data, places(data, word.encode()))


@pytest.mark.parametrize(
    ("line", "name"), [(1, "A"), (2, "f"), (3, "g"), (4, "g"), (5, "f"), (7, "A"), (8, None), (10, "LIMIT"), (99, None)]
)
def test_the_innermost_definition_around_a_line_is_found(line: int, name: str | None) -> None:
    found = innermost(parse("a.py", NESTED).symbols, line)
    assert (found.name if found else None) == name


def test_of_two_definitions_with_the_same_lines_the_innermost_is_the_later() -> None:
    outer = Symbol(name="outer", kind="class", path="a", line=1, end_line=2)
    inner = Symbol(name="inner", kind="method", path="a", line=2, end_line=2)
    assert innermost([outer, inner], 2) == inner
    assert innermost([], 1) is None


def test_python_places_are_told_apart() -> None:
    code = '"""foo."""\n# foo\nx = "foo" + foo\n\ndef foo():\n    "foo"\n    y = f"foo {foo} foo"\n    "foo"\n'
    assert parts("a.py", code) == [
        "comment",  # the module's docstring
        "comment",
        "string",
        "code",
        "code",
        "comment",  # the function's docstring
        "string",
        "code",  # inside an f-string's braces
        "string",
        "string",  # a string that is no docstring
    ]


def test_a_place_after_non_ascii_text_is_counted_in_bytes() -> None:
    assert parts("a.py", 'x = "żółć"; foo = "größe foo"  # ✓ foo\n') == ["code", "string", "comment"]


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        (
            "a.js",
            "// foo\nfoo(`foo ${foo}`, 'foo', /foo/); /* foo */",
            "comment code string code string string comment",
        ),
        ("a.ts", "let a: foo = 'foo'; // foo", "code string comment"),
        ("a.tsx", "const a = <p t='foo'>foo {foo}</p>;", "string string code"),
        ("a.go", '// foo\nvar a = foo("foo", `foo`)', "comment code string string"),
        ("a.rs", '/// foo\nfn foo() { bar!("foo", foo); }', "comment code string code"),
        ("a.java", '/** foo */ class A { String a = "foo"; foo b; }', "comment string code"),
        ("a.c", '/* foo */ char *a = "foo"; int foo;\n#include <foo.h>', "comment string code string"),
        ("a.cpp", 'auto a = R"(foo)"; // foo\nfoo b;', "string comment code"),
    ],
)
def test_places_of_other_languages_are_told_apart(path: str, code: str, expected: str) -> None:
    assert parts(path, code) == expected.split()


@pytest.mark.parametrize("path", ["README.md", "docs/a.rst", "a.txt", "LICENSE", "a.json", "a.yaml", "poetry.lock"])
def test_everything_in_prose_and_data_is_docs(path: str) -> None:
    assert parts(path, "foo foo") == ["docs", "docs"]


@pytest.mark.parametrize("path", ["a.pl", "Makefile", "a.unknown"])
def test_code_without_a_grammar_is_code(path: str) -> None:
    assert parts(path, "foo # foo") == ["code", "code"]


def test_a_place_outside_of_the_file_is_code() -> None:
    assert classify("a.py", b"# x\n", [(0, 0), (1, 3), (1, 99), (2, 0), (99, 0)]) == ["code"] * 5


def test_the_outline_of_a_file_without_a_grammar_has_its_lines_and_first_words() -> None:
    outline = structure("notes.rst", b"\nThe title\n=========\n\nText\n")
    assert (outline.language, outline.lines, outline.doc, outline.symbols) == ("", 5, "The title", ())


@pytest.mark.parametrize(("data", "lines"), [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\nb", 2)])
def test_lines_are_counted_as_an_editor_does(data: bytes, lines: int) -> None:
    assert structure("a.py", data).lines == lines


def test_without_a_list_of_exports_python_hands_out_its_public_top_names() -> None:
    data = b"import os\nLIMIT = 1\n_x = 2\ndef f(): g = 1\nclass A:\n    def m(self): ...\ndef _h(): ...\n"
    assert structure("a.py", data).exports == ("LIMIT", "f", "A")


def test_a_legal_notice_is_not_what_a_file_is_about() -> None:
    data = b"// Copyright 2020 the authors.\n// SPDX-License-Identifier: MIT\n\n// Reads rings.\npackage ring\n"
    assert structure("a.go", data).doc == "Reads rings."
