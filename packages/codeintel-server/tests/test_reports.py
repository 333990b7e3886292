"""What a verifier's report says: the result of each test by its id, from what real runners write."""

import json
import os
import re
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from codeintel_contract.violations import ContractViolation
from codeintel_server.project.detect import GO, NODE, detect
from codeintel_server.verification.runner import OUTPUT_BYTES, Ran, run_command
from codeintel_server.verification.selection import narrow
from codeintel_session.ports import Verifier

pytestmark = [pytest.mark.draws(6), pytest.mark.anyio]
PYTHON = shlex.quote(sys.executable)
MAVEN_REPOSITORY = Path("/usr/share/maven-repo")
"""Where Debian keeps what Maven would download."""
SUREFIRE = "org/apache/maven/plugins/maven-surefire-plugin"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version></dependency>
</dependencies></project>
"""
JAVA = '@Test public void good() {} @Test public void bad() { fail("no"); } @Ignore @Test public void skip() {}'
PHP = """<?php
final class ATest extends PHPUnit\\Framework\\TestCase {
  public function testGood(): void { $this->assertSame(1, 1); }
  public function testBad(): void { $this->assertSame(1, 2); }
  public function testSkip(): void { $this->markTestSkipped("no"); }
  public function testSaysNothing(): void { }
}
"""
RUBY = """RSpec.describe "A" do
  it("is good") { expect(1).to eq 1 }
  it("is bad") { expect(1).to eq 2 }
  it("is open") { pending "later"; expect(1).to eq 2 }
end
"""
MINITEST = """require "minitest/autorun"
class ATest < Minitest::Test
  def test_good; print("said\\n"); assert true; end
  def test_bad; assert_equal 1, 2; end
  def test_skip; skip "later"; end
end
describe("a thing") { it("is well") { raise "no" } }
"""
TEST_UNIT = """require "test/unit"
class ATest < Test::Unit::TestCase
  def test_good; print("said\\n"); assert true; end
  def test_bad; assert_equal 1, 2; end
  def test_skip; omit "later"; end
  def test_open; pend "later"; end
  sub_test_case("deep") do
    test("is a name so long that nothing is between it and its result") { assert true }
    test("is broken") { raise "no" }
  end
end
"""
TOLD_BY_MINITEST = """Run options: -v --seed 1

# Running:

ATest#test_good = said
0.00 s = .
ATest#test_bad = 0.01 s = F
ATest#test_skip = 0.00 s = S
a thing::inside#test_0002_is # well = 0.00 s = E

  1) Failure:
ATest#test_bad [test/test_a.rb:4]:
Expected: 1.

4 runs, 2 assertions, 1 failures, 1 errors, 1 skips
"""
TOLD_BY_TEST_UNIT = """Loaded suite test
Started
ATest: 
  test_bad:\t\t\t\t\tF
===============================================================================
Failure: test_bad(ATest): <1> expected
===============================================================================
: (0.010897)
  test_good:\t\t\t\tsaid
.: (0.000111)
  deep: 
    test_with_a_name_so_long_that_there_is_nothing_between:.: (0.000132)
BTest: 
  test_open:\t\t\t\tP
===============================================================================
Pending: test_open(BTest): later
===============================================================================
: (0.000820)
  test_omit:\t\t\t\tO

5 tests, 3 assertions, 1 failures, 0 errors, 1 pendings, 1 omissions, 0 notifications
"""

SUITE = """<testsuites><testsuite name="a">
<testcase name="one"/><testcase name="two"><failure>no</failure></testcase>
<testcase name="three"><skipped/></testcase></testsuite>
<testsuite name="b"><testcase name="four"><error/></testcase></testsuite></testsuites>
"""


GO_EVENTS = "\n".join(
    json.dumps(event)
    for event in (
        {"Action": "build-output", "ImportPath": "x/broken", "Output": "b.go:2:23: undefined: z\n"},
        {"Action": "start", "Package": "x"},
        {"Action": "output", "Package": "x/broken", "Output": "FAIL\tx/broken [build failed]\n"},
        {"Action": "fail", "Package": "x/broken/not", "Test": "TestC"},
        {"Action": "fail", "Package": "x/broken"},
        {"Action": "run", "Package": "x", "Test": "TestAdd"},
        {"Action": "output", "Package": "x", "Test": "TestAdd", "Output": "=== RUN   TestAdd\n"},
        {"Action": "output", "Package": "x", "Test": "TestAdd/small", "Output": "    a_test.go:2: fine\n"},
        {"Action": "pass", "Package": "x", "Test": "TestAdd/small"},
        {"Action": "output", "Package": "x", "Test": "TestAdd/small", "Output": "after its end\n"},
        {"printed": "by a test"},
        {"Action": "output", "Package": "x", "Test": "TestAdd/big", "Output": "    a_test.go:3: got 3\n"},
        {"Action": "output", "Package": "x", "Test": "TestAdd/big", "Output": "--- FAIL: TestAdd/big (0.00s)\n"},
        {"Action": "fail", "Package": "x", "Test": "TestAdd/big"},
        {"Action": "output", "Package": "x", "Test": "TestAdd", "Output": "--- FAIL: TestAdd (0.00s)\n"},
        {"Action": "fail", "Package": "x", "Test": "TestAdd"},
        {"Action": "skip", "Package": "x", "Test": "TestSkip"},
        {"Action": "run", "Package": "x", "Test": "TestPrints"},
        {"Action": "output", "Package": "x", "Test": "TestPrints", "Output": "34--- PASS: TestPrints (0.00s)\n"},
        {"Action": "output", "Package": "x", "Test": "TestSkip", "Output": "34--- PASS: TestAdd (0.00s)\n"},
        {"Action": "output", "Package": "x", "Output": "FAIL\tx\t0.005s\n"},
        {"Action": "fail", "Package": "x"},
        {"Action": "run", "Package": "y", "Test": "TestHangs"},
    )
)
CARGO_END = "\ntest result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.11s\n"
CARGO_LAST = "\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.12s\n"
CARGO_TEXT = f"""   Compiling rt v0.1.0 (/tmp/rt)
     Running unittests src/lib.rs (target/debug/deps/rt-2b40ded8cd270929)

running 3 tests
test tests::later ... ignored, slow
test tests::adds ... FAILED
test tests::panics - should panic ... ok
{CARGO_END}
error: test failed, to rerun pass `--lib`
     Running tests\\deep\\it.rs (target\\debug\\deps\\it-7b62dc30b82fb0bd.exe)

running 1 test
test adds ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests rt

running 2 tests
test src/lib.rs - add (line 2) ... ok
test src/lib.rs - add (line 9) ... ok
{CARGO_LAST}
error: could not compile `rt` (test "no") due to 1 previous error
"""


UNITTESTS = """import unittest


class T(unittest.TestCase):
    def test_add(self):
        print("said by the test")

    def test_doc(self):
        "Says what it is."
        self.assertEqual(1, 2)

    def test_doc_ok(self):
        "All is well."

    @unittest.skip("with a text")
    def test_doc_skip(self):
        "Is skipped."

    def test_err(self):
        raise KeyError(1)

    @unittest.skip("later")
    def test_skip(self): ...

    def test_sub(self):
        for number in range(2):
            with self.subTest(number=number):
                self.assertEqual(number, 0)

    @unittest.expectedFailure
    def test_x(self):
        self.fail()

    @unittest.expectedFailure
    def test_xp(self): ...
"""


def verifier(command: str, report: str = "junit") -> Verifier:
    return Verifier("unit.md", "", command=command, report=report, timeout_s=20)


class TestCounts:
    def test_of_lines_that_are_all_within_something_are_none(self, tmp_path: Path) -> None:
        """As a runner prints a list of what it has done; only what stands at the margin is a test."""
        assert run_command(tmp_path, verifier("printf '    ok 1 - a\\n    ok 2 - b\\n'", "none")).counts == {}

    def test_are_read_from_the_file_the_command_is_told_to_write(self, tmp_path: Path) -> None:
        (tmp_path / "suite.xml").write_text(SUITE, encoding="utf-8")
        ran = run_command(tmp_path, verifier('cp suite.xml "$CODEINTEL_JUNIT"; exit 1'))
        assert (ran.exit, ran.counts) == (1, {"tests": 4, "failures": 1, "errors": 1, "skipped": 1})

    @pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
    @pytest.mark.parametrize("line", [f"{NODE} npm test", f"cd . && {NODE} npm test"])
    def test_of_node_are_read_where_npm_has_options_of_its_own_for_it(self, tmp_path: Path, line: str) -> None:
        """npm takes `node-options` of `.npmrc` in the place of the variable that asks for the report."""
        (tmp_path / "package.json").write_text('{"scripts": {"test": "node --test"}}', encoding="utf-8")
        (tmp_path / ".npmrc").write_text("fund=false\nnode-options = --require ./first.js\n", encoding="utf-8")
        (tmp_path / "first.js").write_text("globalThis.first = 1;\n", encoding="utf-8")
        text = "require('node:test')('own options count', () => { if (!globalThis.first) throw Error(); });\n"
        (tmp_path / "a.test.js").write_text(text, encoding="utf-8")
        ran = run_command(tmp_path, verifier(line))
        assert (ran.exit, ran.counts["tests"], list(ran.cases)) == (0, 1, ["test::own options count"])

    def test_of_jest_are_read_from_its_json(self, tmp_path: Path) -> None:
        results = [
            {"fullName": "adds small ones", "status": "passed"},
            {"fullName": "adds large ones", "status": "failed"},
            {"fullName": "adds none", "status": "pending"},
        ]
        suites = [
            {"name": str(tmp_path.resolve() / "test/add.test.js"), "status": "failed", "assertionResults": results},
            {"name": "/elsewhere/broken.test.js", "status": "failed", "assertionResults": []},
        ]
        (tmp_path / "told.json").write_text(json.dumps({"testResults": suites}), encoding="utf-8")
        ran = run_command(tmp_path, verifier('cp told.json "$CODEINTEL_JUNIT"; exit 1'))
        assert ran.counts == {"tests": 4, "failures": 1, "errors": 1, "skipped": 1}
        assert list(ran.cases) == [*(f"test/add.test.js::{one['fullName']}" for one in results), "broken.test.js"]
        (tmp_path / "told.json").write_text('{"testResults": [{}]}', encoding="utf-8")
        with pytest.raises(ContractViolation, match="report_unreadable"):
            run_command(tmp_path, verifier('cp told.json "$CODEINTEL_JUNIT"'))

    def test_of_mocha_are_named_by_their_file_and_what_failed_is_told(self, tmp_path: Path) -> None:
        """Its report takes the place of what it prints, and without it nobody sees what failed."""
        cases = "".join(
            f'<testcase classname="add" name="{name}" file="{tmp_path.resolve()}/test/{file}.js">{result}</testcase>'
            for file, name, result in (
                ("a", "small", ""),
                ("b", "small", "<failure>1 == 2&#xA; at b.js:3</failure>"),
                ("b", "none", "<skipped/>"),
            )
        )
        (tmp_path / "told.xml").write_text(f'<testsuite name="Mocha Tests">{cases}</testsuite>', encoding="utf-8")
        ran = run_command(tmp_path, verifier('cp told.xml "$CODEINTEL_JUNIT"; echo "> mocha"; exit 1'))
        assert ran.cases == {
            "test/a.js::add small": "passed",
            "test/b.js::add small": "failure",
            "test/b.js::add none": "skipped",
        }
        assert ran.output == "> mocha\n\nsmall\n1 == 2\n at b.js:3\n"
        many = "".join(
            f'<testcase name="t{number:02}"><failure message="m{number}"/></testcase>' for number in range(20)
        )
        long = f'<testcase name="long"><error>{"x" * 5000}</error></testcase>'
        (tmp_path / "many.xml").write_text(f"<testsuite>{long}{many}</testsuite>", encoding="utf-8")
        told = run_command(tmp_path, verifier('cp many.xml "$CODEINTEL_JUNIT"; exit 1')).output
        assert (told.count("x"), "t08\nm8\n" in told, "t09" in told) == (1_500, True, False)
        ran = run_command(tmp_path, verifier('cp told.xml "$CODEINTEL_JUNIT"; echo "1) small: 1 == 2"; exit 1'))
        assert ran.output == "1) small: 1 == 2\n"

    def test_of_go_are_read_from_its_events_and_what_it_would_print_is_told(self, tmp_path: Path) -> None:
        """What has no end did not pass, and a package that is not built has no tests."""
        (tmp_path / "told.json").write_text(GO_EVENTS, encoding="utf-8")
        ran = run_command(tmp_path, verifier('cat told.json > "$CODEINTEL_JUNIT"; exit 1'))
        assert ran.cases == {
            "x/broken/not::TestC": "failure",
            "x/broken": "error",
            "x::TestAdd": "failure",
            "x::TestAdd/small": "passed",
            "x::TestAdd/big": "failure",
            "x::TestSkip": "skipped",
            "x::TestPrints": "passed",
            "y::TestHangs": "error",
        }
        assert ran.counts == {"tests": 8, "failures": 3, "errors": 2, "skipped": 1}
        assert ran.output == (
            "b.go:2:23: undefined: z\nFAIL\tx/broken [build failed]\n    a_test.go:3: got 3\n"
            "--- FAIL: TestAdd/big (0.00s)\n--- FAIL: TestAdd (0.00s)\nFAIL\tx\t0.005s\n"
        )
        (tmp_path / "told.json").write_text(GO_EVENTS.replace("}", "", 1), encoding="utf-8")
        with pytest.raises(ContractViolation, match="report_unreadable"):
            run_command(tmp_path, verifier('cat told.json > "$CODEINTEL_JUNIT"'))

    @pytest.mark.parametrize(
        ("left_out", "errors"),
        [("", []), (CARGO_END, ["rt src/lib.rs"]), (CARGO_LAST, ["Doc-tests rt"])],
    )
    def test_of_cargo_are_read_from_what_it_prints(self, tmp_path: Path, left_out: str, errors: list[str]) -> None:
        """A program of tests that ends before its summary did not pass, whatever its exit code."""
        (tmp_path / "told.txt").write_text(CARGO_TEXT.replace(left_out, ""), encoding="utf-8")
        ran = run_command(tmp_path, verifier('cat told.txt > "$CODEINTEL_JUNIT"; exit 101'))
        assert ran.cases == {
            "rt src/lib.rs::tests::later": "skipped",
            "rt src/lib.rs::tests::adds": "failure",
            "rt src/lib.rs::tests::panics - should panic": "passed",
            "it tests/deep/it.rs::adds": "passed",
            "Doc-tests rt::src/lib.rs - add": "passed",
            "Doc-tests rt::src/lib.rs - add #2": "passed",
            'could not compile `rt` (test "no")': "error",
        } | dict.fromkeys(errors, "error")
        assert "... FAILED\n" in ran.output
        assert "... ok\n" not in ran.output
        (tmp_path / "told.txt").write_text("warning\n" * OUTPUT_BYTES + CARGO_TEXT, encoding="utf-8")
        ran = run_command(tmp_path, verifier('cat told.txt > "$CODEINTEL_JUNIT"; exit 101'))
        assert (len(ran.output), len(ran.cases)) == (OUTPUT_BYTES, 7)

    @pytest.mark.parametrize(("code", "counts"), [(0, 2), (101, 2)])
    def test_of_a_harness_of_its_own_beneath_cargo_are_those_of_its_summary(
        self, tmp_path: Path, code: int, counts: int
    ) -> None:
        text = (
            "     Running tests/own.rs (target/debug/deps/own-2b40ded8cd270929)\nrunning 2 tests\n1 passed, 1 failed\n"
        )
        (tmp_path / "told.txt").write_text(text.replace("running 2", "running 0") + "test result: ok.\n", "utf-8")
        ran = run_command(tmp_path, verifier(f'cat told.txt > "$CODEINTEL_JUNIT"; exit {code}'))
        assert (ran.counts["tests"], ran.cases) == (counts, {})

    @pytest.mark.parametrize(
        ("more", "ends"), [("", True), ("\n    def test_z(self): __import__('os')._exit(0)\n", False)]
    )
    def test_of_unittest_are_read_from_what_it_prints(self, tmp_path: Path, more: str, ends: bool) -> None:
        """A run that ends before its summary did not pass, whatever its exit code."""
        (tmp_path / "tests").mkdir()
        (tmp_path / "tests/__init__.py").touch()
        (tmp_path / "tests/test_a.py").write_text(UNITTESTS + more, encoding="utf-8")
        (tmp_path / "tests/test_b.py").write_text("import nothing_here\n", encoding="utf-8")
        (command,) = [suite.command for suite in detect(tmp_path).proposals.suites]
        ran = run_command(tmp_path, verifier(command.replace("python", PYTHON, 1)))
        place = "tests.test_a.T"
        assert ran.cases == {
            f"{place}::test_add": "passed",
            f"{place}::test_doc": "failure",
            f"{place}::test_doc_ok": "passed",
            f"{place}::test_doc_skip": "skipped",
            f"{place}::test_err": "error",
            f"{place}::test_skip": "skipped",
            f"{place}::test_sub": "failure",
            f"{place}::test_x": "xfailed",
            **(
                {f"{place}::test_xp": "failure"}
                if ends
                else {f"{place}::test_xp": "passed", f"{place}::test_z": "error"}
            ),
            **({"unittest.loader._FailedTest::tests.test_b": "error"} if ends else {}),
        } | ({} if ends else {f"{place}::{name}": "passed" for name in ("test_doc", "test_err", "test_sub")})
        assert ("AssertionError: 1 != 2" in ran.output) == ends
        assert "test_skip" not in ran.output

    @pytest.mark.slow
    @pytest.mark.skipif(not shutil.which("go"), reason="needs go")
    def test_of_a_real_go_module_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "go.mod").write_text("module x\n\ngo 1.21\n", encoding="utf-8")
        head = 'package x\n\nimport "testing"\n\n'
        test = head + 'func TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) { t.Error("no") }\n'
        (tmp_path / "a_test.go").write_text(test, encoding="utf-8")
        ran = run_command(tmp_path, replace(verifier(GO), timeout_s=300))
        assert (ran.exit, ran.cases) == (1, {"x::TestA": "passed", "x::TestB": "failure"})
        assert "a_test.go:7: no" in ran.output

    @pytest.mark.slow
    @pytest.mark.skipif(not shutil.which("cargo"), reason="needs cargo")
    def test_of_a_real_crate_are_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        toolchains = Path(shutil.which("cargo") or "").parents[2] / ".rustup"  # the home of a test is another one
        monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", str(toolchains)))
        (tmp_path / "Cargo.toml").write_text('[package]\nname = "low"\nversion = "0.1.0"\n', encoding="utf-8")
        (tmp_path / "src").mkdir()
        (tmp_path / "src/lib.rs").write_text("#[test]\nfn fails() {\n    panic!()\n}\n", encoding="utf-8")
        (tmp_path / "tests").mkdir()
        (tmp_path / "tests/it.rs").write_text("#[test]\nfn ends() {\n    std::process::exit(0)\n}\n", encoding="utf-8")
        ran = run_command(tmp_path, replace(verifier(detect(tmp_path).proposals.suites[0].command), timeout_s=300))
        assert ran.cases == {"low src/lib.rs::fails": "failure", "it tests/it.rs": "error"}
        assert "src/lib.rs:3:5" in ran.output

    def test_of_rspec_are_read_from_its_json(self, tmp_path: Path) -> None:
        cases = [
            {
                "id": "./spec/a_spec.rb[1:1]",
                "full_description": "A adds",
                "status": "passed",
                "file_path": "./spec/all.rb",
            },
            {
                "id": "./spec/a_spec.rb[1:2]",
                "full_description": "A adds",
                "status": "failed",
                "file_path": "./spec/all.rb",
            },
            {"id": "./spec/b_spec.rb[1:1]", "full_description": "B waits", "status": "pending"},
        ]
        told = {"version": "3.12.0", "examples": cases, "summary": {"errors_outside_of_examples_count": 1}}
        (tmp_path / "told.json").write_text(json.dumps(told), encoding="utf-8")
        ran = run_command(tmp_path, verifier('cp told.json "$CODEINTEL_JUNIT"; exit 1'))
        assert ran.cases == {
            "spec/a_spec.rb::A adds": "passed",
            "spec/a_spec.rb::A adds #2": "failure",
            "spec/b_spec.rb::B waits": "skipped",
            "errors outside of examples": "error",
        }

    def test_tests_of_one_name_are_told_apart_by_their_order(self, tmp_path: Path) -> None:
        names = ["a", "a", "a #2", "a", "b #2", "b", "b", *["same"] * 500]
        cases = "".join(f'<testcase name="{name}"/>' for name in names)
        (tmp_path / "told.xml").write_text(f"<testsuites>{cases}</testsuites>", encoding="utf-8")
        ran = run_command(tmp_path, verifier('cp told.xml "$CODEINTEL_JUNIT"'))
        same = ["same", *(f"same #{number}" for number in range(2, 501))]
        assert [*ran.cases] == ["a", "a #2", "a #2 #2", "a #3", "b #2", "b", "b #3", *same]

    def test_of_phpunit_that_assert_nothing_are_no_errors(self, tmp_path: Path) -> None:
        """Its run passes with them; a test that loses its assertions is one that is skipped."""
        types = ("PHPUnit\\Framework\\RiskyTestError", "RuntimeException")
        cases = "".join(f'<testcase name="{at}"><error type="{each}"/></testcase>' for at, each in enumerate(types))
        (tmp_path / "told.xml").write_text(f"<testsuites>{cases}</testsuites>", encoding="utf-8")
        ran = run_command(tmp_path, verifier('cp told.xml "$CODEINTEL_JUNIT"; exit 1'))
        assert ran.cases == {"0": "skipped", "1": "error"}

    @pytest.mark.slow
    @pytest.mark.skipif(not shutil.which("phpunit"), reason="needs phpunit")
    def test_of_a_real_phpunit_are_named(self, tmp_path: Path) -> None:
        suites = "<testsuite name='all'><directory>tests</directory></testsuite>"
        (tmp_path / "phpunit.xml").write_text(f"<phpunit><testsuites>{suites}</testsuites></phpunit>", encoding="utf-8")
        (tmp_path / "tests").mkdir()
        (tmp_path / "tests/ATest.php").write_text(PHP, encoding="utf-8")
        line = detect(tmp_path).proposals.suites[0].command.removeprefix("vendor/bin/")
        ran = run_command(tmp_path, verifier(line))
        results = {"Good": "passed", "Bad": "failure", "Skip": "skipped", "SaysNothing": "skipped"}
        assert ran.cases == {f"tests/ATest.php::ATest test{name}": result for name, result in results.items()}
        assert ran.output.count("ATest::testBad") == 1
        ends = PHP.replace("ATest", "BTest").replace("$this->assertSame(1, 2)", "exit(0)")
        (tmp_path / "tests/BTest.php").write_text(ends, encoding="utf-8")
        with pytest.raises(ContractViolation, match="report_unreadable"):  # its exit code is 0, and it says nothing
            run_command(tmp_path, verifier(line))

    @pytest.mark.slow
    @pytest.mark.skipif(not shutil.which("rspec"), reason="needs rspec")
    def test_of_a_real_rspec_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "Gemfile").write_text("", encoding="utf-8")
        (tmp_path / "spec").mkdir()
        (tmp_path / "spec/a_spec.rb").write_text(RUBY, encoding="utf-8")
        line = detect(tmp_path).proposals.suites[0].command.removeprefix("bundle exec ")
        ran = run_command(tmp_path, verifier(line))
        results = {"good": "passed", "bad": "failure", "open": "skipped"}
        assert ran.cases == {f"spec/a_spec.rb::A is {name}": result for name, result in results.items()}
        assert "expected: 2" in ran.output
        (tmp_path / "spec/b_spec.rb").write_text(RUBY.replace("expect(1).to eq 2", "exit!(0)", 1), encoding="utf-8")
        with pytest.raises(ContractViolation, match="report_unreadable"):
            run_command(tmp_path, verifier(line))

    @pytest.mark.skipif(shutil.which("prove") is None or os.name == "nt", reason="needs Perl")
    def test_of_perl_are_its_files(self, tmp_path: Path) -> None:
        words = {
            "good": "ok 1; subtest x => sub { ok 1 }",
            "bad": "diag 'ok'; ok 1; ok 0",
            "deep/skip": "plan skip_all => 'no'",
            "broken": "use Nope",
            "early": "ok 1; exit 0",
            "todo": "TODO: { local $TODO = 'x'; ok 1 }",
        }
        (tmp_path / "t/deep").mkdir(parents=True)
        (tmp_path / "cpanfile").touch()
        for name, text in words.items():
            (tmp_path / f"t/{name}.t").write_text(f"use Test::More; {text}; done_testing;", encoding="utf-8")
        (line,) = [suite.command for suite in detect(tmp_path).proposals.suites]
        ran = run_command(tmp_path, verifier(line))
        results = {"good": "passed", "bad": "failure", "deep/skip": "skipped", "todo": "passed"}
        expected = {f"t/{name}.t": result for name, result in results.items()}
        assert {name: result for name, result in ran.cases.items() if name in expected} == expected, ran.output
        assert ran.cases["t/broken.t"] in ("failure", "error")
        assert ran.cases["t/early.t"] in ("failure", "error")
        shutil.rmtree(tmp_path / "t")
        (tmp_path / "t").mkdir()
        assert run_command(tmp_path, verifier(line)).cases == {"no test ran": "error"}

    @pytest.mark.parametrize(
        ("told", "cases", "counts"),
        [
            (
                TOLD_BY_MINITEST,
                {
                    "ATest::test_good": "passed",
                    "ATest::test_bad": "failure",
                    "ATest::test_skip": "skipped",
                    "a thing::inside::is # well": "error",
                },
                [4, 1, 1, 1],
            ),
            (
                TOLD_BY_TEST_UNIT,
                {
                    "ATest::test_bad": "failure",
                    "ATest::test_good": "passed",
                    "ATest::deep::test_with_a_name_so_long_that_there_is_nothing_between": "passed",
                    "BTest::test_open": "skipped",
                    "BTest::test_omit": "skipped",
                },
                [5, 1, 0, 2],
            ),
        ],
        ids=["minitest", "test-unit"],
    )
    def test_of_ruby_are_read_from_what_it_prints(
        self, tmp_path: Path, told: str, cases: dict[str, str], counts: list[int]
    ) -> None:
        """Recorded from both; the next test runs them, where they are installed."""

        def run(text: str) -> Ran:
            (tmp_path / "told.txt").write_text(text, encoding="utf-8")
            return run_command(tmp_path, verifier('cat told.txt > "$CODEINTEL_JUNIT"; exit 1'))

        whole = run(told)
        assert whole.cases == cases
        assert [whole.counts[name] for name in ("tests", "failures", "errors", "skipped")] == counts
        assert ("test_bad" in whole.output, "nothing_between" in whole.output) == (True, False)
        mixed = run(re.sub(r"^\d+ (runs|tests),", r"9 \1,", told, flags=re.MULTILINE))  # lines of two tests in one
        assert (mixed.cases, mixed.counts["tests"], mixed.counts["failures"]) == ({}, 9, 1)
        unnamed = run("5 tests, 3 assertions, 1 failures, 0 errors, 1 pendings, 2 omissions, 0 notifications\n")
        assert (unnamed.cases, unnamed.counts["tests"], unnamed.counts["skipped"]) == ({}, 5, 3)
        cut = run(told[: told.index("said") + 5])
        assert cut.cases["ATest::test_good"] == "error"
        assert run("a.rb:1:in `require': cannot load such file\n").cases == {"no test ran": "error"}

    @pytest.mark.slow
    @pytest.mark.skipif(not shutil.which("rake"), reason="needs rake, Minitest and test-unit")
    @pytest.mark.parametrize(
        ("text", "named"),
        [
            (
                MINITEST,
                {
                    "ATest::good": "passed",
                    "ATest::bad": "failure",
                    "ATest::skip": "skipped",
                    "a thing::is well": "error",
                },
            ),
            (
                TEST_UNIT,
                {
                    "ATest::bad": "failure",
                    "ATest::good": "passed",
                    "ATest::open": "skipped",
                    "ATest::skip": "skipped",
                    "ATest::deep::test: is a name so long that nothing is between it and its result": "passed",
                    "ATest::deep::test: is broken": "error",
                },
            ),
        ],
        ids=["minitest", "test-unit"],
    )
    def test_of_a_real_rake_are_named(self, tmp_path: Path, text: str, named: dict[str, str]) -> None:
        (tmp_path / "Gemfile").write_text("", encoding="utf-8")
        (tmp_path / "Rakefile").write_text('require "rake/testtask"\nRake::TestTask.new(:test)\n', encoding="utf-8")
        (tmp_path / "test").mkdir()
        (tmp_path / "test/test_a.rb").write_text(text, encoding="utf-8")
        line = detect(tmp_path).proposals.suites[0].command.removeprefix("bundle exec ")
        ran = run_command(tmp_path, verifier(line))
        found = {name.replace("::test_", "::"): result for name, result in ran.cases.items()}
        assert (found, ran.exit) == (named, 1)
        assert ("test_a.rb:4" in ran.output, "test_good" in ran.output.replace("test_good; print", "")) == (True, True)
        plain = run_command(tmp_path, verifier(line.replace("TESTOPTS=-v ", "")))  # then there is only their number
        assert (plain.cases, plain.counts) == ({}, ran.counts)
        (tmp_path / "test/test_b.rb").write_text('require "nothing_here"\n', encoding="utf-8")
        assert run_command(tmp_path, verifier(line)).cases == {"no test ran": "error"}
        (tmp_path / "test/test_b.rb").unlink()
        (tmp_path / "test/test_a.rb").write_text(text.replace("assert_equal 1, 2", "exit!(0)"), encoding="utf-8")
        assert (
            "error"
            in {
                name: one for name, one in run_command(tmp_path, verifier(line)).cases.items() if "bad" in name
            }.values()
        )

    @pytest.mark.slow
    @pytest.mark.skipif(
        not (MAVEN_REPOSITORY / "org/apache/maven/plugins/maven-surefire-plugin").is_dir(),
        reason="needs Debian's Maven",
    )
    def test_of_a_real_maven_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "pom.xml").write_text(POM, encoding="utf-8")
        (tmp_path / "src/test/java").mkdir(parents=True)
        text = f"import org.junit.*; import static org.junit.Assert.*; public class ATest {{ {JAVA} }}"
        (tmp_path / "src/test/java/ATest.java").write_text(text, encoding="utf-8")
        suite = detect(tmp_path).proposals.suites[0]
        line = suite.command.replace("mvn ", f"mvn -o -Dmaven.repo.local={MAVEN_REPOSITORY} ")
        ran = run_command(tmp_path, replace(verifier(line, suite.report), timeout_s=300))
        assert ran.cases == {"ATest::good": "passed", "ATest::bad": "failure", "ATest::skip": "skipped"}
        (tmp_path / "src/test/java/BTest.java").write_text(text.replace("ATest", "BTest"), encoding="utf-8")
        alone = replace(verifier(narrow(tmp_path, line, ["src/test/java/BTest.java"]), suite.report), timeout_s=300)
        assert run_command(tmp_path, alone).cases == {
            "BTest::good": "passed",
            "BTest::bad": "failure",
            "BTest::skip": "skipped",
        }

    def test_are_summed_over_the_reports_of_this_run_alone(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "suite.xml").write_text(SUITE, encoding="utf-8")
        (tmp_path / "out" / "old.xml").write_text(SUITE, encoding="utf-8")
        os.utime(tmp_path / "out" / "old.xml", (1_000_000, 1_000_000))
        command = "mkdir out/deep; cp suite.xml out/deep/a.xml; cp suite.xml out/b.xml"
        assert run_command(tmp_path, verifier(command, "junit: out/**/*.xml")).counts["tests"] == 8

    @pytest.mark.parametrize("command", ["true", 'echo no XML > "$CODEINTEL_JUNIT"'])
    def test_that_are_promised_and_missing_make_a_pass_no_pass(self, tmp_path: Path, command: str) -> None:
        with pytest.raises(ContractViolation, match="report_unreadable"):
            run_command(tmp_path, verifier(command))

    def test_may_be_missing_where_the_run_failed(self, tmp_path: Path) -> None:
        assert (run_command(tmp_path, verifier("exit 3")).exit, run_command(tmp_path, verifier("exit 3")).counts) == (
            3,
            {},
        )

    def test_are_not_looked_for_unless_asked(self, tmp_path: Path) -> None:
        assert run_command(tmp_path, verifier("true", "none")).counts == {}
