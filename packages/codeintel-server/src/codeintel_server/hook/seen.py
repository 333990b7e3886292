"""What a client read with its own tools, noted for the server: a line a file, taken in at the next submission."""

import json
import os

from codeintel_server.hook.clients import READS, Event
from codeintel_server.hook.rule import Gate

SEEN = ".code-intel/sessions/seen.jsonl"
MAX_LOG = 1_000_000


def note(gate: Gate, event: Event) -> None:
    """Note the files of the project that a reading call named."""
    if event.tool not in READS:
        return
    log, root = gate.root / SEEN, gate.root.resolve()
    lines = []
    for name in event.paths:
        path = (event.folder / name).resolve()
        if path.is_file() and path.is_relative_to(root):
            inside = path.relative_to(root).as_posix()
            lines.append(json.dumps({"session_id": gate.session_id, "tool": event.tool, "path": inside}) + "\n")
    if lines and not (log.exists() and log.stat().st_size > MAX_LOG):
        handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, "".join(lines).encode("utf-8", "surrogateescape"))
        finally:
            os.close(handle)
