"""The write rule as the guard applies it: what the gate file says, about a path on disk. Fails closed.

The server writes `.code-intel/sessions/gate.json` with every checkpoint. Without a live session the guard has nothing
to say: people work without the workflow too.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GATE = ".code-intel/sessions/gate.json"
PROTECTED = (".git", ".code-intel")
STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/tty")
WAIT_S = 2


class Broken(Exception):
    """A gate file that a session needs and that cannot be read."""


class Gate:
    """What a session may write just now, read from the gate file. `root` is resolved."""

    __slots__ = ("explored", "folders", "is_open", "names", "phase", "root", "session_id")

    def __init__(self, root: str, document: dict[str, Any]) -> None:
        self.root = os.path.realpath(root)
        self.session_id = str(document["session_id"])
        self.phase = str(document["phase"])
        self.is_open = document["open"] is True
        self.explored = frozenset(map(str, document["explored"]))
        self.folders = frozenset(map(str, document["folders"]))
        self.names = frozenset(map(str, document["names"]))


def find_gate(folder: str) -> Gate | None:
    """The gate of the project that holds a folder; None where no session is running.

    Raises:
        Broken: there is a gate file, and it is not one.
    """
    root = os.path.realpath(folder)
    while True:
        path = os.path.join(root, GATE)
        if os.path.isfile(path):
            return _read(root, path)
        parent = os.path.dirname(root)
        if parent == root or os.path.exists(os.path.join(root, ".git")):
            return None
        root = parent


def _read(root: str, path: str) -> Gate | None:
    try:
        with open(path, encoding="utf-8", errors="surrogatepass") as file:
            document: dict[str, Any] = json.load(file)
        return Gate(root, document) if _lives(int(document["pid"])) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise Broken(f"{GATE} cannot be read ({type(error).__name__}: {error})") from error


def _lives(pid: int) -> bool:
    """Whether the server that wrote the gate is still there."""
    if os.name == "nt":  # signal 0 would end the process there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


def refusal(gate: Gate, folder: str, name: str) -> str:
    """Why a path may not be written now and what to do, "" if it may."""
    if name in STREAMS or (name.startswith("/dev/fd/") and name[8:].isdigit()):
        return ""  # in this process they lead elsewhere than they will in the command's
    path = resolved(folder, name)
    if path is None:
        return f"{name!r} is no path"
    inside = below(gate.root, path)
    if inside is None:
        return "" if _is_scratch(path) else f"{name} is outside the project; work inside it"
    parts = inside.lower().split("/")
    if ".git" in parts or parts[0] in PROTECTED:
        return f"{inside} belongs to git or to codeintel; leave it to the user"
    why = _why_not(gate, path, inside)
    return "" if not why or _is_ignored(gate.root, inside) else why


def resolved(folder: str, name: str) -> str | None:
    """The path with all links followed, None for what is no path."""
    try:
        return os.path.realpath(os.path.join(folder, os.path.expanduser(name)))
    except (OSError, ValueError):
        return None


def below(root: str, path: str) -> str | None:
    """The path seen from the root, with `/`; "." for the root itself, None outside it."""
    if path == root:
        return "."
    head = root.rstrip(os.sep) + os.sep
    return path[len(head) :].replace(os.sep, "/") if path.startswith(head) else None


def _why_not(gate: Gate, path: str, inside: str) -> str:
    if not gate.is_open:
        return f"files can be changed in READY (implement) only, and this is {gate.phase}; call get_session_status"
    if os.path.isdir(path):
        return f"{inside} is a folder; name the files in it that have been explored"
    if os.path.lexists(path):
        known = inside in gate.explored
        return "" if known else f"{inside} has not been explored; call add_explored_files(files=['{inside}']) first"
    parent = os.path.dirname(path)
    while not os.path.isdir(parent):
        parent = os.path.dirname(parent)
    nearest = below(gate.root, parent)
    if ("" if nearest == "." else nearest) in gate.folders and inside in gate.names:
        return ""
    return f"the plan does not name {inside}; call add_explored_files(files=['{inside}']) first"


def _is_scratch(path: str) -> bool:
    """Places that hold nobody's work: devices, and temporary files."""
    folders = ["/dev", "/tmp", "/var/tmp", *(os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP"))]
    return any(below(os.path.realpath(folder), path) is not None for folder in folders if folder)


def _is_ignored(root: str, inside: str) -> bool:
    """A file that git ignores is no part of the work. Asked only when the answer would else be no."""
    import subprocess

    command = ["git", "-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--", inside]
    try:
        done = subprocess.run(
            command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=WAIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
