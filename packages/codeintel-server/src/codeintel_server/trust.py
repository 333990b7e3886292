"""Whether the commands of a project may run: a digest the user agreed to, kept outside the repository."""

import json
import os
from pathlib import Path

from codeintel_server.library import ProjectLibrary
from codeintel_session.adapters.atomic import write_atomically


def state_folder() -> Path:
    """What is the user's own and no repository's (XDG_STATE_HOME, else ~/.local/state)."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "codeintel"


def state_file() -> Path:
    """`trust.json` in the user's state folder."""
    return state_folder() / "trust.json"


def _read() -> dict[str, str]:
    path = state_file()
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def is_trusted(library: ProjectLibrary) -> bool:
    """True if the commands are the ones that were trusted."""
    return _read().get(str(library.root.resolve())) == library.commands_digest()


def trust(library: ProjectLibrary) -> None:
    """Remember the commands as they stand now as trusted."""
    known = _read() | {str(library.root.resolve()): library.commands_digest()}
    path = state_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(known, indent=1).encode())
