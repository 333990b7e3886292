"""Hooks go into the lists of a client's file beside what stands there, and come out again without a trace."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_templates import find_client
from codeintel_templates.clients.client import group
from codeintel_templates.copy import Kind, Plan, apply, plan, plan_uninstall, plan_upgrade, take_back
from codeintel_templates.errors import BrokenFile
from codeintel_templates.json_hooks import JsonHooks

pytestmark = pytest.mark.draws(18)

Install = Callable[..., Plan]
SETTINGS = ".claude/settings.json"
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "their-check"}]}
TEXTS = {
    "none": '{\n\t"model": "m"\n}\n',
    "empty hooks": '{"hooks": {}}',
    "empty list": '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n',
    "one line": json.dumps({"hooks": {"PreToolUse": [THEIRS]}, "x": 1}),
    "own lines": json.dumps({"hooks": {"PreToolUse": [THEIRS, THEIRS], "Stop": [THEIRS]}}, indent=4) + "\n",
    "odd": '{ "hooks" : { "PreToolUse" : [\r\n   {"matcher":"x" , "hooks":[ ] } ] } }\r\n',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hooks_of_others_keep_every_character(text: str, project: Path, install: Install) -> None:
    path = project / SETTINGS
    path.parent.mkdir()
    path.write_bytes(text.encode())
    install()
    before = json.loads(text).get("hooks", {}).get("PreToolUse", [])
    after = json.loads(path.read_bytes())["hooks"]
    ours = find_client("claude").hooks(["codeintel"])
    assert after["PreToolUse"] == [*before, *ours["PreToolUse"]]
    assert plan(project).changes == ()
    take_back(plan_uninstall(project))
    assert path.read_bytes().decode() == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_was_added_later_stays_when_ours_goes(text: str, project: Path, install: Install) -> None:
    path = project / SETTINGS
    path.parent.mkdir()
    path.write_text(text)
    install()
    data = json.loads(path.read_text())
    data["hooks"]["PreToolUse"].append(THEIRS)
    path.write_text(json.dumps(data))
    take_back(plan_uninstall(project))
    left = json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert left == [*json.loads(text).get("hooks", {}).get("PreToolUse", []), THEIRS]
    assert "codeintel" not in path.read_text()


def test_an_upgrade_renews_our_hooks_and_leaves_changed_ones(project: Path, install: Install) -> None:
    path = project / SETTINGS
    install()
    apply(plan_upgrade(project, command=("uvx", "--from", "codeintel-server", "codeintel")))
    text = path.read_text()
    assert "uvx --from codeintel-server codeintel-guard --client claude" in text
    assert text.count("codeintel-guard") == 5
    path.write_text(text.replace('"timeout": 10', '"timeout": 60'))
    changed = path.read_text()
    report = apply(plan_upgrade(project, command=("codeintel",)))
    assert path.read_text() == changed
    assert [action.path for action in report.actions if action.kind is Kind.CONFLICT] == [SETTINGS]


@pytest.mark.parametrize("name", ["claude", "codex", "qwen", "gemini", "copilot"])
def test_an_upgrade_asks_about_the_tools_of_other_servers_too(
    name: str, project: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = find_client(name)
    before = next(iter(client.hooks(["codeintel"])))
    tool = {"gemini": "mcp_fs_write_file", "copilot": "fs-write_file"}.get(name, "mcp__fs__write_file")

    def asked() -> list[bool]:
        items = json.loads((project / client.hooks_file).read_text())["hooks"][before]
        return [re.search(item["matcher"], tool) is not None for item in items]

    with monkeypatch.context() as older:
        older.setattr(client, "hooks", lambda command: {before: [group("Edit", client.guard_line(command))]})
        install(clients=(name,))
        assert asked() == [False]
    apply(plan_upgrade(project))
    assert any(asked())


def test_cursors_file_says_its_version_and_goes_with_our_hooks(project: Path, install: Install) -> None:
    install(clients=("cursor",))
    path = project / ".cursor/hooks.json"
    data = json.loads(path.read_text())
    assert data["version"] == 1
    assert {"preToolUse", "beforeShellExecution"} <= set(data["hooks"])
    path.write_text(json.dumps(data))
    take_back(plan_uninstall(project))
    assert not path.exists()


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "// mine\n{}"])
def test_a_file_of_another_form_is_refused_before_anything_is_written(text: str, project: Path) -> None:
    path = project / SETTINGS
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(BrokenFile):
        plan(project)
    assert path.read_text() == text


def test_only_items_that_run_our_programs_are_ours() -> None:
    ours = {"command": "x codeintel-guard --client y"}
    text = json.dumps({"hooks": {"PreToolUse": [THEIRS, None, {"hooks": "x"}, ours]}})
    assert JsonHooks().get(text, ("hooks",)) == {"PreToolUse": [ours]}


@pytest.mark.parametrize(("client", "path"), [("claude", SETTINGS), ("codex", ".codex/hooks.json")])
def test_after_a_compaction_claude_and_codex_run_the_brief(
    client: str, path: str, project: Path, install: Install
) -> None:
    install(clients=(client,))
    (group,) = json.loads((project / path).read_text())["hooks"]["SessionStart"]
    assert set(group["matcher"].split("|")) == {"compact", "resume", "clear"}
    assert group["hooks"][0]["command"] == "codeintel brief"
