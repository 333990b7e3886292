"""The server's own run of a verifier: where and how long it runs, what it leaves, and when it may run."""

import shlex
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from codeintel_server.project.library import ProjectLibrary
from codeintel_server.verification.runner import OUTPUT_BYTES, last_lines, run_command
from codeintel_server.verification.trust import is_trusted, state_file, trust
from codeintel_session.ports import Verifier

pytestmark = [pytest.mark.draws(6), pytest.mark.anyio]
PYTHON = shlex.quote(sys.executable)


def verifier(command: str, report: str = "junit") -> Verifier:
    return Verifier("unit.md", "", command=command, report=report, timeout_s=20)


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

    def test_keeps_the_end_of_a_long_output_and_shows_whole_lines_of_it(self, tmp_path: Path) -> None:
        line = "x" * 99
        ran = run_command(
            tmp_path, verifier(f"yes {line} | head -c 10000000; printf '\\033[31mFAILED\\033[0m é'", "none")
        )
        assert ran.output.endswith("x\nFAILED é")
        assert len(ran.output) <= OUTPUT_BYTES
        assert last_lines(ran.output, 4000).startswith(f"[{len(ran.output) - 3908} characters before this]\nxxx")

    def test_counts_what_was_printed_before_the_end_that_is_kept(self, tmp_path: Path) -> None:
        tap = 'for n in $(seq 40); do echo "ok $n - file $n"; done'
        line = "x" * 99
        ran = run_command(
            tmp_path,
            verifier(
                f"{tap}; yes {line} | head -c 300000; echo; printf 'ok 99 - %01000d\\n' 1; printf 'not ok 41 - é'",
                "none",
            ),
        )
        assert (ran.counts["tests"], ran.counts["failures"]) == (41, 1)
        assert "ok 40" not in ran.output
        counter = verifier("printf '\\r3 passed, 0 failed\\r4 passed, 0 failed\\n5 passed, 0 failed\\n'", "none")
        assert run_command(tmp_path, counter).counts["tests"] == 5, "what a progress line overwrites sums up nothing"
        rust = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured"
        ran = run_command(tmp_path, verifier(f"echo '{rust}'; yes {line} | head -c 300000; echo '{rust}'", "none"))
        assert (ran.counts["tests"], ran.counts["skipped"]) == (8, 2)

    @pytest.mark.skipif(shutil.which("prove") is None, reason="needs Perl")
    def test_of_perl_counts_what_prove_sums_up(self, tmp_path: Path) -> None:
        (tmp_path / "t/deep").mkdir(parents=True)
        tests = "ok 1; ok 0; is 1, 2; subtest b => sub { ok 1; ok 1 }"
        (tmp_path / "t/a.t").write_text(f"use Test::More; {tests}; done_testing;")
        (tmp_path / "t/deep/c.t").write_text("use Test::More; ok 1; done_testing;")
        ran = run_command(tmp_path, verifier("prove -lr", "none"))
        assert (ran.counts["tests"], ran.counts["failures"]) == (5, 2), ran.output

    def test_is_stopped_at_its_limit_with_all_it_started(self, tmp_path: Path) -> None:
        slow = replace(verifier("(sleep 60; touch late) & echo $! > child; echo step one; wait", "none"), timeout_s=0.5)
        ran = run_command(tmp_path, slow)
        assert (ran.timed_out, ran.output) == (True, "step one\n")
        assert is_gone(int((tmp_path / "child").read_text()))

    def test_ends_with_its_command_and_leaves_nothing_running(self, tmp_path: Path) -> None:
        ran = run_command(tmp_path, verifier("sleep 60 & echo $!", "none"))
        assert (ran.exit, is_gone(int(ran.output))) == (0, True)

    @pytest.mark.parametrize(
        "command",
        [
            f"{PYTHON} -c 'import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(60)' & sleep 0.5",
            "(sh -c 'sleep 60 & echo $!') & wait; sleep 0.1",
            f"env -i {PYTHON} -c 'import os, time; print(os.getpid(), flush=True); time.sleep(60)' & sleep 0.5",
            f"env -i {PYTHON} -c 'import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(60)' & "
            "sleep 1.5",
        ],
        ids=[
            "in a session of its own",
            "of a parent that has ended",
            "without an environment",
            "seen once, with neither",
        ],
    )
    def test_stops_a_process(self, tmp_path: Path, command: str) -> None:
        ran = run_command(tmp_path, verifier(command, "none"))
        assert (ran.exit, is_gone(int(ran.output))) == (0, True)

    def test_stops_a_whole_tree_at_its_limit(self, tmp_path: Path) -> None:
        nest = "import os, subprocess, sys, time; n = int(sys.argv[1]); open('pids', 'a').write(f'{os.getpid()}\\n'); "
        nest += "n and [subprocess.Popen([sys.executable, __file__, str(n - 1)]) for _ in range(2)]; time.sleep(60)"
        (tmp_path / "nest.py").write_text(nest, encoding="utf-8")
        slow = replace(verifier(f"{PYTHON} nest.py 2", "none"), timeout_s=2)
        assert run_command(tmp_path, slow).timed_out
        pids = [int(pid) for pid in (tmp_path / "pids").read_text(encoding="utf-8").split()]
        assert len(pids) > 1
        assert all(map(is_gone, pids))


def is_gone(pid: int) -> bool:
    """Whether a process ended; one that nobody waited for yet has. What was killed takes a moment on a busy machine."""
    for _ in range(50):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.1)
    return False


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
