"""Memory and time of servers as people run them: started by a client, asked once, asked again, asked after an edit.

    uv run python benchmarks/index/memory.py CHECKOUT [--server codeintel|codeintel-index] [--count 4]

The checkout should have been indexed. Memory is what the processes hold together: resident, and proportional, which
counts a page that several share once (Linux only). Times are of the first server, from its start; `CPU` is what the
machine has to do for it, which a busy machine disturbs less.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from mcp import Client, StdioServerParameters

COMMANDS = {
    "codeintel": ["-m", "codeintel_server", "serve"],
    "codeintel-index": ["-c", "from codeintel_index.cli.app import main; main()", "serve"],
}
SETTLES_S = 60  # what indexed an edit has ended by then
QUESTIONS = ("how is a value parsed", "where are errors reported", "which settings are read at start")


def descendants() -> list[int]:
    """Processes below this one."""
    parents: dict[int, int] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parents[int(place.name)] = int((place / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def memory(pids: list[int]) -> Iterator[float]:
    """Resident and proportional megabytes of all of them."""
    texts = [Path(f"/proc/{pid}/smaps_rollup").read_text("ascii") for pid in pids]
    for field in ("Rss:", "Pss:"):
        yield sum(int(text.partition(field)[2].split()[0]) for text in texts) / 1024


def cpu(pid: int) -> float:
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(root: Path, server: str, count: int) -> None:
    """Start the servers, ask each, and print what they hold."""
    parameters = StdioServerParameters(command=sys.executable, args=COMMANDS[server], cwd=root, env=dict(os.environ))
    async with AsyncExitStack() as stack:
        clients: list[Client] = []
        pids: list[int] = []

        def tell(what: str, began: float) -> None:
            pids[:] = [pid for pid in descendants() if "python" in Path(f"/proc/{pid}/comm").read_text("utf-8")]
            resident, proportional = (each / len(pids) for each in memory(pids))
            sys.stdout.write(
                f"{what}: {resident:.0f} MB resident, {proportional:.0f} proportional, each of {len(pids)};"
                f" {(time.perf_counter() - began) * 1000:.0f} ms, CPU {cpu(pids[0]) * 1000:.0f} ms so far\n"
            )

        began = time.perf_counter()
        clients.append(await stack.enter_async_context(Client(parameters)))
        tell("started", began)
        await clients[0].call_tool("semantic_search", {"query": QUESTIONS[0]})
        tell("first search", began)
        for _ in range(count - 1):
            clients.append(await stack.enter_async_context(Client(parameters)))
            await clients[-1].call_tool("semantic_search", {"query": QUESTIONS[0]})
        began = time.perf_counter()
        for client in clients:
            for question in QUESTIONS:
                await client.call_tool("semantic_search", {"query": question})
            await client.call_tool("find_references", {"symbol": "main"})
        tell(f"{count} servers asked", began)
        changed = root / "codeintel_memory_benchmark.py"
        try:
            changed.write_text("def something_new():\n    return 1\n", encoding="utf-8")
            await asyncio.sleep(2.5)
            await clients[0].call_tool("semantic_search", {"query": "something new"})
            await asyncio.sleep(SETTLES_S)
            pids_before, began = list(pids), time.perf_counter()
            tell("after an edit, all", began)
            one = [pids_before[0]]
            sys.stdout.write(f"the server that was asked after the edit: {next(memory(one)):.0f} MB resident\n")
        finally:
            changed.unlink()


def main() -> None:
    """Read the options and measure."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("root", type=Path)
    options.add_argument("--server", choices=COMMANDS, default="codeintel")
    options.add_argument("--count", type=int, default=4)
    chosen = options.parse_args()
    asyncio.run(measure(chosen.root.resolve(), chosen.server, chosen.count))


if __name__ == "__main__":
    main()
