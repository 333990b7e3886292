"""How long `codeintel-guard` takes to answer, beside a Python that does nothing, in turns on the same machine.

    python benchmarks/guard.py [ROUNDS]

Prints milliseconds, least and median, per call; the figures of `python -S -c pass` are the floor.
"""

import json
import shutil
import statistics
import subprocess
import sys
import time


def took(command: list[str], data: bytes) -> float:
    """Milliseconds that a command takes on some input."""
    start = time.perf_counter()
    subprocess.run(command, input=data, capture_output=True, check=True)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Measure in turns, so that a busy machine slows all of them alike."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    guard = shutil.which("codeintel-guard")
    if guard is None:
        sys.exit("codeintel-guard is not on PATH")
    edit = json.dumps({"tool_name": "Edit", "tool_input": {"file_path": "x"}, "cwd": "."}).encode()
    cases = {
        "python -S -c pass": ([sys.executable, "-S", "-c", "pass"], b""),
        "python -c pass": ([sys.executable, "-c", "pass"], b""),
        "codeintel-guard, an edit": ([guard, "--client", "claude"], edit),
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (command, data) in cases.items():
            times[name].append(took(command, data))
    for name, found in times.items():
        sys.stdout.write(f"{name:26} {min(found):6.1f} {statistics.median(found):6.1f}\n")


if __name__ == "__main__":
    main()
