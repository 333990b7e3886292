"""The write rule as the guard applies it: what the gate file says, about a path on disk. Fails closed.

The server writes `.code-intel/sessions/gate.json` with every checkpoint. Without a live session the guard has nothing
to say: people work without the workflow too.
"""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GATE = ".code-intel/sessions/gate.json"
PROTECTED = (".git", ".code-intel")
WAIT_S = 2


class Broken(Exception):
    """A gate file that a session needs and that cannot be read."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What a session may write just now."""

    root: Path
    session_id: str
    phase: str
    is_open: bool
    explored: frozenset[str] = field(default_factory=frozenset)
    folders: frozenset[str] = field(default_factory=frozenset)
    names: frozenset[str] = field(default_factory=frozenset)


def find_gate(folder: Path) -> Gate | None:
    """The gate of the project that holds a folder; None where no session is running.

    Raises:
        Broken: there is a gate file, and it is not one.
    """
    for root in (folder, *folder.parents):
        path = root / GATE
        if path.is_file():
            return _read(root, path)
        if (root / ".git").exists():
            return None
    return None


def _read(root: Path, path: Path) -> Gate | None:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not _lives(int(document["pid"])):
            return None
        sets = {name: frozenset(map(str, document[name])) for name in ("explored", "folders", "names")}
        return Gate(root, str(document["session_id"]), str(document["phase"]), bool(document["open"]), **sets)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Broken(f"{GATE} cannot be read ({error})") from error


def _lives(pid: int) -> bool:
    """Whether the server that wrote the gate is still there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's, or this system cannot tell
        return True
    return True


def refusal(gate: Gate, folder: Path, name: str) -> str:
    """Why a path may not be written now and what to do, "" if it may."""
    path = _resolved(folder, name)
    if path is None:
        return f"{name} is no path"
    try:
        inside = path.relative_to(gate.root.resolve()).as_posix()
    except ValueError:
        return "" if _is_scratch(path) else f"{name} is outside the project; work inside it"
    if any(part.lower() == ".git" for part in path.parts) or inside.split("/")[0].lower() in PROTECTED:
        return f"{inside} belongs to git or to codeintel; leave it to the user"
    why = _why_not(gate, path, inside)
    return "" if not why or _is_ignored(gate.root, inside) else why


def _why_not(gate: Gate, path: Path, inside: str) -> str:
    if not gate.is_open:
        return f"files can be changed in READY (implement) only, and this is {gate.phase}; call get_session_status"
    if path.exists():
        known = inside in gate.explored
        return "" if known else f"{inside} has not been explored; call add_explored_files(files=['{inside}']) first"
    parent = path.parent
    while not parent.exists():
        parent = parent.parent
    nearest = parent.relative_to(gate.root.resolve()).as_posix()
    if ("" if nearest == "." else nearest) in gate.folders and inside in gate.names:
        return ""
    return f"the plan does not name {inside}; call add_explored_files(files=['{inside}']) first"


def _resolved(folder: Path, name: str) -> Path | None:
    try:
        return (folder / os.path.expanduser(name)).resolve()
    except (OSError, ValueError, RuntimeError):
        return None


def _is_scratch(path: Path) -> bool:
    """Places that hold nobody's work: devices, and temporary files."""
    return path.is_relative_to("/dev") or path.is_relative_to(Path(tempfile.gettempdir()).resolve())


def _is_ignored(root: Path, inside: str) -> bool:
    """A file that git ignores is no part of the work. Asked only when the answer would else be no."""
    command = ["git", "-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--", inside]
    try:
        done = subprocess.run(
            command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=WAIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
