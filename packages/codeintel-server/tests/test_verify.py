"""The server's own run of a verifier: what it counts, and what is said when tests went missing."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_contract.violations import ContractViolation
from codeintel_server.demo.change import Change
from codeintel_server.library import ProjectLibrary
from codeintel_server.testing import Caller, play_to
from codeintel_server.trust import trust
from codeintel_server.verify import run_command
from codeintel_session.ports import Verifier

pytestmark = pytest.mark.anyio

SUITE = """<testsuites><testsuite name="a">
<testcase name="one"/><testcase name="two"><failure>no</failure></testcase>
<testcase name="three"><skipped/></testcase></testsuite>
<testsuite name="b"><testcase name="four"><error/></testcase></testsuite></testsuites>
"""


def verifier(command: str, report: str = "junit") -> Verifier:
    return Verifier("unit.md", "", command=command, report=report, timeout_s=20)


class TestCounts:
    def test_are_read_from_the_file_the_command_is_told_to_write(self, tmp_path: Path) -> None:
        (tmp_path / "suite.xml").write_text(SUITE, encoding="utf-8")
        ran = run_command(tmp_path, verifier('cp suite.xml "$CODEINTEL_JUNIT"; exit 1'))
        assert (ran.exit, ran.counts) == (1, {"tests": 4, "failures": 1, "errors": 1, "skipped": 1})

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


COUNTING = """---
match: ['**/*.py']
command: cp suite.xml "$CODEINTEL_JUNIT"
report: junit
---
Run it.
"""


def suite(tests: int, skipped: int = 0) -> str:
    cases = ["<testcase/>"] * (tests - skipped) + ["<testcase><skipped/></testcase>"] * skipped
    return f"<testsuite>{''.join(cases)}</testsuite>"


async def test_fewer_tests_and_new_skips_are_told_with_the_run_and_with_the_pass(
    call: Caller, change: Change, repo: Path, git: Callable[..., str]
) -> None:
    (repo / ".code-intel/verifiers").mkdir(parents=True)
    (repo / ".code-intel/verifiers/unit.md").write_text(COUNTING, encoding="utf-8")
    (repo / ".gitignore").write_text("suite.xml\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Verifier")
    trust(ProjectLibrary(repo))
    await play_to(call, change, 15, answers=False)
    (repo / "suite.xml").write_text(suite(5), encoding="utf-8")
    assert "warning" not in await call("run_verifier", name="unit")
    for _ in range(2):  # a thin suite run twice is not the measure
        (repo / "suite.xml").write_text(suite(4, skipped=1), encoding="utf-8")
        ran = await call("run_verifier", name="unit")
        assert ran["receipt"]["counts"] == {"tests": 4, "failures": 0, "errors": 0, "skipped": 1}
        assert "ran 4 tests, 5 before" in ran["warning"]
        assert "skipped 1 tests, 0 before" in ran["warning"]
    passed = {"verifier_used": "unit", "passed": True, "details": "It runs.", "summary": "It works."}
    reply = await call("submit_phase", data=passed)
    assert (reply["step"], "ran 4 tests, 5 before" in reply["warning"]) == (17, True)
