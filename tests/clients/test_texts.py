"""What the texts tell an agent to type is what the hook of its client lets pass, while nothing may be written."""

import json
import re
from pathlib import Path

import pytest

from codeintel_contract import WritePolicy
from codeintel_server.guard.main import respond
from codeintel_server.testing import write_gate
from codeintel_templates import read_template, template_names

PROGRAMS = ("git", "npx", "pytest", "make", "codeintel")
LINES = sorted(
    {
        line
        for name in template_names()
        for line in re.findall(r"`([^`\n]+)`|^# command: (.+)$", read_template(name), re.MULTILINE)
        for line in line
        if line.partition(" ")[0] in PROGRAMS and " " in line
    }
)


def test_there_are_some() -> None:
    assert {line.partition(" ")[0] for line in LINES} == set(PROGRAMS)


@pytest.mark.parametrize("line", LINES)
def test_a_command_that_a_text_names_is_let_pass(line: str, tmp_path: Path) -> None:
    write_gate(tmp_path, WritePolicy("POST_IMPL_VERIFY"))
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}, "cwd": str(tmp_path)}
    answer = respond(["--client", "claude"], json.dumps(call).encode())
    # What only the user may do is named for them; an agent that runs it is stopped.
    assert bool(answer) is (line in ("codeintel trust", "codeintel decide"))
