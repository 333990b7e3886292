"""A folder of a repository as a project of its own: set up, found, served, guarded, kept apart from its neighbors."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeintel_contract import WritePolicy
from codeintel_server.cli import app
from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import find_change
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.roots import RECORD, find_root
from codeintel_server.testing import in_memory, write_gate
from codeintel_server.verification.trust import trust
from codeintel_session.testing import make_repo
from codeintel_templates import RECORD as RECORD_OF_TEMPLATES, apply, plan

pytestmark = pytest.mark.draws(6)

run = CliRunner().invoke
START = {"intent": "QUESTION", "query": "Where are numbers counted?"}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with two services and a library, none of them a project yet."""
    source = "def count_all(values):\n    return len(values)\n"
    services = {f"services/{name}/src/{name}.py": source for name in ("api", "web")}
    return make_repo(tmp_path / "mono", {**services, "libs/shared.py": source, ".gitignore": "build/\n"}).root


@pytest.fixture
def api(top: Path) -> Path:
    """The project `services/api`, set up and committed."""
    return project(top, "services/api")


def project(top: Path, name: str) -> Path:
    apply(plan(top / name, clients=["claude"]))
    for words in (["add", "--all"], ["commit", "--quiet", "--message", f"Set up {name}"]):
        subprocess.run(["git", *words], cwd=top, check=True)
    return top / name


def test_init_makes_the_named_folder_a_project_and_all_commands_find_it(top: Path) -> None:
    done = run(app, ["init", str(top), "--project", "services/api", "--client", "claude", "--yes"])
    assert done.exit_code == 0, done.output
    assert (top / "services/api/.mcp.json").is_file()
    assert not (top / ".code-intel").exists()
    assert not (top / ".mcp.json").exists()
    api, record = top / "services/api", json.loads((top / "services/api" / RECORD).read_text())
    assert (record["clients"], RECORD) == (["claude"], RECORD_OF_TEMPLATES)
    assert (find_root(api / "src"), find_root(top / "libs")) == (api, top)
    assert run(app, ["init", str(api / "src"), "--yes"]).exit_code == 0
    assert not (top / ".code-intel").exists()
    assert run(app, ["uninstall", str(api / "src")]).exit_code == 0
    assert not (api / ".mcp.json").exists()


@pytest.mark.parametrize(
    ("set_up", "words", "said"),
    [
        ("", ["--project", "services/none"], "there is no such folder"),
        ("", ["--project", "build"], "git ignores"),
        ("services/api", ["--project", "services"], "is a project already"),
        ("services/api", ["--project", "services/api/src"], "is a project already"),
        ("services/api", [], "is a project already"),
        (".", ["--project", "services/api"], "is a project already"),
    ],
)
def test_what_cannot_be_a_project_is_refused_with_the_next_step(
    top: Path, set_up: str, words: list[str], said: str
) -> None:
    (top / "build").mkdir()
    if set_up:
        project(top, set_up)
    done = run(app, ["init", str(top), *words, "--client", "claude", "--yes"])
    assert (done.exit_code, said in done.output) == (2, True), done.output


@pytest.mark.anyio
async def test_search_keeps_to_the_folder(api: Path) -> None:
    async with in_memory(api / "src") as call:
        found = await call("find_definitions", symbol="count_all")
        assert [one["path"] for one in found["definitions"]] == ["src/api.py"]
        assert (await call.call("get_symbols", {"path": "../../libs/shared.py"}))["error"] == "path_outside_project"


@pytest.mark.anyio
async def test_a_work_tree_has_one_session_whichever_project_it_is_in(api: Path, top: Path) -> None:
    web = project(top, "services/web")
    async with in_memory(api) as one, in_memory(web) as other:
        assert (await one("start_session", **START))["success"]
        refused = await other.call("start_session", START)
        assert (refused["error"], "git worktree add" in refused["message"]) == ("session_active", True)
        await one("record_outcome", outcome="abandoned")
        assert (await other("start_session", **START))["success"]


class Neighbor:
    """Changes the library while the agent works, once in a phase that forbids writing and once in the open one."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.said: list[str] = []

    def called(self, tool: str, arguments: dict[str, Any], reply: dict[str, Any]) -> None:
        if reply.get("phase") == "EXPLORATION" or reply.get("ready_substep") == "implement":
            self.file.write_text(self.file.read_text() + "# changed\n")
        self.said.append(json.dumps(reply))

    def note(self, text: str) -> None: ...


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_session_runs_to_its_merge_and_leaves_out_what_changes_outside(
    api: Path, top: Path, git: Callable[..., str]
) -> None:
    verifier = "---\nmatch: ['**/*']\ncommand: 'cat ../../libs/shared.py && echo 1 passed in 0.1s'\n---\nRun it.\n"
    (api / ".code-intel/verifiers/tests.md").write_text(verifier, encoding="utf-8")
    project(top, "services/api")
    trust(ProjectLibrary(api))
    neighbor = Neighbor(top / "libs/shared.py")
    async with in_memory(api) as call:
        script = Script(answers=False, verifier="tests.md")
        end = await Player(call.client, find_change(api), script, neighbor).play()
    assert end["phase"] == "SESSION_COMPLETE", end
    report = json.loads(run(app, ["report", "--format", "json", "--project", str(api)]).output)
    assert report["outcome"] == "verified"
    assert any("../../libs/shared.py" in said for said in neighbor.said)
    assert git(top, "status", "--porcelain").split() == ["M", "libs/shared.py"]
    changed = git(top, "show", "--first-parent", "--name-only", "--format=", "HEAD").split()
    assert changed
    assert all(name.startswith("services/api/") for name in changed)


def test_a_write_outside_is_stopped_from_wherever_the_agent_stands(
    api: Path, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gate(api, WritePolicy("READY (implement)", True, explored={"src/api.py"}, folders={"src"}))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(api))

    def ask(cwd: Path, path: Path) -> str:
        call = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": str(path)}}
        words = [sys.executable, "-m", "codeintel_server.guard.main", "--client", "claude"]
        done = subprocess.run(words, input=json.dumps({**call, "cwd": str(cwd)}), capture_output=True, text=True)
        return done.stdout

    for cwd in (api, top):
        assert ask(cwd, api / "src/api.py") == ""
        assert "deny" in ask(cwd, top / "libs/shared.py")
