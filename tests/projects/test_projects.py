"""Fresh projects through their whole life: set up, worked on over stdio, upgraded, taken back, and nothing left."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeintel_server.cli import app
from codeintel_server.demo.change import Change
from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import connected
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.testing import in_memory, play_to
from codeintel_server.verification.trust import trust
from codeintel_templates import CLIENTS, SKILL, texts

Git = Callable[..., str]
Tree = Callable[[], dict[str, bytes]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def run(*words: str | Path) -> str:
    """What a command of `codeintel` says that does what it should."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


def commit(git: Git, project: Path) -> None:
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Set up codeintel")


def made(files: dict[str, bytes]) -> dict[str, bytes]:
    """Those of a tree that are not caches of the project's own tools."""
    return {name: data for name, data in files.items() if "__pycache__" not in name and ".pytest_cache" not in name}


def receipts_of(project: Path) -> dict[str, Any]:
    """The receipts of the runs in the archived checkpoint of the only session, by verifier."""
    (archived,) = (project / ".code-intel" / "sessions" / "archive").glob("*.json")
    found: dict[str, Any] = json.loads(archived.read_text(encoding="utf-8"))["orchestrator_state"]["receipts"]
    return found


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.usefixtures("runs_tests")
async def test_a_project_is_set_up_worked_on_and_left_as_it_was_but_for_the_work(
    project: Path, change: Change, kind: Any, git: Git, tree: Tree
) -> None:
    before = tree()
    said = run("init", project, "--client", "all")
    assert ("Commit what was written" in said, "codeintel trust, in a terminal, lets the server run" in said) == (
        True,
        True,
    )
    commit(git, project)
    trust(ProjectLibrary(project))
    async with connected(project) as client:
        player = Player(client, change, Script(verifier=kind.verifier))
        end = await player.play()
    assert (end.get("outcome"), player.refusals) == ("verified", []), end
    assert player.steps[-8:] == [11, 12, 13, 14, 15, 17, 18, 19]
    (receipt,) = receipts_of(project).values()
    assert (receipt["exit"], receipt.get("counts", {}).get("tests", 0)) == (0, kind.counted)
    assert (project / end["report"]).is_file()
    assert git(project, "status", "--porcelain") == ""
    assert "broken" not in run("doctor", project)
    assert "purge" in run("uninstall", project, "--purge")
    commit(git, project)
    after = made(tree())
    assert change.name() in after.pop(change.path).decode()
    del before[change.path]
    assert after == before
    assert git(project, "status", "--porcelain") == ""
    assert not (project / ".code-intel").exists()


@pytest.mark.sample
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_that_is_taken_back_uncommitted_leaves_nothing(
    client: str, project: Path, git: Git, tree: Tree
) -> None:
    before = tree()
    run("init", project, "--client", client)
    run("status", project)
    assert git(project, "status", "--porcelain") != ""
    run("uninstall", project, "--purge")
    assert tree() == before
    assert git(project, "status", "--porcelain", "--ignored") == ""


OLDER = "code-intel/task_planning.md"


@pytest.mark.sample
def test_an_older_installation_is_upgraded_around_what_its_user_changed(
    project: Path, git: Git, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, read = tree(), texts.read_template
    with monkeypatch.context() as older_release:
        older_release.setattr(
            texts, "read_template", lambda name: read(name) + ("\nold\n" if name.endswith(".md") else "")
        )
        run("init", project, "--client", "all")
    planning, config, servers = (project / name for name in (f".{OLDER}", ".code-intel/config.json", ".mcp.json"))
    planning.write_text("Mine.\n", encoding="utf-8")
    config.write_text(config.read_text(encoding="utf-8").replace("512", "256"), encoding="utf-8")
    theirs = json.loads(servers.read_text(encoding="utf-8"))
    theirs["mcpServers"]["other"] = {"command": "other"}
    servers.write_text(json.dumps(theirs), encoding="utf-8")
    said = run("upgrade", project)
    assert f"conflict .{OLDER}" in said
    assert (planning.read_text(encoding="utf-8"), '"chunk_max_tokens": 256' in config.read_text(encoding="utf-8")) == (
        "Mine.\n",
        True,
    )
    assert planning.with_name("task_planning.md.new").read_text(encoding="utf-8") == read(OLDER)
    assert (project / ".claude/skills/code/SKILL.md").read_text(encoding="utf-8") == read(SKILL)
    assert "0 changed" in run("upgrade", project)
    run("uninstall", project, "--purge")
    left = {name: data for name, data in tree().items() if name not in before}
    assert set(left) == {f".{OLDER}", ".code-intel/config.json", ".mcp.json", ".code-intel/.gitignore"}
    assert json.loads(left[".mcp.json"]) == {"mcpServers": {"other": {"command": "other"}}}
    assert git(project, "status", "--porcelain") == "?? .mcp.json"


@pytest.mark.sample
@pytest.mark.anyio
async def test_an_assertion_taken_out_of_a_test_is_told(project: Path, change: Change, kind: Any) -> None:
    async with in_memory(project) as call:
        player = await play_to(call, change, 13, flags={"quick": True})
        await call("add_explored_files", files=[kind.test])
        test = project / kind.test
        text = test.read_text(encoding="utf-8")
        assert kind.assertion in text
        test.write_text(text.replace(kind.assertion, ""), encoding="utf-8")
        player.script.stop_before = 0
        await player.go_on()
    assert player.reply["phase"] == "SESSION_COMPLETE"
    told = f"Tests promise less than before: {kind.test}: "
    assert told in player.reply["warning"]
    assert told in run("report", "--project", project, "--format", "json", "-o", "-")
