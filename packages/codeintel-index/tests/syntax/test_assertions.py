"""What new tests assert: in which groups, and what runs whenever its test passes."""

import textwrap
from pathlib import Path

import pytest

from codeintel_index import find_assertions, hollowed, list_tests

Shape = tuple[list[tuple[int, bool]], list[list[tuple[int, bool]]]]


def shape(text: str, path: str = "tests/test_a.py", before: str = "") -> Shape:
    """The lines of a first test's own assertions and of its groups, each with whether it must run."""
    tests, _ = find_assertions(path, textwrap.dedent(text).encode(), before.encode(), "marks-")
    if not tests:
        return [], []
    own, groups = ([(one.hole.line, one.must_run) for one in each] for each in (tests[0].own, sum(tests[0].groups, ())))
    return own, [[each for each in groups if each[0] == line] for line in dict.fromkeys(line for line, _ in groups)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def test_a():\n    assert a\n    self.assertEqual(a, 1)\n    b.assert_called_once()\n",
         ([(2, True), (3, True), (4, True)], [])),
        ("async def test_a():\n    await b.assert_awaited()\n    x == y or pytest.fail()\n",
         ([(2, True), (3, True)], [])),
        ("def test_a():\n    for one in (1, 2):\n        assert one\n    for one in b:\n        assert one\n",
         ([(3, True), (5, False)], [])),
        ("def test_a():\n    if a:\n        assert b\n    elif c:\n        return\n    assert d\n",
         ([(3, False), (6, False)], [])),
        ("def test_a():\n    def inner():\n        return 1\n    assert inner()\n", ([(4, True)], [])),
        ("def test_a():\n    with raises(ValueError):\n        f()\n        assert b\n", ([], [[(4, True)]])),
        ("def test_a():\n    with raises(AssertionError):\n        assert b\n", ([], [])),
        ("def test_a():\n    with raises(error):\n        assert b\n    with suppress(Exception):\n        assert b\n",
         ([], [])),
        ("def test_a():\n    try:\n        assert b\n    except KeyError:\n        assert c\n", ([], [[(3, True)]])),
        ("def test_a():\n    try:\n        assert b\n    except AssertionError as e:\n        assert e\n", ([], [])),
        ("def test_a():\n    later(lambda: self.assertTrue(b))\n    def on_error(e):\n        assert e\n",
         ([], [[(2, True)], [(4, False)]])),
        ("@app.route\ndef test_a():\n    assert b\n", ([(3, False)], [])),
        ("@pytest.mark.parametrize('b', [1])\ndef test_a(b):\n    assert b\n", ([(3, True)], [])),
        ("@pytest.mark.xfail\ndef test_a(b):\n    assert b\n", ([], [])),
        ("def test_a():\n    assert False\n    pytest.fail()\n    expected.append(1)\n    asserted = 1\n", ([], [])),
        ("def check():\n    assert b\n\n\ndef test_a():\n    check()\n    run(check)\n", ([(2, True)], [[(2, True)]])),
        ("def check():\n    assert b\n\n\ndef test_a(check):\n    run(check)\n    f(check=1)\n    a.check()\n",
         ([], [])),
        ("class A:\n    def check(self):\n        assert b\n    def test_a(self):\n        run(self.check)\n",
         ([], [[(3, True)]])),
    ],
)  # fmt: skip
def test_assertions_of_python_are_told_apart_by_what_hears_them(text: str, found: Shape) -> None:
    assert shape(text) == found
    assert shape(text, before=text) == ([], []), "the test is not new"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("assert.equal(a, 1);\nexpect(a).toBe(1);\nawait expect(a).rejects.toThrow();\nexpect(a).to.be.true;",
         ([(2, True), (3, True), (4, True), (5, True)], [])),
        ("t.is(a, 1);\nexpect.assertions(2);\nassert.fail();\nassert.ifError(e);\nconst f = assert.equal;",
         ([(2, True)], [])),
        ("later(() => assert.ok(a));\np.then((v) => v === 1 || assert.fail(v)).catch((e) => { assert.ok(e); });",
         ([], [[(2, True)], [(3, True), (3, False)]])),
        ("assert.throws(() => { assert.ok(a); });", ([(2, True)], [])),
        ("if (a) assert.ok(a);\nfor (const one of all) assert.ok(one);", ([(2, False), (3, False)], [])),
        ("try { assert.ok(a); } catch (e) { assert.ok(e); }", ([], [])),
    ],
)  # fmt: skip
def test_those_of_javascript_too(lines: str, found: Shape) -> None:
    text = f'test("a", async (t) => {{\n{lines}\n}});\n'
    assert shape(text, "a.test.js") == found
    assert shape(text, "a.test.ts") == found
    assert shape(f"if (isWindows) {text}", "a.test.js") == ([], [])
    assert shape(text.replace("test(", "test.skip("), "a.test.js") == ([], [])


def test_a_function_that_no_function_uses_is_found_beside_the_tests() -> None:
    text = b"def rest_test():\n    assert b\n\n\ntest_rest = wrapped(rest_test)\n"
    assert [(one.shared, one.hole.line) for one in find_assertions("test_a.py", text, b"", "m-")[1]] == [
        ("rest_test", 2)
    ]
    used = text + b"\n\ndef test_a():\n    rest_test()\n"
    assert find_assertions("test_a.py", used, b"", "m-")[1] == []


def test_what_makes_an_assertion_fail_leaves_a_mark_and_says_what_it_asserts(tmp_path: Path) -> None:
    text = b"def test_a():\n    assert (1 ==\n        1)\n"
    tests, _ = find_assertions("test_a.py", text, b"", f"{tmp_path}/heard-")
    scope: dict = {}
    exec(hollowed(text, [one.hole for one in tests[0].all()]), scope)
    with pytest.raises(AssertionError, match=r"assert \(1 == 1\)"):
        scope["test_a"]()
    assert Path(tests[0].own[0].hole.mark).exists()


def test_the_tests_of_a_file_are_listed_with_their_class() -> None:
    text = b"def test_a(): pass\nclass A:\n    def test_b(self): pass\n    @skip\n    def test_c(self): pass\n"
    assert list_tests("test_a.py", text) == ["test_a", "A.test_b"]
    assert list_tests("test_a.py", text, text) == []
