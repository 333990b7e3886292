"""Whether the commands of a project may run: a digest the user agreed to, kept outside the repository.

It is one of the verifiers that name a command, whole, and of the project's own contract: what is run, and what sends
the agent to run it.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from codeintel_server.library import CONTRACT, ProjectLibrary
from codeintel_session.adapters.atomic import write_atomically
from codeintel_session.ports import Verifier


def state_folder() -> Path:
    """What is the user's own and no repository's (XDG_STATE_HOME, else ~/.local/state)."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "codeintel"


def state_file() -> Path:
    """`trust.json` in the user's state folder."""
    return state_folder() / "trust.json"


def _read() -> dict[str, str]:
    try:
        return dict(json.loads(state_file().read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):  # nothing that can be read is trusted
        return {}


def digest_of(library: ProjectLibrary, verifiers: Mapping[str, Verifier] | None = None) -> str:
    """Digest of everything that decides what `run_verifier` would execute: of these verifiers, if they are given."""
    known = (library.verifiers() if verifiers is None else verifiers).values()
    parts = [f"{one.name}\0{one.command}\0{one.report}\0{one.text}" for one in known if one.command]
    contract = library.home / CONTRACT
    own = contract.read_bytes() if contract.is_file() else b""
    return hashlib.sha256("\0".join(parts).encode() + b"\0" + own).hexdigest()


def is_trusted(library: ProjectLibrary, verifiers: Mapping[str, Verifier] | None = None) -> bool:
    """True if the commands are the ones that were trusted: those of `verifiers`, if they were read before."""
    return _read().get(str(library.root.resolve())) == digest_of(library, verifiers)


def trust(library: ProjectLibrary) -> None:
    """Remember the commands as they stand now as trusted."""
    known = _read() | {str(library.root.resolve()): digest_of(library)}
    path = state_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(known, indent=1).encode())
