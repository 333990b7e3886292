"""What belongs to a type or an object is a symbol too: one case a way to write it."""

import pytest

from codeintel_index.syntax.parsing import structure

CASES = {
    "python attributes of the class and of its instances": (
        "a.py",
        "class A:\n    x: int = 1\n    if True:\n        y = 2\n\n"
        "    def f(self):\n        self.z = 3\n        self.z = 4\n        local = 5\n",
        ["attribute A.x", "attribute A.y", "attribute A.z"],
    ),
    "functions assigned to members": (
        "a.js",
        "res.send = function () {};\nreq.get = req.header = function header() {};\nX.prototype.f = () => {};\n"
        "exports.g = function () {};\n",
        ["method res.send", "method req.get", "method req.header", "method X.f", "function g"],
    ),
    "defined properties": (
        "a.js",
        "Object.defineProperty(res, 'app', { value: 1 });\ndefineGetter(req, 'ip', function () { return 1; });\n",
        ["property res.app", "property req.ip"],
    ),
    "methods, accessors and keys of an object": (
        "a.js",
        "const api = { one: 1, two() {}, three: function () {}, get four() {} };\n",
        ["field api.one", "method api.two", "method api.three", "method api.four"],
    ),
    "fields of a class and of what a constructor makes": (
        "a.js",
        "class A { x = 1; constructor() { this.x = 2; this.y = 3; } }\nfunction View() { this.name = 1; }\n",
        ["field A.x", "field A.y", "field View.name"],
    ),
    "what is only bound": ("a.js", "const fs = require('fs');\nvar x = 1;\n", ["import fs"]),
    "members of TypeScript's types": (
        "a.ts",
        "interface I { a: string; b(): void }\ntype T = { c: number; d(): void };\nenum E { F, G = 2 }\n"
        "class C { constructor(private h: string) {} static i = 1 }\n",
        ["field I.a", "field T.c", "method T.d", "enum_member E.F", "enum_member E.G", "field C.h", "field C.i"],
    ),
    "java fields, constants of enumerations and components of records": (
        "A.java",
        "class A { private int x, y; enum E { F, G { } } record R(int z) {} }\n",
        ["field A.x", "field A.y", "enum_member A.E.F", "enum_member A.E.G", "field A.R.z"],
    ),
    "fields, constants and operators of C++": (
        "a.cpp",
        "struct A {\n  int x; static int y; int& z; int (*cb)(int);\n  enum E { F };\n"
        "  FMT_CONSTEXPR A(int v) : x(v) {}\n  int operator()(int v) { return v; }\n"
        "  explicit operator bool() const { return true; }\n};\nint A::y = 1;\n",
        [
            *("field A.x", "field A.y", "field A.z", "field A.cb", "enum_member A.E.F", "method A.A"),
            *("method A.operator()", "method A.operator bool", "variable A.y"),
        ],
    ),
    "fields of Go": ("a.go", "package a\n\ntype A struct {\n\tx, y int\n\tB\n}\n", ["field A.x", "field A.y"]),
    "what Ruby defines by calls and assignments": (
        "a.rb",
        "class A\n  def_delegators :@b, :one, :two\n  delegate :three, to: :b\n  define_method(:four, proc)\n"
        "  def f\n    @x = 1\n    @x = 2\n  end\nend\n",
        ["method A.one", "method A.two", "method A.three", "method A.four", "field A.@x"],
    ),
    "fields and variants of Rust": (
        "a.rs",
        "struct A { x: u8 }\nenum E { F, G { y: u8 } }\n",
        ["field A.x", "enum_member E.F", "enum_member E.G"],
    ),
    "fields and members of C#": (
        "A.cs",
        "class A { private int x; enum E { F } }\n",
        ["field A.x", "enum_member A.E.F"],
    ),
    "promoted parameters and cases of PHP": (
        "a.php",
        "<?php\nclass A { function __construct(private int $x) {} }\nenum E: string { case F = 'f'; }\n",
        ["field A.x", "enum_member E.F"],
    ),
    "parameters that are properties, and entries, of Kotlin": (
        "a.kt",
        "class A(val x: Int, y: Int)\nenum class E { F, G }\n",
        ["field A.x", "enum_member E.F", "enum_member E.G"],
    ),
    "cases of Swift": ("a.swift", "enum E { case f, g }\n", ["enum_member E.f", "enum_member E.g"]),
}


@pytest.mark.parametrize("case", CASES)
def test_members_are_symbols_with_what_holds_them(case: str) -> None:
    path, text, expected = CASES[case]
    found = [
        f"{each.kind} {each.parent}.{each.name}".replace(" .", " ") for each in structure(path, text.encode()).symbols
    ]
    assert [each for each in found if each in expected] == expected


def test_an_attribute_of_an_instance_is_defined_once() -> None:
    text = "class A:\n    x = 1\n\n    def f(self):\n        self.x = 2\n        self.y = 3\n        self.y = 4\n"
    found = [(each.name, each.line) for each in structure("a.py", text.encode()).symbols if each.kind == "attribute"]
    assert found == [("x", 2), ("y", 6)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.test.js", "describe('Cart', () => {\n  it('adds', async () => {\n    go();\n  });\n});\n"),
        ("a.test.ts", "describe.only('Cart', function () {\n  it.each([1])('adds', (x) => {\n    go(x);\n  });\n});\n"),
        ("a_spec.rb", "describe 'Cart' do\n  it 'adds' do\n    go\n  end\nend\n"),
    ],
)
def test_what_a_test_runner_is_handed_is_a_test_by_its_title(path: str, text: str) -> None:
    found = [(each.kind, each.parent, each.name, each.line) for each in structure(path, text.encode()).symbols]
    assert found == [("test", "", "Cart", 1), ("test", "Cart", "adds", 2)]


def test_what_is_within_a_test_keeps_its_own_parent() -> None:
    text = "it('adds', () => {\n  function helper() {}\n});\n"
    found = [(each.parent, each.name) for each in structure("a.test.js", text.encode()).symbols]
    assert found == [("", "adds"), ("", "helper")]


def test_decorators_and_attributes_are_lines_of_their_definition() -> None:
    python = "@a(\n    1,\n)\n@b\ndef f():\n    return 1\n"
    rust = "/// Says.\n#[test]\n#[ignore]\nfn f() {\n}\n"
    assert [each.first_line for each in structure("a.py", python.encode()).symbols] == [1]
    assert [each.first_line for each in structure("a.rs", rust.encode()).symbols] == [2]
