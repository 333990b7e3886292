"""What the client's own reading tools were seen to read, noted by its hook: a line a file."""

import json
from pathlib import Path

from codeintel_contract import read_file

NAME = "seen.jsonl"
MAX_BYTES = 1_000_000


def take(folder: Path, session_id: str) -> tuple[str, ...]:
    """The paths noted for a session, each once; the notes are gone afterwards."""
    try:
        data = read_file(folder, NAME, MAX_BYTES, whole=False)
        (folder / NAME).unlink()
    except OSError:
        return ()
    return tuple(dict.fromkeys(found for line in data.splitlines() if (found := _path(line, session_id))))


def _path(line: bytes, session_id: str) -> str:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):  # a line that a crash tore
        return ""
    if not isinstance(entry, dict) or entry.get("session_id") != session_id:
        return ""
    return str(entry.get("path", ""))
