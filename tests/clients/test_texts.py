"""What the texts tell an agent to type is what the hook of its client lets pass, while nothing may be written."""

import json
import os
import re
from pathlib import Path

import pytest

from codeintel_server.hook.main import respond
from codeintel_templates import texts

PROGRAMS = ("git", "npx", "pytest", "make", "codeintel")
LINES = sorted(
    {
        line
        for name in texts.names()
        for line in re.findall(r"`([^`\n]+)`|^# command: (.+)$", texts.read(name), re.MULTILINE)
        for line in line
        if line.partition(" ")[0] in PROGRAMS and " " in line
    }
)


def test_there_are_some() -> None:
    assert {line.partition(" ")[0] for line in LINES} == set(PROGRAMS)


@pytest.mark.parametrize("line", LINES)
def test_a_command_that_a_text_names_is_let_pass(line: str, tmp_path: Path) -> None:
    gate = {"session_id": "s", "pid": os.getpid(), "phase": "POST_IMPL_VERIFY", "open": False, "explored": []}
    (tmp_path / ".code-intel/sessions").mkdir(parents=True)
    gate |= {"folders": [], "names": []}
    (tmp_path / ".code-intel/sessions/gate.json").write_text(json.dumps(gate), encoding="utf-8")
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}, "cwd": str(tmp_path)}
    assert respond(["--client", "claude"], json.dumps(call).encode()) == {}
