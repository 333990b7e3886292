"""What a file would be if its changed definitions did nothing, or gave another value."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from codeintel_index import find_hollows, find_reverted, find_turned, has_same_code, hollowed, is_unreadable

PYTHON = b"""class Box:
    def put(self, one):
        \"\"\"Put it.\"\"\"
        self.all.append(one)

    def size(self): return len(self.all)


def fill(box):
    def inner():
        return 1
    box.put(inner())
"""
SCRIPT = b"""export function add(a, b) {
  return a + b;
}
const twice = (x) => 2 * x;
class Box {
  get size() { return 1; }
}
"""
RUST = b"""/// Two.
fn two() -> u8 { 2 }
#[cfg(test)]
mod tests {
    #[test]
    fn gives_two() { assert_eq!(two(), 2) }
}
"""


def empty(path: str, data: bytes, before: bytes = b"") -> tuple[list[str], str]:
    found = find_hollows(path, data, before)
    return [each.name for each in found], hollowed(data, found).decode()


def test_bodies_are_emptied_and_the_rest_remains() -> None:
    names, text = empty("a.py", PYTHON)
    assert names == ["Box.put", "Box.size", "fill"]
    compile(text, "a.py", "exec")
    scope: dict = {}
    exec(text, scope)
    box = scope["Box"]()
    assert (box.put(1), box.size(), scope["fill"](box), scope["Box"].put.__doc__) == (None,) * 4
    assert "self.all.append(one)" in text
    assert "class Box:" in text


def test_tests_beside_the_code_are_not_judged_as_code() -> None:
    code = b"fn two() -> u8 { 2 }\n#[cfg(not(test))]\nfn three() -> u8 { 3 }\n"
    tests = b"#[cfg(test)]\nmod tests {\n    #[test]\n    fn gives_two() { assert_eq!(two(), 2) }\n}\n"
    named = b'#[doc = "test"]\nfn four() -> u8 { 4 }\n#[cfg(feature = "test")]\nfn five() -> u8 { 5 }\n'
    assert empty("a.rs", code + named + tests)[0] == ["two", "three", "four", "five"]
    assert empty("a.rs", b"#[tokio::test(flavor = 1)]\nasync fn six() { run() }\n")[0] == []


def test_code_that_cannot_be_parsed_is_known() -> None:
    assert is_unreadable("a.py", PYTHON + b"# " + b"-" * 21_000)
    assert not is_unreadable("a.py", PYTHON)
    assert not is_unreadable("a.txt", b"-" * 21_000)


@pytest.mark.parametrize(
    ("now", "names"),
    [
        (PYTHON.replace(b"(one)", b"(2 * one)"), ["Box.put"]),
        (PYTHON.replace(b"return 1", b"return 2"), ["fill"]),
        (PYTHON.replace(b"Put it.", b"Put one."), []),
        (PYTHON.replace(b"box.put(", b"# A comment\n    box.put("), []),
        (PYTHON.replace(b"def fill(box)", b"def fill(box, more=1)"), []),
        (PYTHON.replace(b"fill", b"put"), []),
    ],
)
def test_bodies_that_do_something_else_are_put_back_as_they_were(now: bytes, names: list[str]) -> None:
    found = find_reverted("a.py", now, PYTHON)
    assert [each.name for each in found] == names
    assert hollowed(now, found) == (PYTHON if names else now)


@pytest.mark.parametrize(
    ("path", "data", "names"),
    [
        ("a.rs", "const SIGNS: [u8; {0}] = [{1}];\nfn two() -> u8 {{ SIGNS[0] }}\n", ["SIGNS"]),
        ("a.rs", "fn two() -> u8 {{ 2 }}\n#[cfg(test)]\nconst SIGNS: [u8; {0}] = [{1}];\n", []),
        ("a.py", "SIGNS = [{1}]\n\n\ndef two():\n    return SIGNS\n", ["SIGNS"]),
        ("a.py", "VERSION = '{1}'\n\n\ndef two():\n    return 2\n", []),
        ("a.js", "const SIGNS = [{1}], twice = (x) => x;\nmodule.exports = () => SIGNS;\n", ["SIGNS"]),
        ("a.go", "package a\n\nvar signs = []int{{{1}}}\n\nfunc Two() int {{ return signs[0] }}\n", ["signs"]),
    ],
)
def test_values_that_functions_of_the_file_use_are_put_back_as_they_were(
    path: str, data: str, names: list[str]
) -> None:
    before, now = (data.format(len(all), ", ".join(all)).encode() for all in ("12", "123"))
    found = find_reverted(path, now, before)
    assert [each.name for each in found] == names
    assert hollowed(now, found) == (before if names else now)


@pytest.mark.parametrize(
    ("path", "before", "now", "is_same"),
    [
        ("a.py", PYTHON, PYTHON.replace(b"Put it.", b"Put one."), True),
        ("a.py", PYTHON, PYTHON.replace(b"    box.put", b"    # A comment\n    box.put"), True),
        ("a.py", PYTHON, PYTHON.replace(b"return 1", b"return 2"), False),
        ("a.py", b"NAME = 'one'\n", b"NAME = 'two'\n", False),
        ("a.js", SCRIPT, b"// Adds.\n" + SCRIPT, True),
        ("a.js", SCRIPT, SCRIPT.replace(b"2 *", b"3 *"), False),
        ("a.rs", b"fn a() {}\n", b"/// A.\nfn a() {}\n#[cfg(test)]\nmod tests { fn b() {} }\n", False),
        ("a.rs", RUST, RUST.replace(b"/// Two.", b"/// 2.").replace(b"two(), 2", b"2, two()"), True),
        ("a.rs", RUST, RUST.replace(b"{ 2 }", b"{ 3 }"), False),
        ("a.rs", RUST, RUST, False),
        ("a.json", b"1", b"2", False),
    ],
)
def test_code_of_which_only_comments_and_tests_changed_is_known(
    path: str, before: bytes, now: bytes, is_same: bool
) -> None:
    assert has_same_code(path, now, before) is is_same


def test_functions_of_javascript_are_emptied_whatever_their_form() -> None:
    names, text = empty("a.js", SCRIPT)
    assert names == ["add", "twice", "Box.size"]
    assert text == (
        "export function add(a, b) { return; \n  return a + b;\n}\nconst twice = (x) => undefined;\n"
        "class Box {\n  get size() { return;  return 1; }\n}\n"
    )


def test_functions_of_a_shell_script_are_emptied_by_its_first_line_too() -> None:
    data = b'#!/bin/sh\ncount() {\n    wc -l < "$1"\n}\ncount a\n'
    assert empty("bin/tool", data) == (["count"], "#!/bin/sh\ncount() { :; }\ncount a\n")
    assert empty("bin/tool", data, data)[0] == []


def test_only_what_changed_is_emptied() -> None:
    before = PYTHON.replace(b"box.put(inner())", b"pass")
    assert empty("a.py", PYTHON, before)[0] == ["fill"]
    assert empty("a.py", PYTHON, PYTHON) == ([], PYTHON.decode())


@pytest.mark.parametrize(
    ("path", "data"),
    [("a.lua", b"function f() return 1 end\n"), ("a.md", b"# A\n"), ("a.py", b"def f():\n    pass\n")],
)
def test_nothing_is_emptied_where_that_would_not_run_or_is_done_already(path: str, data: bytes) -> None:
    assert find_hollows(path, data, b"") == []


@pytest.mark.parametrize(
    ("path", "data", "emptied"),
    [
        ("a.go", b"func F() int { return 1 }\n", b'func F() int { panic("codeintel");  return 1 }\n'),
        ("a.rs", b"fn f() -> i32 { 1 }\n", b'fn f() -> i32 { panic!("codeintel");  1 }\n'),
        ("a.c", b"int f(void) { return 1; }\n", b"int f(void) { __builtin_trap();  return 1; }\n"),
        ("a.rb", b"def f\n  1\nend\n", b'def f\n  raise "codeintel"\n  1\nend\n'),
        (
            "A.java",
            b"class A { A() { int a = 1; } int f() { return 1; } }\n",
            b'class A { A() { int a = 1; } int f() { if (true) throw new IllegalStateException("codeintel"); '
            b" return 1; } }\n",
        ),
        (
            "a.php",
            b"<?php function f() { return 1; }\n",
            b"<?php function f() { throw new \\LogicException('codeintel');  return 1; }\n",
        ),
        ("a.py", b"f = lambda a: a + 1\n", b"f = lambda a: None\n"),
    ],
)  # fmt: skip
def test_where_a_compiler_refuses_an_empty_body_the_program_stops(path: str, data: bytes, emptied: bytes) -> None:
    assert hollowed(data, find_hollows(path, data, b"")) == emptied
    if path.endswith("py"):
        return
    assert find_turned(path, data, b"", "mark") == []


LATER = b"""async def fetch():
    return 1


def every():
    yield 1


def outer():
    def inner():
        yield 1
    return list(inner())

"""
VALUES = b"""import functools


def gives(value):
    return value


class Box:
    @property
    def size(self):
        return 1

    @staticmethod
    def name(): return "box"

    @functools.cache
    def nothing(self):
        self.all = 1
"""
GIVES = b"""function gives(value) { 'use strict'; return value; }
const twice = (x) => 2 * x;
const add = function () { return arguments[0] + this.more; };
const later = async (x) => x;
async function latest(x) { return x; }
function* some() { yield 1; }
class Box {
  constructor() { this.all = []; }
  get size() { return 1; }
  put(one) { this.all.push(one); }
}
"""


def turned(path: str, data: bytes, folder: Path) -> tuple[list[str], str, list[Path]]:
    found = find_turned(path, data, b"", str(folder / "gives-"))
    return [each.name for each in found], hollowed(data, found).decode(), [Path(each.mark) for each in found]


def test_definitions_of_python_give_another_value_of_the_same_type(tmp_path: Path) -> None:
    names, text, marks = turned("a.py", VALUES, tmp_path)
    assert names == ["gives", "Box.size", "Box.name", "Box.nothing"]
    scope: dict = {}
    exec(text, scope)
    gives, box = scope["gives"], scope["Box"]()
    assert [gives(value) for value in (True, 0, 1.0, "", b"a", [1], (), {}, {1})] == [
        False, -1, -2.0, "codeintel", b"codeintel", ["codeintel"] * 2, ("codeintel",), {"codeintel": True},
        {"codeintel"},
    ]  # fmt: skip
    assert (gives(None), gives(Path), gives.__name__) == (None, Path, "gives")
    assert (box.size, box.name(), box.nothing()) == (-2, "codeintel", None)
    assert [mark.exists() for mark in marks] == [True, True, True, False]


def test_a_function_that_is_assigned_gives_another_value_too(tmp_path: Path) -> None:
    data = b"twice = lambda value: 2 * value\nclass A:\n    name = staticmethod(lambda: 'a')\n"
    names, text, marks = turned("a.py", data, tmp_path)
    scope: dict = {}
    exec(text, scope)
    assert (names, scope["twice"](2), scope["A"]().name()) == (["twice", "name"], -5, "codeintel")
    assert all(mark.exists() for mark in marks)


def test_coroutines_and_generators_give_other_values_too(tmp_path: Path) -> None:
    _, text, _ = turned("a.py", LATER, tmp_path)
    scope: dict = {}
    exec(text, scope)
    assert asyncio.run(scope["fetch"]()) == -2
    assert (list(scope["every"]()), scope["outer"]()) == ([-2], ["codeintel"] * 2)


def test_of_a_subclass_the_value_is_of_the_subclass_or_the_same(tmp_path: Path) -> None:
    _, text, marks = turned("a.py", b"def gives(value):\n    return value\n", tmp_path)
    scope: dict = {}
    exec(text, scope)
    names = type("Names", (list,), {})
    strict = type("Strict", (str,), {"__new__": lambda kind, text: str.__new__(kind, {"a": "a"}[text])})
    kept = strict("a")
    assert (scope["gives"](kept) is kept, marks[0].exists()) == (True, False)
    assert type(scope["gives"](names([1]))) is names


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_functions_of_javascript_give_another_value_of_the_same_type(tmp_path: Path) -> None:
    _, text, marks = turned("a.js", GIVES, tmp_path)
    asks = (
        "const box = new Box(); (async () => console.log(JSON.stringify(["
        "[true, 0, '', [1], { a: 1 }].map((one) => gives(one)),"
        " gives(null), twice(2), add.call({ more: 1 }, 2), box.size, box.put(1) === undefined, box.all,"
        " await later(1), await latest('a'), [...some()]])))();"
    )
    ran = subprocess.run(["node", "-e", text + asks], capture_output=True, text=True, check=True)
    values = [False, -1, "codeintel", ["codeintel"] * 2, {"codeintel": True}]
    assert json.loads(ran.stdout) == [values, None, -5, -4, -2, True, [1], -2, "codeintel", [1]]
    assert sum(mark.exists() for mark in marks) == 6


def test_typescript_is_turned_without_new_type_errors(tmp_path: Path) -> None:
    _, text, _ = turned("a.ts", b"export const twice = (x: number): number => 2 * x;\n", tmp_path)
    assert "(value: any, mark: any): any =>" in text
