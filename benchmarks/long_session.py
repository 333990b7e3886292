"""A session of many tasks: time of a report, size of the checkpoint and of the log, and memory as it grows.

uv run python benchmarks/long_session.py [TASKS]
"""

import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
from submit import make_repository

from codeintel_server.testing import Caller, in_memory


def functions(count: int) -> str:
    """A module of `count` functions, four lines each."""
    return "".join(f"def step_{n}(values):\n    total = sum(values)\n    return total + {n}\n\n" for n in range(count))


def plan(count: int) -> dict[str, Any]:
    """A plan of `count` tasks with one item each."""
    tasks = [
        {"id": f"t{n}", "description": f"Write step_{n}", "checklist": [{"item": f"step_{n} in steps.py"}]}
        for n in range(count)
    ]
    return {"tasks": tasks, "summary": "Many small tasks."}


async def report(call: Caller, number: int) -> float:
    """Report one task; returns the milliseconds it took."""
    first = number * 4 + 1
    item = {"item": f"step_{number} in steps.py", "status": "done", "evidence": f"steps.py:{first}-{first + 2}"}
    await call("check_write_target", file_path="steps.py")
    fields = {"task_id": f"t{number}", "checklist": [item], "tools_used": ["check_write_target"]}
    began = time.perf_counter()
    reply = await call(
        "submit_phase", data={**fields, "summary": f"Wrote step_{number}, which sums and adds {number}."}
    )
    assert reply["success"], reply
    return (time.perf_counter() - began) * 1000


async def play(count: int) -> None:
    """Play it on a small repository and print a line for each tenth of the tasks."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_repository(root, initialized=True)
        async with in_memory(root) as call:
            await call("start_session", intent="IMPLEMENT", query="Write many steps", flags={"quick": True})
            frame = {"action_type": "add", "target_symbols": [], "scope": "", "constraints": "", "summary": "Framed."}
            await call("submit_phase", data=frame)
            await call("submit_phase", data=plan(count))
            await call("add_explored_files", files=["steps.py"])
            (root / "steps.py").write_text(functions(count), encoding="utf-8")
            times = []
            for number in range(count):
                times.append(await report(call, number))
                if (number + 1) % max(1, count // 10) == 0:
                    show(root, number + 1, times[-max(1, count // 10) :])


def show(root: Path, done: int, times: list[float]) -> None:
    """One line of the table."""
    size = max(path.stat().st_size for path in (root / ".code-intel/sessions").glob("2*.json"))
    log = (root / ".code-intel/logs/decisions.jsonl").stat().st_size
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(
        f"{done:>5} tasks  p50 {statistics.median(times):>6.1f} ms  checkpoint {size // 1024:>4} KB  "
        f"log {log // 1024:>5} KB  {memory} MB\n"
    )


if __name__ == "__main__":
    anyio.run(play, int(sys.argv[1]) if len(sys.argv) > 1 else 200)
