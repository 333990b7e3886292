"""The command line as a user types it: what it says, what it does, how it ends."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from codeintel_index.cli.app import app as index_app
from codeintel_server.cli import app, consent
from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import find_change
from codeintel_server.testing import in_memory
from codeintel_session.testing import make_repo
from codeintel_templates.cli import app as templates_app

pytestmark = pytest.mark.draws(18)

run = CliRunner()


@pytest.fixture
def here(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in the repository."""
    monkeypatch.chdir(repo)
    return repo


def test_init_twice_changes_nothing_and_uninstall_takes_it_back(here: Path, git: Callable[..., str]) -> None:
    assert run.invoke(app, ["init"]).exit_code == 0
    assert (here / ".mcp.json").is_file()
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    second = run.invoke(app, ["init"])
    assert (second.exit_code, "0 changed" in second.output) == (0, True)
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before
    assert run.invoke(app, ["uninstall"]).exit_code == 0
    assert git(here, "status", "--porcelain") == ""


def test_init_says_what_it_would_write_and_writes_nothing(here: Path, git: Callable[..., str]) -> None:
    done = run.invoke(app, ["init", "--dry-run", "--client", "all"])
    assert (done.exit_code, ".codex/config.toml" in done.output) == (0, True)
    assert git(here, "status", "--porcelain") == ""


def test_init_of_an_unknown_client_is_a_usage_error(here: Path) -> None:
    done = run.invoke(app, ["init", "--client", "emacs"])
    assert (done.exit_code, "claude" in done.output + str(done.stderr)) == (2, True)


def test_files_that_are_committed_hold_no_absolute_path(here: Path) -> None:
    run.invoke(app, ["init", "--client", "all"])
    texts = [path.read_text("utf-8") for path in here.rglob("*") if path.is_file() and ".git/" not in str(path)]
    assert not any(str(here.parent) in text for text in texts)


def test_trust_shows_the_commands_before_it_remembers_them(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nothing to trust" in run.invoke(app, ["trust"]).output
    (here / ".code-intel/verifiers").mkdir(parents=True)
    (here / ".code-intel/verifiers/t.md").write_text("---\nmatch: ['*']\ncommand: make test\n---\n", encoding="utf-8")
    unasked = run.invoke(app, ["trust"], input="y\n")
    assert (unasked.exit_code, "it needs a terminal" in unasked.output + unasked.stderr) == (1, True)
    monkeypatch.setattr(consent, "can_answer", lambda: True)
    refused = run.invoke(app, ["trust"], input="n\n")
    assert (refused.exit_code, "make test" in refused.output) == (1, True)
    assert run.invoke(app, ["trust"], input="y\n").exit_code == 0


@pytest.mark.anyio
async def test_brief_says_where_the_session_stands_and_the_next_reply_carries_the_summaries(here: Path) -> None:
    assert run.invoke(app, ["brief"]).output == ""
    async with in_memory(here) as call:
        player = Player(call.client, find_change(here), Script(answers=False, stop_before=13))
        await player.play()
        brief = run.invoke(app, ["brief"]).output
        await call("check_write_target", file_path="src/stats.py")
        player.script.stop_before = 14
        await player.go_on()
    assert "READY implement" in brief
    assert "total_and_mean" in brief
    assert len(brief) <= 4000
    assert "step_05_EXPLORATION" in player.reply["phase_summaries"]


def test_undo_lists_and_brings_back_what_was_deleted(here: Path, git: Callable[..., str]) -> None:
    assert "Nothing was deleted" in run.invoke(app, ["undo"]).output
    git(here, "update-ref", "refs/codeintel/trash/llm_task_1_from_main", "HEAD")
    assert "refs/codeintel/trash/llm_task_1_from_main" in run.invoke(app, ["undo"]).output
    done = run.invoke(app, ["undo", "refs/codeintel/trash/llm_task_1_from_main"])
    assert (done.exit_code, "llm_task_1_from_main" in git(here, "branch", "--list")) == (0, True)
    assert run.invoke(app, ["undo", "refs/codeintel/trash/none"]).exit_code == 1


def test_undo_outside_a_repository_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run.invoke(app, ["undo"])
    assert done.exit_code == 1
    assert done.output.startswith(
        f"codeintel undo: {tmp_path} is in no git work tree: run it in the folder of a project"
    )
    assert "`codeintel init` sets the project up" in run.invoke(app, ["sessions"]).output


def test_help_shows_no_type_for_what_takes_no_value() -> None:
    shown = run.invoke(app, ["init", "--help"]).output
    assert "--dry-run" in shown
    assert "bool" not in shown


@pytest.mark.parametrize("program", [app, index_app, templates_app], ids=["server", "index", "templates"])
def test_help_shows_no_type_of_python_beside_an_option(program: typer.Typer) -> None:
    listed = typer.main.get_group(program).commands
    for name in listed:
        shown = " ".join(run.invoke(program, [name, "--help"]).output.split())
        assert ("list[" in shown, re.findall(r"--[\w-]+ <[^>]*>", shown)) == (False, []), name


def test_contract_check_names_the_line(here: Path) -> None:
    assert run.invoke(app, ["contract", "check"]).exit_code == 0
    (here / "mine.yml").write_text("phases:\n  Q1:\n    instructon: x\n", encoding="utf-8")
    done = run.invoke(app, ["contract", "check", "mine.yml"])
    assert (done.exit_code, "mine.yml:3" in done.output, "instruction" in done.output) == (1, True, True)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["diagram"], 0, "12 READY (plan)"),
        (["diagram", "--flags", "quick,no_verify", "--format", "mermaid"], 0, "s14 --> s20"),
        (["diagram", "--format", "svg"], 0, "</svg>"),
        (["diagram", "--format", "png"], 2, "mermaid"),
        (["diagram", "--flags", "warp"], 2, "warp"),
        (["show"], 0, "13 READY_IMPL"),
        (["show", "ready_impl"], 0, "check_write_target"),
        (["show", "LUNCH"], 2, "LUNCH"),
    ],
)
def test_the_contract_can_be_shown_and_drawn(here: Path, arguments: list[str], code: int, said: str) -> None:
    done = run.invoke(app, ["contract", *arguments])
    assert (done.exit_code, said in done.output) == (code, True)


@pytest.mark.parametrize("command", ["init", "uninstall", "serve", "demo", "trust", "undo", "brief", "contract"])
def test_every_command_explains_itself(command: str) -> None:
    done = run.invoke(app, [command, "--help"])
    assert (done.exit_code, "usage" in done.output.lower()) == (0, True)


def test_help_and_guard_do_not_import_what_they_do_not_need() -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom codeintel_server.cli import app\n"
        "CliRunner().invoke(app, ['--help'])\n"
        "print([name for name in ('mcp', 'chromadb', 'git', 'numpy', 'tree_sitter') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_demo_of_what_is_no_repository_says_so(tmp_path: Path) -> None:
    done = run.invoke(app, ["demo", str(tmp_path)])
    assert (done.exit_code, "in no git repository" in done.output) == (2, True)


def test_a_demo_of_a_repository_without_code_says_so(tmp_path: Path, git: Callable[..., str]) -> None:
    git(tmp_path, "init", "--quiet")
    git(
        tmp_path,
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.invalid",
        "commit",
        "--allow-empty",
        "--quiet",
        "-m",
        "x",
    )
    done = run.invoke(app, ["demo", str(tmp_path)])
    assert (done.exit_code, "no file that holds text" in done.output) == (2, True)


@pytest.mark.parametrize(
    "command",
    [
        "init FOLDER",
        "demo FOLDER",
        "status FOLDER",
        "stats FOLDER",
        "doctor FOLDER",
        "trust FOLDER",
        "report --project FOLDER",
    ],
)
def test_a_folder_that_is_not_there_is_named_and_nothing_else_happens(command: str, tmp_path: Path) -> None:
    done = run.invoke(app, command.replace("FOLDER", str(tmp_path / "gone")).split(), env={"COLUMNS": "400"})
    assert (done.exit_code, "gone" in done.output) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("uninstall FOLDER", 0, "Nothing is installed here."),
        ("upgrade FOLDER", 2, "run `codeintel init` first"),
        ("demo FOLDER", 2, "it is in no git repository; name one"),
        ("outcome success --project FOLDER", 2, "No session has ended"),
    ],
)
def test_where_nothing_is_set_up_a_sentence_says_so_and_nothing_is_left_behind(
    command: str, code: int, said: str, tmp_path: Path
) -> None:
    done = run.invoke(app, command.replace("FOLDER", str(tmp_path)).split(), env={"COLUMNS": "400"})
    assert (done.exit_code, said in done.output) == (code, True)
    assert list(tmp_path.iterdir()) == []


def test_the_demo_says_that_a_repository_has_no_commit(tmp_path: Path) -> None:
    make_repo(tmp_path / "new", commit=False)
    done = run.invoke(app, ["demo", str(tmp_path / "new")])
    assert (done.exit_code, "it has no commit yet" in done.output) == (2, True)
