"""What tests promise: read by language, compared with before, and said with its cause when less is promised."""

from typing import ClassVar

import pytest

from codeintel_session.machine.regressions import TestCode, TestText, Weakened, find_weakened, read_tests
from codeintel_session.machine.test_files import (
    goes_with_tests,
    is_collected,
    is_expected_data,
    is_test,
    runs_by_hand,
    steering_parts,
    steers,
)

PYTHON = """
import pytest

def test_a():
    assert one() == 1
    # assert two() == 2
    with pytest.raises(ValueError):
        three()

@pytest.mark.skip
async def test_b(self):
    self.assertEqual(4, four())
    mock.assert_called_once()
"""
SCRIPT = """
describe('x', () => {
  it('adds', () => { expect(add(1, 1)).toBe(2); /* expect(0) */ });
  it.skip('later', () => assert.equal(1, 1));
  test.each([1])('each', n => { n.should.equal(1) }) // it('not')
  xit('never', () => {})
})
"""
GO = """
func TestAdd(t *testing.T) {
    t.Run("small", func(t *testing.T) {
        if add(1, 1) != 2 { t.Fatalf("no") } // t.Error("x")
        require.NoError(t, err)
    })
    t.Skip("slow")
}
"""
RUST = "#[test]\nfn adds() { assert_eq!(add(1, 1), 2); }\n#[tokio::test]\n#[ignore]\nasync fn b() { assert!(true) }\n"
JAVA = "@Test void adds() { assertEquals(2, add(1, 1)); }\n@Disabled\n@Test void b() { fail(); }\n"
CSHARP = """
[Fact] public void Adds() { Assert.Equal(2, Add(1, 1)); }
[Theory(Skip = "slow")] public void B() { x.Should().Be(1); }
"""
RUBY = """
it 'adds' do
  expect(add(1, 1)).to eq 2
end
def test_b
  skip 'slow'
  assert_equal 1, b # refute b
end
"""
PHP = """
public function testAdds() { $this->assertSame(2, add(1, 1)); }
function testB() { $this->markTestSkipped(); }
"""


@pytest.mark.parametrize(
    ("path", "text", "tests"),
    [
        ("tests/test_a.py", PYTHON, {"test_a": (2, 0), "test_b": (2, 1)}),
        ("src/a.test.ts", SCRIPT, {"adds": (1, 0), "later": (1, 1), "each": (1, 0), "never": (0, 1)}),
        ("a_test.go", GO, {"TestAdd": (0, 0), "small": (2, 1)}),
        ("tests/a.rs", RUST, {"adds": (1, 0), "b": (0, 1)}),
        ("src/test/java/ATest.java", JAVA, {"adds": (1, 0), "b": (1, 1)}),
        ("spec/a_spec.rb", RUBY, {"adds": (1, 0), "test_b": (1, 1)}),
        ("tests/ATest.php", PHP, {"testAdds": (1, 0), "testB": (0, 1)}),
        ("tests/notes.txt", "assert it", {}),
        ("tests/test_a.py", "def test_a(:", {}),
    ],
)
def test_each_test_is_read_with_its_assertions_and_skips_without_comments(
    path: str, text: str, tests: dict[str, tuple[int, int]]
) -> None:
    found = read_tests(path, text)
    assert {name: (one.assertions, len(one.skips)) for name, one in found.items()} == tests


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/helpers.py", True),
        ("pkg/test_a.py", True),
        ("conftest.py", True),
        ("src/a.spec.tsx", True),
        ("src/__tests__/a.js", True),
        ("lib/__tests/generate.js", True),
        ("pkg/a_test.go", True),
        ("src/test/java/A.java", True),
        ("core/ThingTest.kt", True),
        ("spec/models/user_spec.rb", True),
        ("tests/parse_examples.c", True),
        ("tests/unittest.sh", True),
        ("tests.c", True),
        ("shop/test.js", True),
        ("test/suite-parse.janet", True),
        ("test/ParseSpec.hs", True),
        ("tests/parse.zig", True),
        ("lib/parser.ex", False),
        ("tests/load.sql", False),
        ("src/parse.c", False),
        ("src/latest.py", False),
        ("src/contest/a.py", False),
        ("tests/data.json", False),
        ("src/attest.go", False),
        ("tests.md", False),
    ],
)
def test_a_test_is_known_by_its_place_or_name(path: str, expected: bool) -> None:
    assert is_test(path) is expected


@pytest.mark.parametrize(
    ("path", "steering", "data"),
    [
        ("conftest.py", True, False),
        ("tests/conftest.py", True, False),
        ("pyproject.toml", True, False),
        ("web/package.json", True, False),
        ("jest.config.mjs", True, False),
        ("vitest.workspace.ts", True, False),
        ("Makefile", True, False),
        (".github/workflows/ci.yml", True, False),
        ("crates/a/Cargo.toml", True, False),
        ("src/__snapshots__/a.test.ts.snap", False, True),
        ("pkg/testdata/out.golden", False, True),
        ("tests/expected.json", False, True),
        ("tests/test_a.py", False, False),
        ("src/stats.py", False, False),
        ("docs/makefile.md", False, False),
        ("rules.mk", True, False),
        ("jni/Android.mk", False, False),
        ("test/.gitignore", False, False),
        ("test/suites/api/Makefile.am", False, False),
        ("tests/CMakeLists.txt", False, False),
    ],
)
def test_files_that_steer_a_runner_and_data_that_tests_expect_are_known(path: str, steering: bool, data: bool) -> None:
    assert (steers(path), is_expected_data(path)) == (steering, data)


def test_benchmarks_and_examples_run_by_hand() -> None:
    paths = ("benches/a.rs", "web/benchmarks/a.js", "bench_a.py", "a_bench.go", "examples/a.rs", "src/bench.py", "a.py")
    assert [runs_by_hand(path) for path in paths] == [True] * 5 + [False] * 2


def test_of_a_manifest_only_the_tables_that_steer_count() -> None:
    assert steering_parts("pyproject.toml", lambda: {"project": {"version": "1"}}) == {}
    assert steering_parts("pyproject.toml", lambda: {"tool": {"pytest": 1}}) == {"tool": {"pytest": 1}}
    assert steering_parts("Makefile", dict) is None


def test_the_runners_own_configuration_goes_with_the_tests_and_a_manifest_with_the_code() -> None:
    assert [goes_with_tests(path) for path in ("pytest.ini", "tests/a.json", "pyproject.toml", "src/a.py")] == [
        True,
        True,
        False,
        False,
    ]


MARKED = """
import pytest

pytestmark = pytest.mark.skipif(True, reason="x")

@pytest.mark.parametrize("n", [1, 2, 3])
def test_a(n):
    assert n

class TestB:
    @pytest.mark.xfail
    def test_c(self):
        pytest.importorskip("numpy")
        assert 1
"""


def test_marks_of_modules_and_functions_and_the_cases_of_a_parameter_list_are_read() -> None:
    found = read_tests("tests/test_a.py", MARKED)
    assert found == {
        "test_a": TestText(1, 3, ("skipif",)),
        "TestB.test_c": TestText(0, 1, ("skipif", "xfail", "importorskip")),
    }


RAISES = "with raises(ValueError):"


def changed(path: str, before: str, now: str) -> list[str]:
    code = TestCode(path, read_tests(path, before), read_tests(path, now))
    return [f"{one.test} {one.cause}" for one in find_weakened([code])]


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("test_a.py", "def test_a():\n    assert f(1) == 2\n", "def test_a():\n    assert f(1) > 0\n"),
        ("test_a.py", "def test_a():\n    assert f(1) == 2\n", "@once\ndef test_a():\n    assert f(1) == 2\n"),
        (
            "test_a.py",
            f"def test_a():\n    {RAISES}\n        f()\n",
            f"def test_a():\n    {RAISES}\n        f()\n        g()\n",
        ),
        ("test_a.py", "def test_a():\n    assert f()\n", "def test_a():\n    g()\n    assert f()\n"),
        ("test_a.py", "def test_a():\n    assert f()\n", "async def test_a():\n    assert f()\n"),
        ("a.test.js", "test('test_a', () => { expect(f(1)).toBe(2) })", "test('test_a', () => { expect(1).toBe(1) })"),
    ],
)
def test_a_test_that_was_changed_is_named_and_its_layout_is_no_change(path: str, before: str, now: str) -> None:
    assert changed(path, before, now) == ["test_a changed"]
    mark = "#" if path.endswith(".py") else "//"
    assert changed(path, before, f"{mark} why\n{before}\n\n{mark} that is all\n") == []


def test_a_test_that_asks_for_more_behind_what_it_asked_is_not_changed() -> None:
    before = "def test_a():\n    assert f(1) == 2\n"
    assert changed("test_a.py", before, f"{before}    assert f(2) == 3\n") == []


def test_what_is_added_behind_the_last_test_of_a_suite_changes_none() -> None:
    last = "describe('a', () => {\n  it('test_a', () => { expect(f(1)).toBe(2) })\n"
    added = "  describe('b', () => {\n    const g = f\n    it('test_b', () => { expect(g(2)).toBe(3) })\n  })\n"
    assert changed("a.test.ts", f"{last}}})\n", f"{last}{added}}})\n") == []
    assert changed("a.test.ts", f"{last}}})\n", last.replace("toBe(2)", "toBe(3)") + "})\n") == ["test_a changed"]


def test_a_test_without_a_title_is_found_again_wherever_it_stands() -> None:
    before = "for (const [src, n] of CASES)\n  test(src, () => { expect(f(src)).toBe(n) })\n"
    added = "test('first', () => { expect(f(1)).toBe(2) })\n"
    assert changed("a.test.ts", before, added + before) == []
    assert changed("a.test.ts", added + before, added) == ["test(src, () => { expect(f(src)).toBe(n) }) gone"]


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("test_a.py", "def {}():\n    begin()\n    assert f(1) == 2\n    assert f(2) == 3\n"),
        ("spec_a.rb", 'it "{}" do\n  begin_here\n  f(1).must_equal 2\n  f(2).must_equal 3\nend\n'),
        ("a.test.js", "test('{}', () => {{\n  begin()\n  expect(f(1)).toBe(2)\n  expect(f(2)).toBe(3)\n}})\n"),
        ("a_test.go", "func {}(t *testing.T) {{\n\tassert.Equal(t, f(1), 2)\n\tassert.Equal(t, f(2), 3)\n}}\n"),
    ],
)
def test_a_test_with_another_name_that_does_all_that_it_did_is_not_gone(path: str, test: str) -> None:
    old, new = ("TestA", "TestAToo") if path.endswith(".go") else ("test_a", "test_a_too")
    before, renamed = test.format(old), test.format(new)
    assert changed(path, before, renamed) == []
    first, *inner, last, end = renamed.splitlines()
    with_more = "\n".join([first, *inner, last.replace("2", "5"), last, end])
    if path.endswith(".py"):
        with_more = "\n".join([first, *inner, last, end, end.replace("2", "5")])
    assert changed(path, before, f"{with_more}\n") in ([], [f"{old} changed"])
    assert changed(path, before, renamed.replace("3", "4")) == [f"{old} gone"]
    assert changed(path, f"{before}\n{test.format(old + 'b')}", renamed) == [f"{old}b gone"], "one stands for one"


def test_the_last_of_two_tests_of_a_name_is_the_one_that_runs() -> None:
    before = "def test_a():\n    assert f(1) == 2\n"
    assert changed("test_a.py", before, f"{before}\n\ndef test_a():\n    pass\n") == ["test_a fewer_assertions"]


class TestLess:
    BEFORE: ClassVar = {"test_a": TestText(3, 2)}

    def found(self, now: dict[str, TestText]) -> list[Weakened]:
        return find_weakened([TestCode("t.py", self.BEFORE, now)])

    def test_is_a_test_an_assertion_or_a_case_gone_or_a_skip_come_and_says_which(self) -> None:
        assert self.found({}) == [Weakened("t.py", "test_a", "gone")]
        assert self.found({"test_a": TestText(1, 2)}) == [Weakened("t.py", "test_a", "fewer_assertions", 3, 1)]
        assert self.found({"test_a": TestText(3, 1)}) == [Weakened("t.py", "test_a", "fewer_cases", 2, 1)]
        assert self.found({"test_a": TestText(3, 2, ("xfail",))}) == [
            Weakened("t.py", "test_a", "marked", mark="xfail")
        ]

    def test_is_not_what_is_new_whatever_its_marks(self) -> None:
        assert self.found({**self.BEFORE, "test_new": TestText(0, 1, ("skipif", "xfail"))}) == []

    def test_is_not_one_around_which_others_were_added(self) -> None:
        """As tape and node:test nest them."""
        inner = "  t.test('a', function (st) {\n    st.equal(f(1), 2);\n    st.end();\n  });\n"
        before = f"test('all', function (t) {{\n{inner}  t.end();\n}});\n"
        added = inner.replace("'a'", "'b'")
        assert changed("a.js", before, before.replace(inner, added + inner + added)) == []
        assert changed("a.js", before, before.replace("f(1), 2", "f(1), 3").replace(inner, added + inner)) != []

    def test_is_told_of_a_test_of_tape_and_of_what_follows_it_in_the_one_around(self) -> None:
        inner = "  t.test('a', function (st) {\n    st['throws'](f);\n    st.deepEqual(f(1), 2);\n  });\n"
        before = f"test('all', function (t) {{\n{inner}  t.equal(f(3), 4);\n  t.end();\n}});\n"
        added = inner.replace("'a'", "'b'")
        assert changed("a.js", before, before.replace(inner, inner + added)) == []
        assert changed("a.js", before, before.replace("  t.equal(f(3), 4);\n", "")) == ["all fewer_assertions"]
        assert changed("a.js", before, before.replace("    st['throws'](f);\n", "")) == ["a fewer_assertions"]

    def test_is_counted_for_no_test_that_has_ended_before(self) -> None:
        code = (
            "describe('x', () => {\n  it('a', () => {\n    expect(f(1)).toBe(2)\n  })\n  describe('b', () => {\n"
            "    it('c', () => {\n      expect(f(2)).toBe(3)\n    })\n"
            "    afterEach(() => { expect(g).toBe(1) })\n  })\n})\n"
        )
        assert {name: test.assertions for name, test in read_tests("a.test.js", code).items()} == {"a": 1, "c": 2}

    def test_is_not_what_moved_to_another_changed_file(self) -> None:
        moved = TestCode("b.py", {}, {"test_a": TestText(3, 2)})
        assert find_weakened([TestCode("a.py", self.BEFORE, {}), moved]) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.kt", "\n" * 300_000), ("a.rb", "\n" * 300_000), ("a.ts", "/* " * 300_000), ("a.py", "(" * 300_000)],
    ids=["blank lines of Kotlin", "blank lines of Ruby", "comments that are never closed", "deep nesting"],
)
def test_a_file_made_to_be_slow_is_read_like_any_other(path: str, text: str) -> None:
    assert read_tests(path, text) == {}


def test_of_two_tests_with_one_title_each_is_compared_with_its_own() -> None:
    first, second = (f"test('a', () => {{ expect(f({n})).toBe({n}) }})\n" for n in (1, 2))
    assert changed("a.test.js", first + second, first) == ["a #2 gone"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("tests/test_a.py", True), ("tests/conftest.py", False), ("tests/__init__.py", False), ("src/a.py", False)],
)
def test_a_runner_takes_tests_from_test_files_alone(path: str, expected: bool) -> None:
    assert is_collected(path) == expected


def test_that_true_is_true_is_no_assertion() -> None:
    text = "def test_a():\n    assert True\n    assert (1), 'ok'\n    assert True is flag\n    assert 1 == one()\n"
    assert read_tests("tests/test_a.py", text)["test_a"].assertions == 2
    assert read_tests("a.test.ts", "it('a', () => expect( true ).toBe(true))")["a"].assertions == 0


def test_what_follows_a_comment_that_is_never_closed_is_no_test() -> None:
    assert list(read_tests("a.ts", "it('a', () => 1) /* it('b', () => 2)")) == ["a"]
