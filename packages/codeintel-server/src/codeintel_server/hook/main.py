"""`codeintel-guard --client NAME`: one call of a client's hook, read from stdin, judged, answered on stdout.

Exit code 0 always. Nothing is said where nothing is to be said: no session, a call that writes nothing, a write that is
allowed. A fault answers "ask", so that it neither blocks everything nor lets everything pass; a client that cannot ask
is told to stop while a session runs.
What is imported here is paid for at every call of a client's tool: the reader of command lines comes only with one.
"""

from __future__ import annotations

import json
import os
import sys

from codeintel_server.hook.clients import CLIENTS, Client
from codeintel_server.hook.events import EDITS, READS, SHELLS, Event, Write
from codeintel_server.hook.rule import Broken, Gate, below, find_gate, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_INPUT = 8_000_000
MOST_NAMED = 3
KNOWN = EDITS | SHELLS | READS | {"apply_patch"}


def main() -> None:
    """Answer one call."""
    answer = respond(sys.argv[1:], sys.stdin.buffer.read(MAX_INPUT))
    if answer:
        sys.stdout.write(json.dumps(answer))


def respond(arguments: Sequence[str], data: bytes) -> dict[str, Any]:
    """The answer to a call, {} for none."""
    client = CLIENTS.get(_named(arguments), CLIENTS["claude"])
    try:
        return _judged(client, client.read(json.loads(data)))
    except Broken as fault:
        return client.decide("deny", f"codeintel: {fault}; submit or call get_session_status, which writes it anew")
    except Exception as fault:  # noqa: BLE001 - a fault here must be seen by a person, and must not stop all edits
        return _unjudged(client, f"codeintel-guard could not judge this call ({type(fault).__name__}: {fault})")


def _named(arguments: Sequence[str]) -> str:
    for at, word in enumerate(arguments):
        if word == "--client" and at + 1 < len(arguments):
            return arguments[at + 1]
        if word.startswith("--client="):
            return word[len("--client=") :]
    return ""


def _unjudged(client: Client, why: str) -> dict[str, Any]:
    """What could not be read does not say its folder: that of this process is the client's."""
    if client.asks:
        return client.decide("ask", why)
    try:
        running = find_gate(os.curdir) is not None
    except Broken:
        running = True
    return client.decide("deny", f"{why}; a session is running, so tell the user") if running else {}


def _judged(client: Client, event: Event) -> dict[str, Any]:
    if event.tool not in KNOWN:
        return {}
    if not event.is_before:
        _note(event)
        return {}
    gate = None if event.tool in READS else find_gate(event.folder)
    why = _why(gate, event) if gate else []
    return client.decide("deny", f"codeintel: {'; '.join(why[:MOST_NAMED])}") if why else {}


def _note(event: Event) -> None:
    """A reading that was done cannot be denied any more: a gate that cannot be read leaves it unnoted."""
    from codeintel_server.hook.seen import note

    try:
        gate = find_gate(event.folder)
    except Broken:
        return
    if gate is not None:
        note(gate, event)


def _why(gate: Gate, event: Event) -> list[str]:
    found = [refusal(gate, event.folder, path) for path in event.paths]
    if event.line:
        from codeintel_server.hook.shell import writes

        found += [_refused(gate, write) for write in writes(event.line, os.path.realpath(event.folder))]
    return list(dict.fromkeys(filter(None, found)))


def _refused(gate: Gate, write: Write) -> str:
    if write.git:
        inside = below(gate.root, os.path.realpath(write.folder)) is not None
        return f"{write.how}: {write.git}" if inside else ""
    why = refusal(gate, write.folder, write.path)
    return f"{write.how} would write {write.path}: {why}" if why else ""


if __name__ == "__main__":
    main()
