"""Whether the commands of a project may run: a digest the user agreed to, kept outside the repository.

It is one of the verifiers that name a command, whole, and of the project's own contract: what is run, and what sends
the agent to run it.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from codeintel_session import Verifier, change_atomically


class TrustedFiles(Protocol):
    """What of a project is trusted or not."""

    root: Path

    def verifiers(self) -> Mapping[str, Verifier]:
        """Verifiers by file name."""

    def contract_bytes(self) -> bytes:
        """The project's own contract file, empty if it has none."""


def state_folder() -> Path:
    """What is the user's own and no repository's (XDG_STATE_HOME, else ~/.local/state)."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "codeintel"


def state_file() -> Path:
    """`trust.json` in the user's state folder."""
    return state_folder() / "trust.json"


@dataclass(frozen=True, slots=True)
class Trusted:
    """What the user agreed to: the digest, and the commands by verifier, to show what changed since."""

    digest: str
    commands: Mapping[str, str]


def _read() -> dict[str, Any]:
    try:
        return dict(json.loads(state_file().read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):  # nothing that can be read is trusted
        return {}


def last_trusted(root: Path) -> Trusted | None:
    """Return what the user agreed to last in a project, None if they never did."""
    entry = _read().get(str(root.resolve()))
    if not isinstance(entry, dict) or not isinstance(entry.get("commands"), dict):
        return None
    return Trusted(str(entry.get("digest", "")), {str(name): str(line) for name, line in entry["commands"].items()})


def commands_of(library: TrustedFiles) -> dict[str, str]:
    """Return the commands of a project by verifier."""
    return {name: verifier.command for name, verifier in library.verifiers().items() if verifier.command}


def digest_of(library: TrustedFiles, verifiers: Mapping[str, Verifier] | None = None) -> str:
    """Digest of everything that decides what `run_verifier` would execute: of these verifiers, if they are given."""
    known = (library.verifiers() if verifiers is None else verifiers).values()
    parts = [f"{one.name}\0{one.command}\0{one.report}\0{one.text}{_setup(one)}" for one in known if one.command]
    return hashlib.sha256("\0".join(parts).encode() + b"\0" + library.contract_bytes()).hexdigest()


def _setup(verifier: Verifier) -> str:
    return f"\0setup\0{verifier.setup}" if verifier.setup else ""


def is_trusted(library: TrustedFiles, verifiers: Mapping[str, Verifier] | None = None) -> bool:
    """True if the commands are the ones that were trusted: those of `verifiers`, if they were read before."""
    last = last_trusted(library.root)
    return last is not None and last.digest == digest_of(library, verifiers)


def trust(library: TrustedFiles) -> None:
    """Remember the commands as they stand now as trusted."""
    entry = {"digest": digest_of(library), "commands": commands_of(library)}
    path = state_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    name = str(library.root.resolve())
    change_atomically(path, lambda: json.dumps(_read() | {name: entry}, indent=1).encode())
