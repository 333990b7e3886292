"""What init writes, and what the guard answers, against the shapes that the clients document; runs everywhere.

Each shape is closed: a key that a client does not know is an error here, as a misspelt one is ignored there. Sources:
the settings, hooks and MCP pages of each client's documentation, and for Codex the schemas in its repository.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from codeintel_contract import WritePolicy
from codeintel_server.guard.main import respond
from codeintel_server.testing import write_gate
from codeintel_templates import Client, all_clients, apply, find_client, plan

TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": {"type": "string"}}
SECONDS = {"type": "number", "exclusiveMinimum": 0}


def record(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


def table(values: dict[str, Any], names: list[str] | None = None) -> dict[str, Any]:
    known = {"propertyNames": {"enum": names}} if names else {}
    return {"type": "object", "additionalProperties": values, **known}


ENVIRONMENT = table({"type": "string"})
CLAUDE_EVENTS = ["PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"]
CODEX_EVENTS = ["PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop", "PermissionRequest"]
CURSOR_EVENTS = [
    "sessionStart",
    "preToolUse",
    "postToolUse",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "stop",
]
COMMAND = record({"type": {"const": "command"}, "command": TEXT}, timeout=SECONDS, statusMessage=TEXT)
GROUPS = {"type": "array", "items": record({"hooks": {"type": "array", "items": COMMAND}}, matcher=TEXT)}
GEMINI_EVENTS = ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd", "PreCompress"]
MILLISECONDS = {"type": "integer", "minimum": 1000}
GEMINI_HOOK = record({"type": {"const": "command"}, "command": TEXT}, timeout=MILLISECONDS, name=TEXT)
COPILOT_HOOK = record({"type": {"const": "command"}, "command": TEXT}, timeoutSec=SECONDS, matcher=TEXT)
STDIO = record({"command": TEXT}, args=TEXTS, env=ENVIRONMENT)
SHAPES: dict[str, dict[str, Any]] = {
    ".mcp.json": record(
        {"mcpServers": table(record({"command": TEXT}, type={"const": "stdio"}, args=TEXTS, env=ENVIRONMENT))}
    ),
    ".claude/settings.json": record({"hooks": table(GROUPS, CLAUDE_EVENTS)}),
    ".codex/hooks.json": record({"hooks": table(GROUPS, CODEX_EVENTS)}),
    ".codex/config.toml": record(
        {
            "mcp_servers": table(
                record(
                    {"command": TEXT},
                    args=TEXTS,
                    env=ENVIRONMENT,
                    cwd=TEXT,
                    enabled={"type": "boolean"},
                    startup_timeout_sec=SECONDS,
                    tool_timeout_sec=SECONDS,
                )
            )
        }
    ),
    ".cursor/mcp.json": record({"mcpServers": table(STDIO)}),
    ".cursor/hooks.json": record(
        {
            "version": {"const": 1},
            "hooks": table(
                {"type": "array", "items": record({"command": TEXT}, matcher=TEXT, timeout=SECONDS)}, CURSOR_EVENTS
            ),
        }
    ),
    ".vscode/mcp.json": record(
        {"servers": table(record({"type": {"const": "stdio"}, "command": TEXT}, args=TEXTS, env=ENVIRONMENT))},
        inputs={"type": "array"},
    ),
    ".gemini/settings.json": record(
        {
            "mcpServers": table(record({"command": TEXT}, args=TEXTS, env=ENVIRONMENT, timeout=MILLISECONDS)),
            "hooks": table(
                {"type": "array", "items": record({"hooks": {"type": "array", "items": GEMINI_HOOK}}, matcher=TEXT)},
                GEMINI_EVENTS,
            ),
        }
    ),
    ".gemini/commands/code-intel.toml": record({"prompt": TEXT}, description=TEXT),
    ".qwen/settings.json": record(
        {
            "$version": {"const": 4},
            "mcpServers": table(
                record(
                    {"command": TEXT},
                    args=TEXTS,
                    env=ENVIRONMENT,
                    timeout=MILLISECONDS,
                    discoveryTimeoutMs=MILLISECONDS,
                )
            ),
            "hooks": table(GROUPS, CLAUDE_EVENTS),
        }
    ),
    "opencode.json": record(
        {
            "$schema": {"const": "https://opencode.ai/config.json"},
            "mcp": table(
                record(
                    {"type": {"const": "local"}, "command": {**TEXTS, "minItems": 1}},
                    environment=ENVIRONMENT,
                    enabled={"type": "boolean"},
                    timeout=MILLISECONDS,
                )
            ),
        }
    ),
    ".github/mcp.json": record(
        {
            "mcpServers": table(
                record(
                    {"type": {"enum": ["local", "stdio"]}, "command": TEXT, "args": TEXTS, "tools": TEXTS},
                    env=ENVIRONMENT,
                    timeout=MILLISECONDS,
                )
            )
        }
    ),
    ".github/hooks/code-intel.json": record(
        {"version": {"const": 1}, "hooks": table({"type": "array", "items": COPILOT_HOOK}, CLAUDE_EVENTS)}
    ),
}
DECISION = {"permissionDecision": {"enum": ["deny", "ask"]}, "permissionDecisionReason": TEXT}
CLAUDE_ANSWER = record({"hookSpecificOutput": record({"hookEventName": {"const": "PreToolUse"}, **DECISION})})
# Codex knows the word "ask" and lets pass what it is said of; Cursor does so before edits.
CODEX_ANSWER = json.loads(json.dumps(CLAUDE_ANSWER).replace('["deny", "ask"]', '["deny"]'))
CURSOR_ANSWER = record({"permission": {"enum": ["allow", "deny"]}}, user_message=TEXT, agent_message=TEXT)
REASONED_ANSWER = record({"decision": {"const": "deny"}, "reason": TEXT})
ANSWERS = {
    "claude": CLAUDE_ANSWER,
    "codex": CODEX_ANSWER,
    "cursor": CURSOR_ANSWER,
    "gemini": REASONED_ANSWER,
    "qwen": CLAUDE_ANSWER,
    "opencode": REASONED_ANSWER,
    "copilot": CODEX_ANSWER,
}


OTHERS = {
    "claude": ("mcp__fs__write_file", "mcp__plugin_a_fs__write_file"),
    "codex": ("mcp__fs__write_file",),
    "qwen": ("mcp__fs__write_file",),
    "gemini": ("mcp_fs_write_file",),
    "copilot": ("fs-write_file",),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("shapes")
    apply(plan(root, clients=["all"]))
    return root


@pytest.mark.parametrize("path", SHAPES)
def test_a_file_has_the_shape_its_client_documents(path: str, project: Path) -> None:
    text = (project / path).read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text) if path.endswith("toml") else json.loads(text), SHAPES[path])


def test_every_file_of_a_client_has_a_shape(project: Path) -> None:
    found = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    texts = {path for path in found if path.endswith((".md", ".js"))}
    assert {path for path in found - texts if not path.startswith(".code-intel/")} == set(SHAPES)


@pytest.mark.parametrize("folder", [".claude/skills/code", ".agents/skills/code"])
def test_the_skill_is_one_by_the_agent_skills_format(folder: str, project: Path) -> None:
    front = yaml.safe_load((project / folder / "SKILL.md").read_text(encoding="utf-8").split("---\n")[1])
    name = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64, "const": Path(folder).name}
    description = {"type": "string", "minLength": 1, "maxLength": 1024}
    jsonschema.validate(front, record({"name": name, "description": description}, **{"argument-hint": TEXT}))


@pytest.mark.parametrize(
    "client", [client for client in all_clients() if client.hooks_file], ids=lambda client: client.name
)
def test_a_matcher_matches_the_tools_it_is_about_whole(client: Client, project: Path) -> None:
    hooks = json.loads((project / client.hooks_file).read_text(encoding="utf-8"))["hooks"]
    before = next(groups for event, groups in hooks.items() if event.lower() in ("pretooluse", "beforetool"))
    tools = (*client.edits, *(() if "beforeShellExecution" in hooks else client.shells))
    assert all(any(re.fullmatch(group["matcher"], tool) for group in before) for tool in tools)
    assert not any(re.fullmatch(group["matcher"], tool) for group in before for tool in (*client.reads, "Read"))


@pytest.mark.parametrize(
    "client", [client for client in all_clients() if client.others], ids=lambda client: client.name
)
def test_hooks_ask_about_the_tools_of_other_servers_before_and_after(client: Client, project: Path) -> None:
    hooks = json.loads((project / client.hooks_file).read_text(encoding="utf-8"))["hooks"]
    for event in (name for name in hooks if name.lower() in ("pretooluse", "beforetool", client.after_event.lower())):
        for tool in OTHERS[client.name]:
            assert any(re.search(item["matcher"], tool) for item in hooks[event]), (event, tool)


def calls(client: str, root: Path) -> Iterator[bytes]:
    """A forbidden edit, a forbidden command, and something that cannot be read, as the client would send them."""
    shell: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "echo x > new.py"}}
    names = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(root)}
    if client == "cursor":
        shell = {"hook_event_name": "beforeShellExecution", "command": "echo x > new.py"}
        names = {"workspace_roots": [str(root)]}
    yield from (json.dumps(call).encode() for call in (find_client(client).edit("new.py", str(root)), names | shell))
    yield b"{"


@pytest.mark.parametrize("client", ANSWERS)
def test_each_answer_of_the_guard_is_one_its_client_obeys(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gate(tmp_path, WritePolicy("Q1"))
    monkeypatch.chdir(tmp_path)
    for call in calls(client, tmp_path):
        jsonschema.validate(respond(["--client", client], call), ANSWERS[client])
