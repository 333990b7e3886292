"""The server's own run of a verifier: what it counts, and what is said when tests went missing."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codeintel_contract.violations import ContractViolation
from codeintel_server.demo.change import Change
from codeintel_server.library import ProjectLibrary
from codeintel_server.testing import Caller, play_to
from codeintel_server.trust import is_trusted, state_file, trust
from codeintel_server.verify import OUTPUT_BYTES, run_command
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


class TestRun:
    def test_is_in_the_projects_folder_with_nothing_to_read(self, tmp_path: Path) -> None:
        (tmp_path / "here.txt").write_text("found", encoding="utf-8")
        ran = run_command(tmp_path, verifier("cat here.txt -; echo oops >&2; exit 3", "none"))
        assert (ran.exit, ran.output) == (3, "foundoops\n")

    def test_keeps_the_end_of_a_long_output_and_says_how_much_it_left_out(self, tmp_path: Path) -> None:
        line = "x" * 99
        ran = run_command(
            tmp_path, verifier(f"yes {line} | head -c 50000000; printf '\\033[31mFAILED\\033[0m é'", "none")
        )
        assert ran.output.startswith(f"[{50_000_000 + 18 - OUTPUT_BYTES} bytes before this]\n")
        assert ran.output.endswith("x\nFAILED é")
        assert len(ran.output) < OUTPUT_BYTES + 100

    def test_is_stopped_at_its_limit_with_all_it_started(self, tmp_path: Path) -> None:
        slow = replace(verifier("(sleep 60; touch late) & echo $! > child; echo step one; wait", "none"), timeout_s=0.5)
        with pytest.raises(ContractViolation, match="tool_timeout") as caught:
            run_command(tmp_path, slow)
        assert caught.value.values["output"] == "step one"
        assert is_gone(int((tmp_path / "child").read_text()))

    def test_ends_with_its_command_and_leaves_nothing_running(self, tmp_path: Path) -> None:
        ran = run_command(tmp_path, verifier("sleep 60 & echo $!", "none"))
        assert (ran.exit, is_gone(int(ran.output))) == (0, True)


def is_gone(pid: int) -> bool:
    """Whether a process ended; one that nobody waited for yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


class TestTrust:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        (tmp_path / ".code-intel/verifiers").mkdir(parents=True)
        (tmp_path / ".code-intel/verifiers/unit.md").write_text(COUNTING, encoding="utf-8")
        (tmp_path / ".code-intel/verifiers/prose.md").write_text("Look at it.\n", encoding="utf-8")
        return tmp_path

    def test_is_kept_with_the_user_and_not_in_the_project(self, project: Path) -> None:
        before = sorted(project.rglob("*"))
        assert not is_trusted(ProjectLibrary(project))
        trust(ProjectLibrary(project))
        assert (is_trusted(ProjectLibrary(project)), sorted(project.rglob("*"))) == (True, before)
        assert str(project) in state_file().read_text(encoding="utf-8")
        assert not state_file().is_relative_to(project)

    @pytest.mark.parametrize(
        ("file", "text"),
        [
            ("verifiers/unit.md", COUNTING.replace("cp suite.xml", "curl example.org")),
            ("verifiers/unit.md", COUNTING.replace("Run it.", "Run it as root.")),
            ("verifiers/more.md", "---\ncommand: make\n---\n"),
            ("phase_contract.yml", "phases: {Q1: {instruction: Think.}}\n"),
        ],
    )
    def test_ends_when_what_was_agreed_to_changes(self, file: str, text: str, project: Path) -> None:
        trust(ProjectLibrary(project))
        (project / ".code-intel" / file).write_text(text, encoding="utf-8")
        assert not is_trusted(ProjectLibrary(project))

    def test_is_not_asked_again_for_a_verifier_that_runs_nothing(self, project: Path) -> None:
        trust(ProjectLibrary(project))
        (project / ".code-intel/verifiers/prose.md").write_text("Look twice.\n", encoding="utf-8")
        assert is_trusted(ProjectLibrary(project))

    def test_that_cannot_be_read_is_none_and_can_be_given_anew(self, project: Path) -> None:
        trust(ProjectLibrary(project))
        state_file().write_text("{", encoding="utf-8")
        assert not is_trusted(ProjectLibrary(project))
        trust(ProjectLibrary(project))
        assert is_trusted(ProjectLibrary(project))


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
