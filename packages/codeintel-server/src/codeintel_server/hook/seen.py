"""What a client read with its own tools, noted for the server: a line a file, taken in at the next submission."""

from __future__ import annotations

import json
import os

from codeintel_server.hook.events import READS, Event
from codeintel_server.hook.rule import Gate, below, resolved

SEEN = ".code-intel/sessions/seen.jsonl"
MAX_LOG = 1_000_000


def note(gate: Gate, event: Event) -> None:
    """Note the files of the project that a reading call named."""
    if event.tool not in READS:
        return
    log = os.path.join(gate.root, SEEN)
    lines = []
    for name in event.paths:
        path = resolved(event.folder, name)
        inside = below(gate.root, path) if path and os.path.isfile(path) else None
        if inside:
            lines.append(json.dumps({"session_id": gate.session_id, "tool": event.tool, "path": inside}) + "\n")
    if lines and not (os.path.exists(log) and os.path.getsize(log) > MAX_LOG):
        handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, "".join(lines).encode("utf-8", "surrogateescape"))
        finally:
            os.close(handle)
