"""`codeintel-guard --client NAME`: one call of a client's hook, read from stdin, judged, answered on stdout.

Exit code 0 always. Nothing is said where nothing is to be said: no session, a call that writes nothing, a write that is
allowed. A fault while a session runs answers "ask", so that it neither blocks everything nor lets everything pass.
"""

import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from codeintel_server.hook.clients import CLIENTS, EDITS, READS, SHELLS, Client, Event
from codeintel_server.hook.rule import Broken, Gate, find_gate, refusal
from codeintel_server.hook.seen import note
from codeintel_server.hook.shell import writes

MAX_INPUT = 8_000_000
MOST_NAMED = 3


def main() -> None:
    """Answer one call."""
    answer = respond(sys.argv[1:], sys.stdin.buffer.read(MAX_INPUT))
    if answer:
        sys.stdout.write(json.dumps(answer))


def respond(arguments: Sequence[str], data: bytes) -> dict[str, Any]:
    """The answer to a call, {} for none."""
    client = CLIENTS.get(_named(arguments), CLIENTS["claude"])
    try:
        event = client.read(json.loads(data))
        return _judged(client, event)
    except Broken as fault:
        return client.decide("deny", f"codeintel: {fault}; submit or call get_session_status, which writes it anew")
    except Exception as fault:  # noqa: BLE001 - a fault here must be seen by a person, and must not stop all edits
        return client.decide("ask", f"codeintel-guard could not judge this call ({type(fault).__name__}: {fault})")


def _named(arguments: Sequence[str]) -> str:
    return next((after for before, after in pairwise(arguments) if before == "--client"), "")


def _judged(client: Client, event: Event) -> dict[str, Any]:
    if event.tool not in (*EDITS, *SHELLS, *READS, "apply_patch"):
        return {}
    gate = find_gate(event.folder.resolve())
    if gate is None:
        return {}
    if not event.is_before:
        note(gate, event)
        return {}
    if event.tool in READS:
        return {}
    why = _why(gate, event)
    return client.decide("deny", f"codeintel: {'; '.join(why[:MOST_NAMED])}") if why else {}


def _why(gate: Gate, event: Event) -> list[str]:
    found = [refusal(gate, event.folder, path) for path in event.paths]
    for write in writes(event.line, event.folder.resolve()) if event.line else ():
        if write.git:
            found.append(f"{write.how}: {write.git}" if _is_inside(gate, write.folder) else "")
        else:
            found.append(_said(refusal(gate, write.folder, write.path), write.how))
    return list(dict.fromkeys(filter(None, found)))


def _is_inside(gate: Gate, folder: Path) -> bool:
    return folder.resolve().is_relative_to(gate.root.resolve())


def _said(why: str, how: str) -> str:
    return f"{how} writes there, and {why}" if why else ""


if __name__ == "__main__":
    main()
