"""Uninstalling takes back exactly what was put: bytes, folders, and not a file more."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_templates import CLIENTS
from codeintel_templates.copy import Kind, Plan, apply, plan, plan_uninstall, plan_upgrade, take_back
from codeintel_templates.errors import BrokenFile

pytestmark = pytest.mark.draws(18)

Tree = dict[str, bytes]
Install = Callable[..., Plan]

MERGED = {
    ".mcp.json": '{ "mcpServers":\n\t{ "other" : {"command":"x"}   } }',
    ".cursor/mcp.json": '{\r\n  "mcpServers": { }\r\n}',
    ".vscode/mcp.json": '\ufeff{\n    "inputs": [ ],\n    "servers": {}\n}\n\n',
    ".codex/config.toml": '# mine\nmodel = "m"   # spaced\n\n[mcp_servers.other]\ncommand = "x"\n\n\n',
    ".gemini/settings.json": '// mine\n{\n  "x": 1, // why\n  "hooks": {"Before": [ {"hooks": []} ] }\n}\n',
    ".qwen/settings.json": '{"mcpServers": {\t"other": {"command": "x"}}, "$version": 4,}',
    "opencode.json": '{\n  // mine\n  "mcp": {},\n}\n',
    ".github/mcp.json": "{ }\n",
}


@pytest.fixture
def merged_files(project: Path, commit: Callable[[], None]) -> None:
    """Configurations of every client, oddly laid out and committed."""
    for path, text in MERGED.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_bytes(text.encode())
    commit()


@pytest.mark.parametrize("client", [*CLIENTS, "all"])
def test_git_status_is_clean_afterwards_and_no_folder_is_left(
    client: str, project: Path, install: Install, git: Callable[..., str], tree: Callable[[], Tree]
) -> None:
    folders = {path for path in project.iterdir() if path.is_dir()}
    before = tree()
    install(clients=(client,))
    assert git("status", "--porcelain")
    take_back(plan_uninstall(project))
    assert git("status", "--porcelain", "--ignored") == ""
    assert tree() == before
    assert {path for path in project.iterdir() if path.is_dir()} == folders


@pytest.mark.usefixtures("merged_files")
def test_merged_files_are_restored_byte_for_byte(
    project: Path, install: Install, git: Callable[..., str], tree: Callable[[], Tree]
) -> None:
    before = tree()
    install(clients=("all",))
    changed = {path for path in MERGED if tree()[path] != before[path]}
    assert changed == set(MERGED)
    take_back(plan_uninstall(project))
    assert tree() == before
    assert git("status", "--porcelain", "--ignored") == ""


@pytest.mark.usefixtures("merged_files")
def test_they_are_restored_after_an_upgrade_too(project: Path, install: Install, tree: Callable[[], Tree]) -> None:
    before = tree()
    install(clients=("all",))
    apply(plan_upgrade(project, command=("uvx", "--from", "codeintel-server", "codeintel")))
    take_back(plan_uninstall(project))
    assert tree() == before


@pytest.mark.usefixtures("merged_files")
def test_what_others_added_since_stays(project: Path, install: Install) -> None:
    install(clients=("all",))
    path, toml = project / ".mcp.json", project / ".codex/config.toml"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["mcpServers"]["later"] = {"command": "y"}
    path.write_text(json.dumps(data, indent=4), encoding="utf-8")
    toml.write_text(toml.read_text(encoding="utf-8") + "\n[later] # new\nx = 1\n", encoding="utf-8")
    take_back(plan_uninstall(project))
    assert list(json.loads(path.read_text(encoding="utf-8"))["mcpServers"]) == ["other", "later"]
    assert set(tomllib.loads(toml.read_text(encoding="utf-8"))["mcp_servers"]) == {"other"}
    assert "[later] # new" in toml.read_text(encoding="utf-8")


def test_a_file_we_made_stays_when_others_use_it_now(project: Path, install: Install) -> None:
    install()
    path = project / ".mcp.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["mcpServers"]["later"] = {"command": "y"}
    path.write_text(json.dumps(data), encoding="utf-8")
    take_back(plan_uninstall(project))
    assert json.loads(path.read_text(encoding="utf-8")) == {"mcpServers": {"later": {"command": "y"}}}


def test_files_and_entries_the_user_changed_stay(project: Path, install: Install) -> None:
    install()
    skill, config = project / ".claude/skills/code/SKILL.md", project / ".mcp.json"
    skill.write_text("mine\n", encoding="utf-8")
    config.write_text('{"mcpServers": {"code-intel": {"command": "mine"}}}', encoding="utf-8")
    report = take_back(plan_uninstall(project))
    assert skill.read_text(encoding="utf-8") == "mine\n"
    assert "mine" in config.read_text(encoding="utf-8")
    left = {action.path for action in report.actions if action.reason.startswith("left")}
    assert left == {".claude/skills/code/SKILL.md", ".mcp.json"}


def test_offers_are_taken_back_with_the_rest(project: Path, install: Install, tree: Callable[[], Tree]) -> None:
    skill = project / ".claude/skills/code/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("mine\n", encoding="utf-8")
    (project / ".mcp.json").write_text('{"mcpServers": {"code-intel": {"command": "mine"}}}', encoding="utf-8")
    before = tree()
    assert [action.kind for action in install().actions].count(Kind.CONFLICT) == 2
    take_back(plan_uninstall(project))
    assert tree() == before


def test_what_the_server_learned_stays_and_stays_hidden(
    project: Path, install: Install, git: Callable[..., str]
) -> None:
    install()
    learned = project / ".code-intel/agreements/a.md"
    learned.parent.mkdir()
    learned.write_text("x", encoding="utf-8")
    report = take_back(plan_uninstall(project))
    assert learned.exists()
    assert git("status", "--porcelain") == ""
    assert report.notices
    assert [a for a in apply(plan(project)).actions if a.kind == "conflict"] == []


def test_a_merged_file_that_broke_since_is_refused_before_anything_is_removed(
    project: Path, install: Install, tree: Callable[[], Tree]
) -> None:
    install()
    (project / ".mcp.json").write_text("{\n,", encoding="utf-8")
    before = tree()
    with pytest.raises(BrokenFile):
        take_back(plan_uninstall(project))
    assert tree() == before


def test_where_nothing_is_installed_nothing_happens(project: Path, tree: Callable[[], Tree]) -> None:
    before = tree()
    assert plan_uninstall(project).changes == ()
    take_back(plan_uninstall(project))
    assert tree() == before
