"""The command line: what it prints, what it exits with, and that a user's mistake is one line."""

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeintel_templates.cli import app
from codeintel_templates.manifest import all_rows

pytestmark = pytest.mark.draws(6)

Run = Callable[..., Any]


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in the project."""
    monkeypatch.chdir(project)
    return lambda *args: CliRunner().invoke(app, list(args))


@pytest.mark.parametrize("command", ["list", "install", "diff", "upgrade", "uninstall"])
def test_every_command_has_help_with_examples(command: str, run: Run) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"codeintel-templates {command}" in result.stdout


def test_list_shows_every_file_and_component(run: Run) -> None:
    result = run("list")
    for row in all_rows():
        assert row.destination in result.stdout
        assert row.component in result.stdout
    assert len(json.loads(run("list", "--json").stdout)["files"]) == len(all_rows())


def test_a_dry_run_writes_nothing_and_says_so(run: Run, tree: Callable[[], dict[str, bytes]]) -> None:
    before = tree()
    result = run("install", "--dry-run")
    assert "Nothing was written" in result.stdout
    assert tree() == before


def test_install_says_what_it_did_and_what_comes_next(run: Run) -> None:
    result = run("install")
    assert result.exit_code == 0
    assert "create   .mcp.json" in result.stdout
    assert "/code" in result.stdout
    assert "0 changed" in run("install").stdout


def test_the_whole_round_is_open_to_a_program(run: Run) -> None:
    made = json.loads(run("install", "--client", "all", "--json").stdout)
    assert made["applied"] is True
    assert {action["kind"] for action in made["actions"]} == {"create"}
    assert json.loads(run("diff", "--json").stdout) == {"changes": []}
    upgraded = json.loads(run("upgrade", "--command", "uvx codeintel", "--json").stdout)
    assert "merge" in {action["kind"] for action in upgraded["actions"]}
    removed = json.loads(run("uninstall", "--json").stdout)
    assert "remove" in {action["kind"] for action in removed["actions"]}


def test_diff_exits_1_when_something_would_change_and_0_when_not(run: Run) -> None:
    before = run("diff", "--include", "mcp")
    assert before.exit_code == 1
    assert '+    "code-intel": {' in before.stdout
    run("install")
    assert run("diff").exit_code == 0
    Path(".mcp.json").chmod(0o444)  # which is in the way of a change alone
    assert run("diff").exit_code == 0


def test_diff_shows_what_a_new_command_would_change(run: Run) -> None:
    run("install")
    shown = run("diff", "--command", "uvx codeintel").stdout
    assert '-      "command": "codeintel",' in shown
    assert '+      "command": "uvx",' in shown


@pytest.mark.parametrize(
    "args",
    [
        ("install", "nowhere"),
        ("install", "--client", "emacs"),
        ("install", "--include", "hats"),
        ("install", "--command", "'unclosed"),
        ("install", "--command", " "),
        ("upgrade",),
        ("list", "--client", "emacs"),
        ("frobnicate",),
    ],
)
def test_a_request_that_makes_no_sense_exits_2_without_a_traceback(args: tuple[str, ...], run: Run) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_broken_file_exits_1_and_is_named_with_its_line(project: Path, run: Run) -> None:
    (project / ".mcp.json").write_text('{\n"a": }', encoding="utf-8")
    result = run("install")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: .mcp.json:2: ")
    assert result.stdout == ""


def test_advice_names_only_options_that_the_command_has(project: Path, run: Run) -> None:
    assert run("--version").stdout == f"codeintel-templates {version('codeintel-templates')}\n"
    run("install")
    (project / ".mcp.json").write_text('{\n"a": }', encoding="utf-8")
    assert "leave it out with --exclude" in run("install").stderr
    for command in ("upgrade", "uninstall"):
        assert run(command).stderr.endswith("Nothing was written. Correct it, then run this again.\n")


def test_a_purge_does_not_advise_a_purge(project: Path, run: Run) -> None:
    run("install")
    (project / ".code-intel/mine.md").write_text("# Mine\n", encoding="utf-8")
    assert "holds 1 file that sessions left or you made" in run("uninstall", "--dry-run").stdout
    assert "holds 1 file that you made or changed; delete the folder" in run("uninstall", "--purge").stdout


def test_a_conflict_is_shown_with_the_file_to_compare(project: Path, run: Run) -> None:
    path = project / ".claude/skills/code/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("[mine]\n", encoding="utf-8")
    result = run("install")
    assert result.exit_code == 0
    assert "conflict .claude/skills/code/SKILL.md" in result.stdout
    assert "SKILL.md.new" in result.stdout
