"""What the server adds to a look-up: the library alone, the tool without a session, the tool observed by a session.

Processor time of the calling thread, the least of all rounds: what else runs on the machine only adds to it.

uv run python benchmarks/lookups.py [ROUNDS]
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from codeintel_index import Index
from codeintel_server.mcp.dispatch import call
from codeintel_server.project.host import Host

HERE = Path(__file__).resolve().parent.parent
NAME = "read_lines"


def look_ups(index: Index, path: str) -> dict[str, tuple[dict[str, Any], Callable[[], object]]]:
    """Return for each tool its arguments and the same question to the library."""
    return {
        "search_text": ({"pattern": NAME}, lambda: index.grep(NAME)),
        "search_files": ({"pattern": "**/*.py"}, lambda: index.files("**/*.py")),
        "find_definitions": ({"symbol": NAME}, lambda: index.definitions(NAME)),
        "find_references": ({"symbol": NAME}, lambda: index.references(NAME, limit=100)),
        "get_symbols": ({"path": path}, lambda: index.symbols(path)),
        "analyze_structure": ({"path": path}, lambda: index.structure(path)),
        "get_function_at_line": ({"path": path, "line": 20}, lambda: index.function_at(path, 20)),
        "read_lines": ({"path": path}, lambda: index.read_lines(path)),
        "semantic_search": ({"query": "read lines"}, lambda: index.search("read lines")),
    }


def spent(function: Callable[[], object]) -> float:
    """Return the milliseconds of processor time that a call takes."""
    began = time.thread_time()
    function()
    return (time.thread_time() - began) * 1000


def asked(host: Host, tool: str, arguments: dict[str, Any]) -> Callable[[], object]:
    """Return a call of a tool that must succeed."""

    def ask() -> None:
        reply = call(host, tool, arguments)
        assert reply["success"], reply

    return ask


def main(rounds: int) -> None:
    """Clone this repository twice, start a session in one clone, and print a row for each look-up."""
    with tempfile.TemporaryDirectory() as folder:
        roots = [Path(folder) / name for name in ("plain", "observed")]
        for root in roots:
            subprocess.run(["git", "clone", "--quiet", "--", str(HERE), str(root)], check=True)
        plain, observed = map(Host, roots)
        index = plain.project("sync_index", {}).code.index
        for host in (plain, observed):
            asked(host, "sync_index", {})()
        asked(
            observed, "start_session", {"intent": "QUESTION", "query": "How are lines read?", "flags": ["--no-doc"]}
        )()
        frame = {"action_type": "ask", "target_symbols": [], "summary": "Framed."}
        asked(observed, "submit_phase", {"data": frame})()
        path = index.definitions("Index", kind="class")[0].path
        sys.stdout.write(
            "| look-up | library, ms | tool, ms | observed, ms | added by observing, ms |\n|---|---|---|---|---|\n"
        )
        for tool, (arguments, ask) in look_ups(index, path).items():
            ways = (ask, asked(plain, tool, arguments), asked(observed, tool, arguments))
            times = [[spent(way) for way in ways] for _ in range(rounds)]
            alone, without, with_session = (min(row[at] for row in times) for at in range(3))
            figures = f"{alone:.2f} | {without:.2f} | {with_session:.2f} | {with_session - without:+.2f}"
            sys.stdout.write(f"| {tool} | {figures} |\n")
            sys.stdout.flush()
        plain.close()
        observed.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
