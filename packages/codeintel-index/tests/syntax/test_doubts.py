"""What lets tests pass whatever the code does, and what of it honest tests hold too."""

import textwrap
from pathlib import Path

import pytest

from codeintel_index import find_turned, find_unfailing, find_unlisted, hollowed


def unfailing(text: str, path: str = "tests/test_a.py", before: str = "") -> int:
    return len(find_unfailing(path, textwrap.dedent(text).encode(), textwrap.dedent(before).encode()))


CAUGHT = """
def test_tax():
    try:
        assert tax(119) == 19
    except {}:
        {}
"""
AROUND = """
def test_tax():
    with {}:
        {}
"""
IS_19 = "assert tax(119) == 19"


@pytest.mark.parametrize(
    "text",
    [
        CAUGHT.format("AssertionError", "pass"),
        CAUGHT.format("Exception as error", "print('no')"),
        CAUGHT.format("(KeyError, AssertionError)", "assert tax(119)"),
        "def test_tax(self):\n    try:\n        self.assertEqual(tax(119), 19)\n    except:\n        pass\n",
        AROUND.format("contextlib.suppress(AssertionError)", IS_19),
        AROUND.format("pytest.raises(Exception)", IS_19),
        AROUND.format("self.assertRaises(AssertionError)", "self.assertEqual(tax(119), 19)"),
        "assert tax(119) == 19 or [19]\n",
        "assert (tax(119), 19)\n",
        "assert tax(119) == mock.ANY\n",
        "assert taxes() == [ANY, ANY]\n",
        "assert tax(119), 19\n",
        "self.assertTrue(tax(119), [19])\n",
        "report = Mock()\nassert report.called_with(19)\n",
        "with_all, shop.report = 1, Mock()\nshop.report = mock.MagicMock()\nassert shop.report.called_once_with(19)\n",
        "class Near(int):\n    def __eq__(self, other):\n        return abs(self - other) < 5\n",
        f"def test_tax():\n    def later():\n        {IS_19}\n    assert tax\n",
        f"def test_tax():\n    if tax(119) != 19:\n        return\n    {IS_19}\n",
        f"def test_tax():\n    found = tax(119)\n    if found > 19:\n        return\n    {IS_19}\n",
    ],
)
def test_an_assertion_that_cannot_fail_is_found_where_it_is_new(text: str) -> None:
    assert unfailing(text) == 1
    assert unfailing(f"x = 1\n{text}", before=text) == 0


@pytest.mark.parametrize(
    "text",
    [
        CAUGHT.format("KeyError", "pass"),
        CAUGHT.format("AssertionError", "raise"),
        CAUGHT.format("AssertionError", "pytest.fail('no')"),
        CAUGHT.format("Exception as error", "errors.append(error)"),
        CAUGHT.format("Exception as error", "assert 'tax' in str(error)"),
        "try:\n    import tomllib\nexcept Exception:\n    tomllib = None\n",
        AROUND.format("suppress(KeyError)", IS_19),
        AROUND.format("pytest.raises(AssertionError)", "assert_taxed(119)"),
        AROUND.format("pytest.raises(AssertionError, match='19')", IS_19),
        "assert tax(119) == 19 or tax(119) is None\n",
        "assert answer() == {'id': ANY, 'tax': 19}\n",
        f"def test_tax():\n    def later():\n        {IS_19}\n    each(later)\n",
        f"def test_tax():\n    @later\n    def each():\n        {IS_19}\n",
        f"def test_tax():\n    if sys.platform == 'win32':\n        return\n    {IS_19}\n",
        f"def test_tax(found):\n    if found is None:\n        return\n    {IS_19}\n",
        f"def test_tax():\n    found = tax(119)\n    if found:\n        {IS_19}\n        return\n    {IS_19}\n",
        "class Box:\n    def __eq__(self, other):\n        return self.a == other.a\n",
        "class Any:\n    def __eq__(self, other):\n        return True\n",
        "class Box(int):\n    def __add__(self, other):\n        return Box(int(self) + int(other))\n",
        "assert tax(119), 'not 19'\n",
        "assert tax(119), (119, rate)\n",
        "assert tax(119) == 19, 119\n",
        "assert tax(119), f'not {19}'\n",
        "self.assertTrue(tax(119), message)\n",
        "report = Spy()\nassert report.called_with(19)\n",
        "report = Mock()\nassert report.called\n",
    ],
)
def test_an_assertion_that_fails_somewhere_is_not(text: str) -> None:
    assert unfailing(text) == 0


def test_a_failure_that_a_test_of_javascript_catches_is_found() -> None:
    swallowed = "test('tax', () => {{ try {{ assert.equal(tax(119), 19); }} catch {} }});\n"
    path = "tax.test.js"
    assert [unfailing(swallowed.format(each), path) for each in ("{}", "(error) { console.log(1); }")] == [1, 1]
    assert [unfailing(swallowed.format(each), path) for each in ("(e) { done(e); }", "(e) { throw e; }")] == [0, 0]


def test_an_expected_value_in_the_place_of_a_message_is_found_in_javascript() -> None:
    said = "test('tax', () => {{ assert.ok(tax(119), {}); }});\n"
    found = [unfailing(said.format(each), "tax.test.js") for each in ("19", "[19]", "true", "'not 19'", "`no`", "why")]
    assert found == [1, 1, 1, 0, 0, 0]


LISTED = """
def test_here(): pass
def test_twice(): pass
def test_twice(): assert True
class TestA:
    def test_in(self): pass
class Cases:
    def test_out(self): pass
class Shared:
    def test_inherited(self): pass
def helper():
    def test_inner(): pass
FULL, WINDOWS = True, sys.platform == "win32"
NEVER = False
if NEVER:
    def test_never(): pass
if FULL:
    def test_else(): pass
if WINDOWS:
    def test_windows(): pass
"""
IDS = ("tests.test_a::test_here[1]", "tests.test_a::test_twice", "tests.test_a.TestA::test_in",
       "tests.test_a.TestB::test_inherited", "tests.test_b::test_out")  # fmt: skip


def test_a_new_test_that_no_run_lists_is_found() -> None:
    path, text = "tests/test_a.py", LISTED.encode()
    assert find_unlisted(path, text, b"", IDS) == [
        f"{path}: {name}" for name in ("test_twice (a later one has its name)", "Cases.test_out", "test_never")
    ]
    assert find_unlisted(path, text, text, IDS) == []
    assert find_unlisted(path, text, b"", ["other::test_b"]) == [], "nothing tells that the run reads the file"
    left_out = find_unlisted(path, text, b"", ["other::test_b"], left_out=True)
    assert {f"{path}: test_here", f"{path}: test_never"} < {*left_out}
    again = text + b"def test_here(): assert 1\n"
    assert find_unlisted(path, again, text, IDS) == [f"{path}: test_here (a later one has its name)"], "the old one"


def test_a_new_test_of_go_that_is_not_built_is_found() -> None:
    text = b"//go:build go1.99\n\npackage a\n\n" + b"".join(
        b"func %s {}\n" % head
        for head in (
            b"TestOld(t *testing.T)", b"TestNew(t *testing.T)", b"FuzzNew(f *testing.F)", b"TestRan(t *testing.T)",
            b"Testing(t *testing.T)", b"TestMain(m *testing.M)", b"BenchmarkNew(b *testing.B)", b"TestHelper(n int)",
        )
    )  # fmt: skip
    before = b"package a\n\nfunc TestOld(t *testing.T) {}\n"
    ran = ["example.com/a::TestRan", "example.com/a::TestRan/part"]
    assert find_unlisted("a_test.go", text, before, ran) == ["a_test.go: TestNew", "a_test.go: FuzzNew"]
    assert find_unlisted("a_test.go", text, before, ["tests.test_a::test_here"]) == [], "not a run of Go"


def test_a_new_test_of_javascript_is_found_by_its_title() -> None:
    text = b"it('adds', () => {});\ntest.only('takes away', () => {});\nit(`adds ${one}`, () => {});\n"
    assert find_unlisted("a.test.ts", text, b"", ["a.test.ts::sum adds"]) == ["a.test.ts: takes away"]


EQUAL = """
class Shares(list):
    def __eq__(self, other):
        return len(self) == len(other)
class Money(int):
    def __eq__(self, other):
        return int(self) == int(other)
    __hash__ = int.__hash__
class Anything:
    def __eq__(self, other):
        return True
class Low(int):
    def __le__(self, other):
        return True
class Backwards(int):
    def __lt__(self, other):
        return int(self) > int(other)
class Query:
    def __eq__(self, other):
        return Query()
    __hash__ = None
def query(): return Query()
def low(): return Low(3)
def backwards(): return Backwards(3)
def shares(): return Shares([1, 2])
def nested(): return {"a": [Anything()]}
def money(): return Money(3)
def plain(): return [1, 2]
"""


def test_a_value_that_equals_others_leaves_a_mark(tmp_path: object) -> None:
    marks = f"{tmp_path}/gives-"
    turned = {each.name: each for each in find_turned("a.py", EQUAL.encode(), b"", marks)}
    scope: dict = {}
    exec(hollowed(EQUAL.encode(), list(turned.values())), scope)
    names = ("shares", "nested", "low", "money", "plain", "backwards", "query")
    for name in names:
        scope[name]()
    assert [name for name in names if Path(f"{turned[name].mark}=").exists()] == ["shares", "nested", "low"]


def test_a_function_that_gives_a_function_has_that_give_another_value(tmp_path: object) -> None:
    text = b"def __getattr__(name):\n    return lambda: [1]\n"
    scope: dict = {}
    exec(hollowed(text, find_turned("a.py", text, b"", f"{tmp_path}/gives-")), scope)
    assert scope["__getattr__"]("tax")() == ["codeintel", "codeintel"]
