"""A client whose servers and hooks are in one file gets both together, and gives both back; comments stay."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from codeintel_templates import find_client
from codeintel_templates.copy import Plan, apply, plan, plan_uninstall, plan_upgrade, take_back
from codeintel_templates.json_hooks import JsonHooks
from codeintel_templates.json_text import plain

pytestmark = pytest.mark.draws(5)

Install = Callable[..., Plan]
SETTINGS = ".gemini/settings.json"
THEIRS = '{"hooks": [{"type": "command", "command": "their-check"}]}'
OURS = '{"hooks": [{"type": "command", "command": "codeintel-guard --client gemini"}]}'


@pytest.mark.parametrize(("component", "member"), [("mcp", "mcpServers"), ("hooks", "hooks")])
def test_either_may_be_left_out_and_added_later(component: str, member: str, project: Path, install: Install) -> None:
    install(clients=("gemini",), exclude=(component,))
    path = project / SETTINGS
    assert set(json.loads(path.read_text())) == {"mcpServers", "hooks"} - {member}
    install(clients=("gemini",))
    assert set(json.loads(path.read_text())) == {"mcpServers", "hooks"}
    assert plan(project, clients=("gemini",)).changes == ()
    take_back(plan_uninstall(project))
    assert not path.exists()


def test_an_upgrade_renews_both(project: Path, install: Install) -> None:
    path = project / SETTINGS
    path.parent.mkdir()
    path.write_text('{"model": {}}')
    install(clients=("gemini",))
    apply(plan_upgrade(project, command=("uvx", "--from", "codeintel-server", "codeintel")))
    assert json.loads(path.read_text())["mcpServers"]["code-intel"]["command"] == "uvx"
    assert path.read_text().count("codeintel-guard") == path.read_text().count(
        "uvx --from codeintel-server codeintel-guard"
    )
    assert plan_upgrade(project).changes == ()
    take_back(plan_uninstall(project))
    assert path.read_text() == '{"model": {}}'


def test_hooks_that_the_user_took_out_stay_out(project: Path, install: Install) -> None:
    install(clients=("gemini",))
    path = project / SETTINGS
    path.write_text(json.dumps({"mcpServers": json.loads(path.read_text())["mcpServers"]}))
    apply(plan_upgrade(project))
    assert "hooks" not in json.loads(path.read_text())


def test_comments_and_what_others_added_since_stay(project: Path, install: Install) -> None:
    path = project / SETTINGS
    path.parent.mkdir()
    path.write_text('{\n  // mine\n  "hooks": {\n    "BeforeTool": [\n      ' + THEIRS + " // theirs\n    ]\n  }\n}\n")
    install(clients=("gemini",))
    text = path.read_text()
    assert len(json.loads(plain(text))["hooks"]["BeforeTool"]) == 2
    path.write_text(text.replace("// mine", "// mine, and more"))
    take_back(plan_uninstall(project))
    left = path.read_text()
    assert json.loads(plain(left)) == {"hooks": {"BeforeTool": [json.loads(THEIRS)]}}
    assert ("// mine, and more" in left, "// theirs" in left) == (True, True)


@pytest.mark.parametrize(
    "items",
    [
        f"[{OURS}]",
        f"[{OURS},]",
        f"[\n  {THEIRS}, // one\n  {OURS} // two\n]",
        f"[\n  {OURS}, // two\n  // one\n  {THEIRS},\n]",
        f"[{THEIRS}, /* a, b */ {OURS}, {THEIRS}]",
        f"[{OURS}, {OURS} /* last */ ]",
    ],
)
def test_our_items_come_out_of_a_list_with_comments(items: str) -> None:
    text, jsonc = '{"hooks": {"BeforeTool": ' + items + "}}", JsonHooks(comments=True)
    left = jsonc.put(text, ("hooks",), {})
    theirs = [json.loads(THEIRS)] * items.count("their-check")
    assert json.loads(plain(left)) == {"hooks": {"BeforeTool": theirs}}
    for comment in ("one", "a, b", "last"):
        assert (comment in left) is (comment in items)


def test_qwens_hooks_and_gemini_s_count_time_in_their_own_units() -> None:
    (before,) = find_client("gemini").hooks(["codeintel"])["BeforeTool"]
    assert before["hooks"][0]["timeout"] == 10_000
    before = find_client("qwen").hooks(["codeintel"])["PreToolUse"]
    assert {group["hooks"][0]["timeout"] for group in before} == {10}


@pytest.mark.parametrize("client", ["gemini", "copilot"])
def test_a_client_that_takes_no_plain_text_gets_the_brief_as_a_document(client: str) -> None:
    hooks = find_client(client).hooks(["codeintel"])
    assert f"codeintel brief --client {client}" in json.dumps(hooks["SessionStart"])
    said = json.loads(find_client(client).brief("You are at step 4"))
    assert "You are at step 4" in (
        said.get("additionalContext"),
        said.get("hookSpecificOutput", {}).get("additionalContext"),
    )


@pytest.mark.parametrize("client", ["gemini", "copilot"])
def test_where_a_failing_hook_means_no_the_line_ends_with_0(client: str) -> None:
    text = json.dumps(find_client(client).hooks(["codeintel"]))
    assert text.count("codeintel-guard") == text.count(f"codeintel-guard --client {client}; exit 0") >= 3
