"""Empty implementations, judged by tables of cases: one file per language under `cases/`, half of them legitimate.

`### empty: why` or `### work: why` opens a case, the code follows; lines that begin with `>` are those asked about,
without such a line it is all of them.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from codeintel_index import Index
from codeintel_index.languages.table import LANGUAGES, language_id
from codeintel_index.stub_detection.judge import is_empty_implementation, kind_of_lines, new_stubs
from codeintel_index.testing import make_repo

FEWEST_CASES = 34
SUFFIXES = {each.id: each.suffixes[0] for each in LANGUAGES if each.stubs}  # of the languages that are judged

# In these only blank lines are empty, as in a file without a grammar.
UNJUDGED = {"bash", "elixir", "haskell", "kotlin", "lua", "scala", "sql", "swift", "zig"}


class Case(NamedTuple):
    """A snippet, the lines asked about, and the verdict of people: `empty` or `work`."""

    name: str
    code: bytes
    start: int
    end: int
    verdict: str


def cases_of(language: str) -> list[Case]:
    text = (Path(__file__).parent / f"cases/{language}.txt").read_text(encoding="utf-8")
    return [case_in(block) for block in text.split("### ")[1:]]


def case_in(block: str) -> Case:
    head, _, body = block.partition("\n")
    verdict, _, name = head.partition(": ")
    lines = body.rstrip("\n").split("\n")
    marked = [at for at, line in enumerate(lines, start=1) if line.startswith(">")] or [1, len(lines)]
    code = "\n".join(line.removeprefix(">") for line in lines) + "\n"
    return Case(name, code.encode(), marked[0], marked[-1], verdict)


@pytest.mark.parametrize("language", SUFFIXES)
def test_every_case_of_the_table_is_judged_as_it_says(language: str) -> None:
    path = f"a{SUFFIXES[language]}"
    wrong = [
        case.name
        for case in cases_of(language)
        if is_empty_implementation(path, case.code, case.start, case.end)
        is not {"empty": True, "work": False}[case.verdict]
    ]
    assert wrong == []


@pytest.mark.parametrize("language", SUFFIXES)
def test_a_table_has_enough_cases_of_both_kinds_and_asks_no_thing_twice(language: str) -> None:
    cases = cases_of(language)
    assert len(cases) >= FEWEST_CASES
    assert 0.45 <= sum(case.verdict == "work" for case in cases) / len(cases) <= 0.6
    assert len({(case.code, case.start, case.end) for case in cases}) == len(cases)
    assert len({(case.name, case.verdict) for case in cases}) == len(cases)


def test_a_stub_file_of_python_declares_only() -> None:
    assert not is_empty_implementation("a.pyi", b"def f() -> int: ...\n", 1, 1)
    assert is_empty_implementation("a.py", b"def f() -> int: ...\n", 1, 1)


@pytest.mark.parametrize("path", ["a.unknown", "README.md", "a.yaml"])
def test_in_a_file_without_a_grammar_only_blank_lines_are_empty(path: str) -> None:
    assert is_empty_implementation(path, b"pass\n\n  \n# TODO\n", 2, 3)
    assert not is_empty_implementation(path, b"pass\n\n  \n# TODO\n", 2, 4)
    assert not is_empty_implementation(path, b"pass\n", 1, 1)


def test_a_language_of_code_is_judged_or_known_not_to_be() -> None:
    code = {row.id for row in LANGUAGES if not row.is_data}
    assert code == set(SUFFIXES) | UNJUDGED
    assert not set(SUFFIXES) & UNJUDGED
    assert all(language_id(f"a{suffix}") == language for language, suffix in SUFFIXES.items())


STUB = b'def f():\n    """Do it."""\n    raise NotImplementedError\n'
SUITE = b"""describe('it', () => {
  function helper() {
  }

  // one more
  test('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
});
"""
HEADER = b"""#ifndef A_H
#define A_H
/* Sets it. */
A_PUBLIC(int) a_set(struct a *it, int value);
static int twice(int x) { return 2 * x; }
#endif
"""
REAL = b'def f():\n    """Do it."""\n    # why\n    return g()\n'


@pytest.mark.parametrize(
    ("path", "code", "lines", "kind"),
    [
        ("a.py", b"from x import y\n", (1, 1), "work"),
        ("a.py", b"from x import y\n\n\ndef f():\n    pass\n", (1, 5), "empty"),
        ("a.py", b"MAX = 3\n", (1, 1), "work"),
        ("a.ts", b"export * from './x';\n", (1, 1), "work"),
        ("a.ts", b"type A = { b: string };\n", (1, 1), "work"),
        ("a.c", b"#define F(x) ((x) + 1)\n", (1, 1), "work"),
        ("a.h", b"/* Limits it. */\n#ifndef N\n#define N 1000\n#endif\n", (1, 4), "work"),
        ("a.h", b"A(int) f(void);\n#ifdef X\nA(int) g(\n#ifndef N\n#define N 1\n#endif\n", (4, 6), "work"),
        ("a.cpp", b"namespace a {\nusing std::x;\n}\n", (2, 2), "work"),
        ("a.rs", b"pub use a::b;\n", (1, 1), "work"),
        ("a.go", b'package a\n\nimport "fmt"\n', (3, 3), "work"),
        ("a.java", b"package a;\nimport b.C;\n", (2, 2), "work"),
        ("a.cs", b"using A;\n", (1, 1), "work"),
        ("a.php", b"<?php\nuse A\\B;\n", (2, 2), "work"),
        ("a.py", b'"""What the module is for."""\n', (1, 1), "documentation"),
        ("shop/__init__.py", b'"""What the package is for."""\n', (1, 1), "work"),
        ("shop/__init__.py", b'"""TODO."""\n', (1, 1), "empty"),
        ("shop/__init__.py", b'"""What the package is for."""\nX = 1\n', (1, 1), "documentation"),
        ("a.py", REAL, (2, 3), "documentation"),
        ("a.py", REAL, (2, 4), "work"),
        ("a.py", b"# TODO: write it\n\n# FIXME\n", (1, 3), "empty"),
        ("a.js", b"/** Do it.\n * now\n */\nfunction f() { return g(); }\n", (1, 3), "documentation"),
        ("a.md", b"# TODO\n", (1, 1), "work"),
        ("a.test.js", SUITE, (6, 8), "work"),
        ("a.test.js", SUITE, (7, 7), "work"),
        ("a.test.js", SUITE, (1, 1), "work"),
        ("a.test.js", SUITE, (9, 9), "empty"),
        ("a.test.js", SUITE, (2, 2), "empty"),
        ("a.h", HEADER, (4, 4), "work"),
        ("a.h", HEADER, (3, 4), "work"),
        ("a.py", b"x = 1  # note\n", (1, 1), "work"),
    ],
)
def test_lines_hold_work_documentation_or_nothing(path: str, code: bytes, lines: tuple[int, int], kind: str) -> None:
    assert kind_of_lines(path, code, *lines) == kind


@pytest.mark.parametrize(
    ("code", "stubs"),
    [
        ("configure({ writeErr: () => {} });", []),
        ("test('a', () => {\n  run({ io: { writeErr: function () {} } });\n});", []),
        ("configure({ writeErr: () => { throw new Error('not implemented'); } });", ["writeErr"]),
        ("define({ methods: { save() {} } });", ["save"]),
        ("const io = { writeErr: () => {} };", ["io.writeErr"]),
    ],
)
def test_an_arrow_that_a_call_is_given_in_an_object_may_do_nothing(code: str, stubs: list[str]) -> None:
    assert [name for _, name in new_stubs("a.js", code.encode(), b"", [(1, 9)])] == stubs


DOUBLE = b"class Fake:\n    def close(self):\n        pass\n\n    def test_it(self):\n        pass\n"


def test_a_double_among_the_tests_may_do_nothing_and_a_test_may_not() -> None:
    assert new_stubs("tests/test_a.py", DOUBLE, b"", [(1, 9)]) == [(5, "Fake.test_it")]
    assert new_stubs("src/a.py", DOUBLE, b"", [(1, 9)]) == [(2, "Fake.close"), (5, "Fake.test_it")]
    postponed = DOUBLE.replace(b"pass", b"raise NotImplementedError('todo')", 1)
    assert (2, "Fake.close") in new_stubs("tests/test_a.py", postponed, b"", [(1, 9)])


FAKE = b"""impl Menu for Fake {
    fn shown(&self) -> bool { unimplemented!() }
    fn hide(&mut self) {}
    fn later(&self) { todo!() }
}
fn is_send<T: Send>() {}
fn helper() {}
#[test]
fn works() {}
#[rstest]
fn fits<T: Send>() {}
#[test]
fn sends() {
    fn shared(_: &dyn Sync) {}
    shared(&1);
}
"""


def test_doubles_of_rust_are_told_by_the_attribute_of_their_module() -> None:
    within = b"#[cfg(test)]\nmod tests {\n" + FAKE + b"}\n"
    left = ["Fake.later", "helper", "works", "fits"]
    assert [name for _, name in new_stubs("tests/a.rs", FAKE, b"", [(1, 30)])] == left
    assert [name for _, name in new_stubs("src/a.rs", within, b"", [(1, 30)])] == [f"tests.{name}" for name in left]
    plain = ["Fake.shown", "Fake.hide", "Fake.later", "is_send", "helper", "works", "fits"]
    assert [name for _, name in new_stubs("src/a.rs", FAKE, b"", [(1, 30)])] == plain


def test_a_double_may_refuse_what_the_tests_do_not_use() -> None:
    code = b"class Fake {\n  read() { throw new Error('not implemented'); }\n  write() { throw Error('TODO'); }\n}\n"
    assert [name for _, name in new_stubs("a.test.js", code, b"", [(1, 9)])] == ["Fake.write"]
    assert len(new_stubs("a.js", code, b"", [(1, 9)])) == 2
    typed = b"function isString<T extends string>(_: T) {}\n"
    assert new_stubs("a.test.ts", typed, b"", [(1, 9)]) == []
    assert len(new_stubs("a.ts", typed, b"", [(1, 9)])) == 1


def test_the_docstring_of_a_stub_is_documentation_only_where_the_stub_is_older() -> None:
    assert kind_of_lines("a.py", STUB, 2, 2, changed=[(2, 2)]) == "documentation"
    assert kind_of_lines("a.py", STUB, 2, 2, changed=[(1, 3)]) == "empty"
    assert kind_of_lines("a.py", REAL, 2, 2, changed=[(1, 4)]) == "documentation"
    method = b"class A:\n    class B:\n        # why\n        x = 1\n"
    assert kind_of_lines("a.py", method, 3, 3, changed=[(1, 4)]) == "documentation"


def test_the_lines_of_a_file_that_is_not_read_are_not_called_empty(tmp_path: Path) -> None:
    with Index.open(make_repo(tmp_path / "shop", {"data/credentials.json": '{"common": 1}\n'})) as index:
        assert index.kind_of_lines("data/credentials.json", 1, 1, [(1, 1)]) == "work"
