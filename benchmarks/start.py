"""Start of the server to its first reply, against a bare server of the same SDK with 22 empty tools.

uv run python benchmarks/start.py [ROUNDS]
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time

BARE = """
from mcp.server import MCPServer
server = MCPServer("bare", log_level="WARNING")
for number in range(23):
    def tool(text: str = "") -> str:
        "An empty tool."
        return text
    server.add_tool(tool, name=f"tool_{number}")
server.run("stdio")
"""
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}},
}


def first_reply(command: list[str], folder: str) -> float:
    """Milliseconds from the start of the process to its answer."""
    began = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        spent = (time.perf_counter() - began) * 1000
        server.stdin.close()
        server.wait()
    return spent


def main() -> None:
    """Print both medians and their ratio; the two are run in turn."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds + 1):
            ours.append(first_reply([sys.executable, "-m", "codeintel_server", "serve"], folder))
            bare.append(first_reply([sys.executable, "-c", BARE], folder))
    mine, theirs = statistics.median(ours[1:]), statistics.median(bare[1:])
    sys.stdout.write(f"codeintel serve {mine:.0f} ms, bare server {theirs:.0f} ms, ratio {mine / theirs:.2f}\n")


if __name__ == "__main__":
    main()
