"""The guard as clients run it: a process of its own, a call of a tool on its stdin, its answer on stdout."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ALLOWED = ""


def guard_program() -> str:
    """The console script beside this interpreter, else the one on PATH."""
    beside = Path(sys.executable).with_name("codeintel-guard")
    found = str(beside) if beside.is_file() else shutil.which("codeintel-guard")
    if found is None:
        raise RuntimeError("codeintel-guard is not installed")
    return found


def ask(root: Path, tool: str, given: dict[str, Any], client: str = "claude") -> str:
    """What the guard decides about a call that is about to be made: deny, ask, or "" for letting it pass."""
    document = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": str(root)}
    if client == "cursor" and tool == "Shell":
        document = {"hook_event_name": "beforeShellExecution", "command": given["command"], "cwd": str(root)}
    done = subprocess.run(
        [guard_program(), "--client", client], input=json.dumps(document).encode(), capture_output=True, check=False
    )
    if done.returncode or done.stderr:
        raise RuntimeError(f"the guard ended with {done.returncode}: {done.stderr.decode()}")
    answer = json.loads(done.stdout) if done.stdout else {}
    said: dict[str, str] = answer.get("hookSpecificOutput", answer)
    return said.get("permissionDecision", said.get("permission", ALLOWED))
