"""Time of `submit_phase` by phase over whole sessions in memory, with real git, fsync and index.

Measured twice: in a bare repository, and in one where `codeintel init` has put its files (its own contract, verifiers
and prompts), as users have it.

uv run python benchmarks/submit.py [SESSIONS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import anyio

from codeintel_server.demo.player import Player, Script
from codeintel_server.demo.stage import find_change
from codeintel_server.testing import in_memory

SOURCE = "def count_all(values):\n    return len(values)\n\n\ndef report(values):\n    return count_all(values)\n"


class Stopwatch:
    """Takes the time of each call from the client's side."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.phase = ""
        self.times: dict[str, list[float]] = defaultdict(list)
        self.sizes: list[int] = []

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call, and note how long a submission took under the phase it was made in."""
        began = time.perf_counter()
        result = await self.client.call_tool(name, arguments)
        spent = (time.perf_counter() - began) * 1000
        reply = result.structured_content
        if name == "submit_phase":
            self.times[self.phase].append(spent)
        if "step" in reply:
            self.phase = f"{reply['step']:>2} {reply['phase']} {reply.get('substep', '')}".rstrip()
        self.sizes.append(len(result.content[0].text))
        return result


def make_repository(root: Path, initialized: bool) -> None:
    """Make a small repository with one commit, with or without what `init` writes."""
    (root / "stats.py").write_text(SOURCE, encoding="utf-8")
    for command in (
        ["init", "--quiet", "--initial-branch", "main"],
        ["config", "user.name", "Bench"],
        ["config", "user.email", "bench@example.invalid"],
        ["add", "--all"],
        ["commit", "--quiet", "--message", "First"],
    ):
        subprocess.run(["git", *command], cwd=root, check=True)
        if initialized and command[0] == "init":
            subprocess.run(
                [sys.executable, "-m", "codeintel_server", "init", "--yes", "--client", "claude"],
                cwd=root,
                check=True,
                stdout=subprocess.DEVNULL,
            )


async def play(sessions: int, initialized: bool) -> Stopwatch:
    """Play whole sessions on one repository; the checkpoint's size is that before the merge."""
    watch = Stopwatch(None)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_repository(root, initialized)
        async with in_memory(root) as call:
            watch.client = call.client
            for _ in range(sessions):
                end = await Player(watch, find_change(root), Script()).play()
                assert end["phase"] == "SESSION_COMPLETE", end
                subprocess.run(["git", "reset", "--quiet", "--hard", "HEAD^1"], cwd=root, check=True)
    return watch


def main() -> None:
    """Print the table."""
    os.environ.setdefault("GIT_CONFIG_GLOBAL", os.devnull)
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for initialized in (False, True):
        sys.stdout.write(f"{'after codeintel init' if initialized else 'in a bare repository'}\n")
        show(anyio.run(play, sessions, initialized))


def show(watch: Stopwatch) -> None:
    """Print the table of one run."""
    everything = [spent for times in watch.times.values() for spent in times]
    rows = [*sorted(watch.times.items()), ("all", everything)]
    sys.stdout.write(f"{'phase':<28}{'n':>5}{'p50 ms':>9}{'p95 ms':>9}\n")
    for phase, times in rows:
        p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
        sys.stdout.write(f"{phase:<28}{len(times):>5}{statistics.median(times):>9.1f}{p95:>9.1f}\n")
    sys.stdout.write(f"largest reply {max(watch.sizes)} bytes\n")


if __name__ == "__main__":
    main()
