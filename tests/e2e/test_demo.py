"""The demonstration, as the README says to run it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_server.demo.stage import find_change, install
from codeintel_session.testing import make_repo

Git = Callable[..., str]


def demo(repo: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "codeintel_server", "demo", *options]
    return subprocess.run(command, cwd=repo, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_demo_plays_the_default_path_to_the_merged_commit(repo: Path, git: Git) -> None:
    before = (git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain", "--ignored"))
    done = demo(repo)
    assert done.returncode == 0, done.stdout + done.stderr
    for step in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19):
        assert f"\n{step:>2} " in done.stdout
    for refusal in (
        "phase_mismatch",
        "unobserved_tools",
        "nothing is implemented",
        "verification_receipt_failed",
    ):
        assert refusal in done.stdout
    red, green = done.stdout.index("demo.md runs red"), done.stdout.index("demo.md runs green")
    assert red < green < done.stdout.index("(verified): verified: demo.md passed")
    assert "Code-Intel-Verified: " in done.stdout
    assert "is merged into main" in done.stdout
    assert "Code-Intel-Session: " in done.stdout
    assert (git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain", "--ignored")) == before


@pytest.mark.slow
def test_flags_that_do_not_fit_are_refused(repo: Path) -> None:
    done = demo(repo, "--flags", "fast,gate_level=full")
    assert (done.returncode, "invalid_flags" in done.stdout) == (1, True), done.stdout + done.stderr


@pytest.mark.slow
def test_the_demo_plays_quickly_and_where_codeintel_is_installed_already(repo: Path, git: Git) -> None:
    install(repo)
    assert git(repo, "log", "-1", "--format=%s").strip() == "Set up codeintel"
    done = demo(repo, "--flags", "quick")
    assert (done.returncode, "codeintel init wrote" in done.stdout) == (0, False), done.stdout + done.stderr
    assert "left in the working tree" in done.stdout


def test_the_demo_takes_a_name_that_is_free(repo: Path, git: Git) -> None:
    (repo / "src/used.py").write_text("def total_and_mean():\n    return 0, 0\n", encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Use the name")
    assert find_change(repo).name(2) == "sum_and_average_2"


@pytest.mark.slow
def test_a_terminal_that_knows_few_characters_stops_no_command(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    install(repo)
    done = demo(repo, "--flags", "only_explore")
    assert (done.returncode, "+ find_definitions(count_all)" in done.stdout) == (0, True), done.stdout + done.stderr
    assert "The investigation is complete" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lib/shop.rb", "def price(x)\n  x * 2\nend\n"),
        ("src/Shop.java", "class Shop {\n    static int price(int x) {\n        return 2 * x;\n    }\n}\n"),
        ("NOTES.md", "# Prices\n\nA price is twice its cost.\n"),
    ],
)
def test_the_demo_is_verified_in_any_language_and_without_one(tmp_path: Path, name: str, text: str) -> None:
    done = demo(make_repo(tmp_path / "other", {name: text}).root, "--flags", "quick")
    assert (done.returncode, "(verified): " in done.stdout) == (0, True), done.stdout + done.stderr
