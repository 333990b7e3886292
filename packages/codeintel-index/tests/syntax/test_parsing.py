"""What one parse promises whatever the language: it answers for any bytes and says the same each time."""

import json

import pytest

from codeintel_index.languages.table import language_id
from codeintel_index.syntax.parsing import altered, names_touched, parse

pytestmark = pytest.mark.draws(18)

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
    assert parsed.names.keys() >= {"os", "sep", "str", "name"}
    assert "greet" not in parsed.names


def test_text_after_non_ascii_characters_is_named_rightly() -> None:
    data = "# żółć — ✓✓✓\nclass Größe:\n    def maß(self): ...  # ß\nLÄNGE_MM = 1\n".encode()
    assert [each.name for each in parse("a.py", data).symbols] == ["Größe", "maß", "LÄNGE_MM"]


def test_a_language_is_told_by_suffix_in_any_case_and_by_name() -> None:
    assert language_id("a/B.PY") == "python"
    assert language_id("a.d.ts") == "typescript"
    assert language_id("SConstruct") == "python"
    assert language_id("a.hpp") == "cpp"
    assert language_id("README") == ""
    assert language_id(".py") == ""


def test_overloads_that_are_only_declared_are_all_found() -> None:
    data = b"void f(int a);\nvoid f(double a);\nint Cooperator<int>::operator<(int a) { return a; }\n"
    symbols = parse("a.cpp", data).symbols
    assert [(each.parent, each.name, each.line) for each in symbols] == [
        ("", "f", 1),
        ("", "f", 2),
        ("Cooperator", "operator<", 3),
    ]


def test_of_several_bindings_the_first_is_the_definition() -> None:
    data = b"A = B = 1\nA = 2\nif A:\n    C_D = 3\n\n\ndef f():\n    local = 1\n"
    symbols = parse("a.py", data).symbols
    assert [(each.name, each.kind, each.line) for each in symbols] == [
        ("A", "variable", 1),
        ("B", "variable", 1),
        ("C_D", "constant", 4),
        ("f", "function", 7),
    ]


def test_a_header_named_h_is_parsed_as_what_it_holds() -> None:
    assert parse("a.h", b"struct s { int x; };\n").language == "c"
    parsed = parse("a.h", b"class LIB_API Pool final : public Base {\n public:\n  Pool();\n  void take();\n};\n")
    assert parsed.language == "cpp"
    assert [(each.kind, each.parent, each.name) for each in parsed.symbols] == [
        ("class", "", "Pool"),
        ("method", "Pool", "Pool"),
        ("method", "Pool", "take"),
    ]


def test_a_macro_between_a_type_and_its_name_is_no_name() -> None:
    data = b"""int LIB_CALL main(void) { return 1; }
static const char PROGMEM greeting[] = "x";
struct hooks { void *(*plain)(int); void *(LIB_CALL *allocate)(size_t size); };
DWORD width(void) { return (LONG)*at * SCALE (2); }
"""
    found = [each.name for each in parse("a.c", data).symbols]
    assert found == ["main", "greeting", "hooks", "plain", "allocate", "width"]


def test_a_statement_that_the_grammar_does_not_know_spoils_no_other() -> None:
    data = b"""\\ir setup.sql
drop table a if exists;
create table b (id int);
create function c() returns int as $$ begin; return 1; end; $$ language plpgsql;
PRAGMA something = weird (((;
create domain "*/*" as text;
create view "d" as select 'x;y' from b;
create unique index "e" on b (id);
"""
    symbols = parse("a.sql", data).symbols
    assert [(each.kind, each.name, each.line) for each in symbols] == [
        ("table", "b", 3),
        ("function", "c", 4),
        ("view", "d", 7),
        ("index", "e", 8),
    ]


def test_a_test_that_a_macro_makes_bears_its_own_name() -> None:
    data = b"TEST(Ring, Wraps) {\n  f();\n}\nTYPED_TEST(Ring, Grows) {}\nFMT_CATCH(...) {}\nRing::Ring() {}\n"
    assert [(each.kind, each.parent, each.name) for each in parse("a.cpp", data).symbols] == [
        ("test", "Ring", "Wraps"),
        ("test", "Ring", "Grows"),
        ("method", "Ring", "Ring"),
    ]
    found = parse("a.c", b"TEST_IMPL(ring_wraps) {\n  return 0;\n}\n").symbols
    assert [(each.kind, each.name, each.end_line) for each in found] == [("test", "ring_wraps", 3)]


def test_pointers_do_not_cost_the_class_around_them() -> None:
    body = b"*(byte*)p = *(byte*)q;\n *(int*)(p + 1) = 2 * (3);"
    data = b"class A {\n  unsafe void F(byte* p, byte* q) { " + body + b" }\n}\n"
    assert [(each.kind, each.name) for each in parse("a.cs", data).symbols] == [("class", "A"), ("method", "F")]


def test_clauses_of_one_function_are_one_symbol() -> None:
    data = b"f' :: Int -> Int\nf' 0 = 1\n-- more\nf' n = n\n\ng = f'\n"
    symbols = parse("a.hs", data).symbols
    assert [(each.name, each.line, each.end_line, each.signature) for each in symbols] == [
        ("f'", 1, 4, "f' :: Int -> Int"),
        ("g", 6, 6, "g = f'"),
    ]


def test_a_script_without_a_suffix_is_told_by_its_first_line() -> None:
    for line in (b"#!/bin/bash", b"#!/usr/bin/env -S bash -e", b"#! /bin/sh"):
        assert parse("bin/run", line + b"\nf() { :; }\n").language == "bash"
    assert parse("bin/run", b"#!/usr/bin/python3.11 -u\ndef f(): ...\n").language == "python"
    assert parse("bin/run", b"#!/usr/bin/perl\nsub f {}\n").language == ""
    assert parse("bin/run.txt", b"#!/bin/bash\nf() { :; }\n").language == ""


def test_a_file_of_data_keeps_a_bounded_number_of_keys() -> None:
    nested = {f"k{at}": {"inner": at} for at in range(150)}
    assert len(parse("a.json", json.dumps(nested).encode()).symbols) == 150
    table = {f"k{at}": at for at in range(500)}
    assert len(parse("a.json", json.dumps(table, indent=1).encode()).symbols) == 200


def test_names_in_macros_are_in_use_and_names_in_strings_are_not() -> None:
    used = parse("a.c", b'#define F(x) g(x, \\\n  h)\nchar *s = "k";\n').names
    assert (used["g"], used["h"]) == ((1,), (2,))
    assert "k" not in used


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ("a.py", "import a.b as c, d\nfrom . import e\nfrom .f import *", ["a.b ()", "d ()", ". (e)", ".f (*)"]),
        (
            "a.js",
            "import './a'; import('./b'); export * from './c'; const {d} = require('./e')",
            ["./a ()", "./b ()", "./c (*)", "./e (d)"],
        ),
        (
            "a.ts",
            "import type {A} from './a'; import b = require('./b'); export {C as D} from './c'",
            ["./a (A)", "./b (b)", "./c (C)"],
        ),
        ("a.go", 'package a\nimport "fmt"\nimport x "y/z"', ["fmt ()", "y/z ()"]),
        ("a.rs", "use a::{b, c::{self, d as e}, f::*};\nuse g;", ["a (b)", "a::c (self, d)", "a::f (*)", "g ()"]),
        ("a.java", "import a.b.C;\nimport static d.E.*;", ["a.b (C)", "d.E (*)"]),
        ("a.sh", 'source ./a.sh\n. "$D/b.sh"\nload c', ["./a.sh ()", "$D/b.sh ()", "c ()"]),
        ("a.kt", "import a.b.C\nimport d.*", ["a.b.C ()", "d ()"]),
        ("a.swift", "import A\nimport class B.C", ["A ()", "B.C ()"]),
        ("a.scala", "import a.b.C\nimport d.e.{F, G => H}\nimport i._", ["a.b.C ()", "d.e (F, G)", "i (_)"]),
        ("a.lua", "local a = require('b.c')\nrequire 'd'", ["b.c ()", "d ()"]),
        ("a.ex", "alias A.{B, C}\nimport D.E, only: [f: 1]\nuse G", ["A (B, C)", "D.E ()", "G ()"]),
        ("a.hs", "import A.B (c, D)\nimport qualified E as F\nimport G hiding (h)", ["A.B (c, D)", "E ()", "G ()"]),
        ("a.zig", 'const a = @import("b.zig").c;', ["b.zig ()"]),
        ("a.css", "@import 'a.css';\n@import url(\"b.css\");", ["a.css ()", "b.css ()"]),
        ("a.html", "<link href=a.css><script src='b.js'></script><a href=c>", ["a.css ()", "b.js ()"]),
        ("a.c", '#include <sys/stat.h>\n#include "a.h"', ["sys/stat.h ()", "a.h ()"]),
    ],
)
def test_imports_are_told_as_the_source_spells_them(path: str, code: str, expected: list[str]) -> None:
    imports = parse(path, code.encode()).imports
    assert [f"{each.module} ({', '.join(each.names)})" for each in imports] == expected


def test_conditions_that_cut_through_csharp_leave_lines_and_symbols_in_place() -> None:
    data = b"""class A : B
#if NET8
    , IAsync
#else
    , ISync
#endif
{
    int F()
    {
#if FAST
        if (_x) return 1;
        else
#endif
        { return 2; }
    }
}
"""
    symbols = parse("A.cs", data).symbols
    assert [(each.kind, each.name, each.line, each.end_line) for each in symbols] == [
        ("class", "A", 1, 16),
        ("method", "F", 8, 15),
    ]


def test_a_namespace_without_braces_holds_what_follows_up_to_the_next() -> None:
    data = b"<?php\nnamespace App\\Http;\nclass A {}\nnamespace App\\Mail;\nfunction send() {}\n"
    symbols = parse("a.php", data).symbols
    assert [(each.parent, each.name, each.line, each.end_line) for each in symbols] == [
        ("", "App\\Http", 2, 3),
        ("App.Http", "A", 3, 3),
        ("", "App\\Mail", 4, 5),
        ("App.Mail", "send", 5, 5),
    ]


def test_a_ruby_class_named_from_the_root_is_found() -> None:
    data = b"module Outer\n  class ::Failed < StandardError; end\nend\nclass Net::Http; end\n"
    symbols = parse("a.rb", data).symbols
    assert [(each.kind, each.name) for each in symbols] == [("module", "Outer"), ("class", "Failed"), ("class", "Http")]


def test_a_change_concerns_its_words_the_definitions_around_it_and_what_is_gone() -> None:
    before = "def old():\n    pass\n\n\ndef outer(x):\n    y = x\n    return inner(x)\n"
    now = "def outer(x):\n    y = x\n    return helper(x)\n\n\ndef other():\n    pass\n"
    touched = names_touched("a.py", now.encode(), before, [(3, 3)])
    assert {"outer", "helper", "old", "inner"} <= touched
    assert not {"other", "y"} & touched
    assert names_touched("notes.txt", b"one two\nthree\n", "", [(2, 2)]) == {"three"}


def test_functions_that_read_otherwise_come_with_where_they_stood_and_stand() -> None:
    before = b"def same():\n    pass\n\n\ndef gone():\n    pass\n\n\nclass A:\n    def run(self):\n        return 1\n"
    now = b"x = 1\n\n\ndef same():\n    pass\n\n\nclass A:\n    def run(self):\n        return 2\n"
    assert altered("a.py", now, before) == [("gone", ((5, 6),)), ("A.run", ((10, 11), (9, 10)))]
    assert altered("a.py", now, b"") == altered("notes.txt", now, before) == []
