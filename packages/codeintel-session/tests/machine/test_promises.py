"""What tests promise: counted by language, compared with before, and told when less is promised."""

import pytest

from codeintel_session.machine.facts import Facts, VerifierFact
from codeintel_session.machine.promises import Tally, TestCode, is_test, losses, tally, weakened
from codeintel_session.machine.state import Receipt
from codeintel_session.testing import judge, saw, state_at

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
    ("path", "text", "counts"),
    [
        ("tests/test_a.py", PYTHON, (2, 4, 1)),
        ("src/a.test.ts", SCRIPT, (2, 3, 2)),
        ("a_test.go", GO, (2, 2, 1)),
        ("tests/a.rs", RUST, (2, 2, 1)),
        ("src/test/java/ATest.java", JAVA, (2, 2, 1)),
        ("A/ATests.cs", CSHARP, (2, 2, 1)),
        ("spec/a_spec.rb", RUBY, (2, 2, 1)),
        ("tests/ATest.php", PHP, (2, 1, 1)),
        ("tests/notes.txt", "assert it", (0, 0, 0)),
    ],
)
def test_tests_assertions_and_skips_are_counted_without_comments(
    path: str, text: str, counts: tuple[int, int, int]
) -> None:
    found = tally(path, text)
    assert (found.tests, found.assertions, found.skips) == counts


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/helpers.py", True),
        ("pkg/test_a.py", True),
        ("conftest.py", True),
        ("src/a.spec.tsx", True),
        ("src/__tests__/a.js", True),
        ("pkg/a_test.go", True),
        ("src/test/java/A.java", True),
        ("core/ThingTest.kt", True),
        ("spec/models/user_spec.rb", True),
        ("src/latest.py", False),
        ("src/contest/a.py", False),
        ("tests/data.json", False),
        ("src/attest.go", False),
    ],
)
def test_a_test_is_known_by_its_place_or_name(path: str, expected: bool) -> None:
    assert is_test(path) is expected


class TestLess:
    def test_is_a_test_an_assertion_gone_or_a_skip_come(self) -> None:
        before = Tally(2, 5, 0)
        for now in (Tally(1, 5, 0), Tally(2, 4, 0), Tally(2, 5, 1)):
            assert weakened([TestCode("a_test.go", before, now)]) == ["a_test.go"]
        assert weakened([TestCode("a_test.go", before, Tally(3, 6, 0))]) == []

    def test_is_not_what_moved_to_another_test_file(self) -> None:
        moved = [TestCode("a_test.go", Tally(2, 5), Tally(1, 2)), TestCode("b_test.go", Tally(), Tally(1, 3))]
        assert weakened(moved) == []
        assert weakened([*moved, TestCode("c_test.go", Tally(1, 1), Tally())]) == ["a_test.go", "c_test.go"]

    def test_in_a_report_is_said_with_both_numbers(self) -> None:
        receipt = Receipt(verifier="unit.md", command="make", exit=0, tree="", at="")
        same = {"counts": {"tests": 3, "skipped": 1}, "before": {"tests": 3, "skipped": 1}}
        assert losses(receipt.model_copy(update=same)) == []
        assert losses(receipt.model_copy(update={"counts": {"tests": 3, "skipped": 1}})) == []  # nothing to compare
        less = {"counts": {"tests": 2, "skipped": 2}, "before": {"tests": 3, "skipped": 1}}
        assert [(say.key, dict(say.values)) for say in losses(receipt.model_copy(update=less))] == [
            ("warnings.fewer_tests", {"name": "unit.md", "now": 2, "before": 3}),
            ("warnings.new_skips", {"name": "unit.md", "now": 2, "before": 1}),
        ]


def test_a_pass_over_thinner_tests_is_accepted_with_a_warning() -> None:
    receipt = Receipt(
        verifier="unit.md", command="make", exit=0, tree="t", at="", counts={"tests": 1}, before={"tests": 2}
    )
    state = saw(state_at(15, receipts={"unit.md": receipt}))
    fields = {"verifier_used": "unit.md", "passed": True, "details": "ran", "tools_used": []}
    thin = (TestCode("tests/test_a.py", Tally(1, 1), Tally()),)
    facts = Facts(verifiers={"unit.md": VerifierFact("unit.md", True)}, tree="t", tests=thin)
    assert [say.key for say in judge(state, facts, **fields).warnings] == [
        "warnings.fewer_tests",
        "warnings.tests_weakened",
    ]
    by_hand = Facts(verifiers={"unit.md": VerifierFact("unit.md", False)})
    assert judge(state, by_hand, **fields).warnings == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.py", "\n" * 300_000), ("a.kt", "\n" * 300_000), ("a.rb", "\n" * 300_000), ("a.ts", "/* " * 300_000)],
    ids=["blank lines", "blank lines of Kotlin", "blank lines of Ruby", "comments that are never closed"],
)
def test_a_file_made_to_be_slow_is_counted_like_any_other(path: str, text: str) -> None:
    assert tally(path, text) == Tally()


def test_that_true_is_true_is_no_assertion() -> None:
    assert tally("tests/test_a.py", "assert True\n  assert (1), 'ok'\nassert True; f()\n") == Tally()
    assert tally("a.test.ts", "expect( true ).toBe(true)\n") == Tally()
    assert tally("tests/test_a.py", "assert True is flag\nassert 1 == one()\nassert Trueish\n") == Tally(assertions=3)
    assert tally("a.test.ts", "expect(trueish).toBe(1)") == Tally(assertions=1)


def test_what_follows_a_comment_that_is_never_closed_is_no_test() -> None:
    assert tally("a.ts", "it('a', () => 1) /* it('b', () => 2)") == Tally(tests=1)
