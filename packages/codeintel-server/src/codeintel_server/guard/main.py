"""`codeintel-guard --client NAME`: one call of a client's hook, read from stdin, judged, answered on stdout.

The exit code is always 0: for these programs exit code 2 blocks whatever it was, and any other lets pass. Nothing is
printed without a session, for a call that writes nothing, and for a write that is allowed. A fault, or no verdict
within a second of work, answers "ask", so that it neither blocks everything nor lets everything pass; a client that
cannot ask denies while a session runs. Every import here is paid for at every call of a client's tool, and `re` costs
as much as Python's own start: an edit that may be made needs neither it nor `json`, and the reader of command lines
comes only with a line that may write.
"""

from __future__ import annotations

import os
import sys

from codeintel_contract import GATE_FILE
from codeintel_server.guard.gate import BrokenGate, Gates, NoServer, find_gate, read_json
from codeintel_templates import CLIENTS, all_clients, find_client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from codeintel_server.guard.commands import Write
    from codeintel_templates import Client, Event

MAX_INPUT = 8_000_000
MOST_NAMED = 3
DEADLINE_S = 1.0
"""How much processor time a verdict may take: a busy machine must not decide about a harmless command."""
LONGEST_S = 4.0
"""How long a call may wait in all, for a program or a file that does not answer."""
MAX_PLAIN = 10_000
USERS_WORD = "users_word"
"""The message against a command that answers for the user, in whatever folder it runs."""
READERS = frozenset(
    [
        "ls", "cat", "head", "tail", "wc", "pwd", "echo", "which", "stat", "file", "du", "df", "date", "whoami",
        "uname", "true", "cd", "grep", "egrep", "fgrep",
    ]
)  # fmt: skip
GIT_READERS = frozenset(("status", "diff", "log", "show", "blame", "ls-files", "rev-parse"))


class Late(BaseException):
    """The deadline has passed. No handler of errors on the way may take it for one."""


def main() -> None:
    """Answer one call, or tell a person what this program is for."""
    if {"-h", "--help"} & {*sys.argv} or sys.stdin.isatty():
        sys.stdout.write(_say("for_people") + "\n")
        return
    data = sys.stdin.buffer.read(MAX_INPUT)
    if not data:
        sys.stderr.write(_say("for_people") + "\n")
    answer = respond(sys.argv[1:], data)
    if answer:
        import json

        sys.stdout.write(json.dumps(answer))


def respond(arguments: Sequence[str], data: bytes) -> dict[str, Any]:
    """Return the answer to a call, {} for none."""
    name = _named(arguments)
    # A client that is not in the registry is read like the first, and answered in all forms at once.
    clients = [find_client(name)] if name in CLIENTS else all_clients()
    stop = _start_clock()
    folder = os.curdir  # of a document that cannot be read: that of this process is the client's
    try:
        document = read_json(data)
        prompt = clients[0].prompt(document)
        if prompt is not None:
            return _keep(name, {**document, "prompt": prompt})
        event = clients[0].read(document)
        folder = event.folder
        reasons = _EVENTS[event.moment](event)
    except BrokenGate as fault:
        return _answer(clients, "deny", _say("broken_gate", path=GATE_FILE, why=str(fault)))
    except NoServer as fault:
        return _answer(clients, "deny", _say("no_server", session=str(fault)))
    except ImportError as fault:
        return _unjudged(clients, folder, _say("not_installed", why=str(fault)))
    except Late:
        return _unjudged(clients, folder, f"TimeoutError: {DEADLINE_S} s, {LONGEST_S} s")
    except Exception as fault:  # noqa: BLE001 - a fault here must be seen by a person, and must not stop all edits
        return _unjudged(clients, folder, f"{type(fault).__name__}: {fault}")
    finally:
        stop()
    if not reasons:
        return {}
    reason = f"codeintel: {' '.join(reasons[:MOST_NAMED])}"
    return _tell(clients, reason) if event.moment == "done" else _answer(clients, "deny", reason)


def _keep(name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    from contextlib import suppress

    from codeintel_server.guard.prompts import keep_prompt

    with suppress(OSError):  # where nothing can be kept, nothing is known, and the prompt passes
        keep_prompt(name, document)
    return {}


def only_reads(line: str) -> bool:
    """Say whether a command line plainly runs readers alone, so that it need not be parsed.

    It may hold no sign that redirects, nests or escapes. Each part between signs that separate commands, quoted ones
    too, has to begin with a reader: so does then each command, wherever the quotes stand.
    """
    for sign in (" 2>&1", " 2>/dev/null", "&&"):
        line = line.replace(sign, ";")
    if len(line) > MAX_PLAIN or any(sign in line for sign in "><`()\\&"):
        return False
    parts = (part.split() for part in line.replace("|", ";").replace("\n", ";").split(";"))
    return all(_reads(words) for words in parts if words)


def _reads(words: Sequence[str]) -> bool:
    if words[0] == "git":
        return words[1:2] != [] and words[1] in GIT_READERS and not any(word.startswith("--ou") for word in words)
    return words[0] in READERS


def _start_clock() -> Callable[[], object]:
    """Raise `Late` here at the deadline; returns what stops the clocks. On Windows the client's own counts."""
    try:
        import _signal as signal  # type: ignore[import-not-found]  # `signal` brings `re` and `enum` along
    except ImportError:  # another Python than CPython
        import signal

    if not hasattr(signal, "setitimer"):
        return lambda: None

    def ring(*_: object) -> None:
        raise Late

    clocks = ((signal.SIGPROF, signal.ITIMER_PROF, DEADLINE_S), (signal.SIGALRM, signal.ITIMER_REAL, LONGEST_S))
    try:
        before = [signal.signal(sign, ring) for sign, _, _ in clocks]
    except ValueError:  # not the main thread
        return lambda: None
    for _, clock, limit in clocks:
        signal.setitimer(clock, limit)

    def stop() -> None:
        for (sign, clock, _), way in zip(clocks, before, strict=True):
            signal.setitimer(clock, 0)
            signal.signal(sign, way)

    return stop


def _named(arguments: Sequence[str]) -> str:
    for at, word in enumerate(arguments):
        if word == "--client" and at + 1 < len(arguments):
            return arguments[at + 1]
        if word.startswith("--client="):
            return word[len("--client=") :]
    return ""


def _answer(clients: Sequence[Client], decision: str, reason: str) -> dict[str, Any]:
    return {key: value for client in clients for key, value in client.answer(decision, reason).items()}


def _tell(clients: Sequence[Client], reason: str) -> dict[str, Any]:
    return {key: value for client in clients for key, value in client.tell(reason).items()}


def _say(name: str, **values: str) -> str:
    """Return a sentence for when no gate file brings the contract's words."""
    with open(os.path.join(os.path.dirname(__file__), "faults.json"), "rb") as file:
        return str(read_json(file.read())[name]).format(**values)


def _unjudged(clients: Sequence[Client], folder: str, fault: str) -> dict[str, Any]:
    """Answer a call that could not be judged. A client that cannot ask is denied where a session runs."""
    if any(client.asks for client in clients):
        return _answer(clients, "ask", _say("unjudged", why=fault))
    try:
        is_running = find_gate(folder) is not None
    except (BrokenGate, NoServer):
        is_running = True
    return _answer(clients, "deny", _say("unjudged_in_session", why=fault)) if is_running else {}


def _judge(event: Event) -> list[str]:
    """Return the reasons against a call that is about to be made."""
    gates = Gates(os.path.realpath(event.folder))
    found = [gates.refuse(event.folder, path) for path in event.paths]
    if not only_reads(event.line):
        from codeintel_server.guard.programs import writes

        for write in writes(event.line, os.path.realpath(event.folder)):
            found.append(_refuse(gates, write))
            if sum(map(bool, found)) >= MOST_NAMED:
                break
    return list(dict.fromkeys(filter(None, found)))


def _refuse(gates: Gates, write: Write) -> str:
    if write.says:
        gate = gates.of(os.path.realpath(write.folder))
        is_ours = gate is not None and (write.says == USERS_WORD or gate.holds(write.folder))
        return gate.say(f"tool_errors.guard.{write.says}", command=write.how) if gate and is_ours else ""
    why = gates.refuse(write.folder, write.path, write.is_tree)
    gate = gates.of(os.path.realpath(write.folder)) if why else None
    return gate.say("tool_errors.guard.command_writes", command=write.how, path=write.path, why=why) if gate else why


def _note(event: Event) -> list[str]:
    """Note a reading. It was done and cannot be denied any more: a gate that cannot be read leaves it unnoted."""
    try:
        gate = find_gate(event.folder)
    except (BrokenGate, NoServer):
        return []
    if gate is not None:
        gate.note_read(event)
    return []


def _compare(event: Event) -> list[str]:
    """Return what a command that has run left behind and may not; the next submission would find it too."""
    gate = find_gate(event.folder)
    found = gate.changed_since() if gate is not None else []
    if gate is None or not found:
        return []
    whys = [
        gate.say(f"tool_errors.check_write_target.{why}", path=path, phase=gate.policy.phase) for path, why in found
    ]
    files = ", ".join(path for path, _ in found[:MOST_NAMED])
    return [gate.say("tool_errors.guard.changed", files=files, count=str(len(found)), why=whys[0])]


_EVENTS: dict[str, Callable[[Event], list[str]]] = {
    "": lambda event: [],
    "write": _judge,
    "read": _note,
    "done": _compare,
}
"""What is done at each moment of `Event`."""


if __name__ == "__main__":
    main()
