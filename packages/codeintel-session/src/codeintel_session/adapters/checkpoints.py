"""Checkpoints on disk: the state model dumped, with a digest, the previous one kept as `.bak`.

A file whose digest differs was edited or torn and is refused; the backup is tried; what cannot be read
is kept aside as `.corrupt`, never deleted.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from codeintel_contract.names import SCHEMA_VERSION
from codeintel_contract.violations import ContractViolation
from codeintel_session.machine.limits import CHECKPOINT_BYTES
from codeintel_session.machine.state import SessionState

from .atomic import write_atomically

KEEP_ARCHIVED = 50


@dataclass(frozen=True, slots=True)
class Saved:
    """A checkpoint that was read. `from_backup` is true if the newer file could not be used."""

    state: SessionState
    saved_at: float
    from_backup: bool = False


class Unreadable(Exception):
    """A checkpoint that cannot be used, and why."""


class Foreign(Unreadable):
    """A whole file that is not as this version wrote it: falling back to the one before would hide that."""


def encode(state: SessionState) -> bytes:
    """The file's bytes; older summaries are shortened until it fits the limit, the state never is."""
    summaries = dict(state.summaries)
    data = _pack(state, summaries)
    for key in list(summaries):
        if len(data) <= CHECKPOINT_BYTES:
            break
        summaries[key] = summaries[key][:80]
        data = _pack(state, summaries)
    return data


def _pack(state: SessionState, summaries: dict[str, str]) -> bytes:
    dumped = state.model_dump(mode="json", exclude={"summaries", "dirty_at_start"})
    body = {
        "schema_version": SCHEMA_VERSION,
        # Names of files are what git said, byte for byte; a JSON dump would put question marks into some.
        "orchestrator_state": {**dumped, "dirty_at_start": state.dirty_at_start},
        "phase_payloads": {key: {"summary": text} for key, text in summaries.items()},
    }
    return _canonical({"sha256": _digest(body), **body})


def _canonical(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(body)).hexdigest()


def decode(data: bytes) -> SessionState:
    """The state in a checkpoint.

    Raises:
        Unreadable: not JSON, a newer schema, a digest that differs, or a state that does not validate.
    """
    try:
        body = json.loads(data)
        stated = body.pop("sha256")
        version = body["schema_version"]
        digest = _digest(body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable(f"it is not a checkpoint ({type(error).__name__})") from None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise Foreign(f"it was written by a newer version (schema {version})")
    if stated != digest:
        raise Foreign("its digest differs, so it was edited or damaged")
    try:
        summaries = {key: entry["summary"] for key, entry in body["phase_payloads"].items()}
        return SessionState.model_validate({**body["orchestrator_state"], "summaries": summaries})
    except (ValidationError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable(f"its state does not validate ({type(error).__name__})") from None


class CheckpointStore:
    """The `sessions` folder of a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, state: SessionState) -> None:
        """Write durably; the previous file becomes `.bak`."""
        path = self._path(state.session_id)
        data = encode(state)
        if path.exists():
            _copy(path, path.with_suffix(".json.bak"))
        write_atomically(path, data)

    def load(self, session_id: str) -> Saved:
        """Read one checkpoint, or its backup.

        Raises:
            ContractViolation: `checkpoint_restore_failed`; the unusable file is kept as `.corrupt`.
        """
        path = self._path(session_id)
        try:
            return Saved(decode(path.read_bytes()), path.stat().st_mtime)
        except Foreign as error:
            raise self._refused(path, session_id, error) from None
        except (Unreadable, OSError) as error:
            return self._load_backup(path, session_id, error)

    def _load_backup(self, path: Path, session_id: str, error: Exception) -> Saved:
        backup = path.with_suffix(".json.bak")
        try:
            saved = Saved(decode(backup.read_bytes()), backup.stat().st_mtime, from_backup=True)
        except (Unreadable, OSError) as worse:
            # A backup that cannot be read either must not be found again by every later look.
            self._set_aside(backup)
            why = worse if isinstance(error, FileNotFoundError) else error
            raise self._refused(path, session_id, why) from None
        self._set_aside(path)
        return saved

    def _refused(self, path: Path, session_id: str, error: Exception) -> ContractViolation:
        self._set_aside(path)
        return ContractViolation("session_messages.checkpoint_restore_failed", session_id=session_id, why=str(error))

    def _set_aside(self, path: Path) -> None:
        if path.exists():
            os.replace(path, path.with_name(f"{path.name}.corrupt"))

    def ids(self) -> list[str]:
        """Session ids with a checkpoint, newest first."""
        found = {path.name.split(".")[0] for pattern in ("*.json", "*.json.bak") for path in self.folder.glob(pattern)}
        return sorted((name for name in found if name[:8].isdigit()), reverse=True)

    def archive(self, state: SessionState) -> Path:
        """Move a finished session out of the way; the 50 newest are kept."""
        folder = self.folder / "archive"
        folder.mkdir(exist_ok=True)
        target = folder / f"{state.session_id}.json"
        write_atomically(target, encode(state))
        self.remove(state.session_id)
        for old in sorted(folder.glob("*.json"), reverse=True)[KEEP_ARCHIVED:]:
            old.unlink()
        return target

    def archived(self) -> list[Path]:
        """Archived checkpoints, newest first."""
        return sorted((self.folder / "archive").glob("*.json"), reverse=True)

    def remove(self, session_id: str) -> None:
        """Take a checkpoint and its backup away."""
        path = self._path(session_id)
        path.unlink(missing_ok=True)
        path.with_suffix(".json.bak").unlink(missing_ok=True)

    def _path(self, session_id: str) -> Path:
        if not session_id.replace("_", "").isalnum():
            raise ContractViolation(
                "tool_errors.get_session_status.unknown_session", session_id=session_id, known=", ".join(self.ids())
            )
        return self.folder / f"{session_id}.json"


def _copy(path: Path, backup: Path) -> None:
    """A second name for the file; a copy where the file system has no second names."""
    backup.unlink(missing_ok=True)
    try:
        os.link(path, backup)
    except OSError:
        write_atomically(backup, path.read_bytes())
