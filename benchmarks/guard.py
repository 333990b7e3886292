"""How much CPU time `codeintel-guard` takes to answer, beside a Python that does nothing, in turns on the same machine.

    python benchmarks/guard.py [ROUNDS]

Prints milliseconds (user and system, least and median) per call, and how often the first row goes into the least.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from codeintel_server.testing import guarded_work, make_guarded, write_gate

# Compiled modules are kept, as they are where the guard is installed.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
CALLS = {
    "an edit": ("Edit", {"file_path": "src/a.py"}),
    "a command that reads": ("Bash", {"command": "ls -la src"}),
    "a command that writes": ("Bash", {"command": "ls -la | head > /tmp/x"}),
}


def took(command: list[str], data: bytes) -> float:
    """Milliseconds of CPU that a command takes on some input."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=data, capture_output=True, check=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Measure in turns, so that a busy machine slows all of them alike."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    guard = shutil.which("codeintel-guard")
    if guard is None:
        sys.exit("codeintel-guard is not on PATH")
    cases = {"python -S": ([sys.executable, "-S", "-c", "pass"], b""), "python": ([sys.executable, "-c", "pass"], b"")}
    with tempfile.TemporaryDirectory() as place:
        for name in ("no session", "a session"):
            root = Path(place) / name
            root.mkdir()
            if name == "a session":
                write_gate(make_guarded(root), guarded_work(), os.getpid())
            for call, (tool, given) in CALLS.items():
                document = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": str(root)}
                cases[f"{name}, {call}"] = ([guard, "--client", "claude"], json.dumps(document).encode())
        times: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(rounds):
            for name, (command, data) in cases.items():
                times[name].append(took(command, data))
    floor = min(times["python -S"])
    for name, found in times.items():
        sys.stdout.write(f"{name:33}{min(found):7.1f}{statistics.median(found):7.1f}{min(found) / floor:6.2f}\n")


if __name__ == "__main__":
    main()
