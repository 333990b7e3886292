"""Checkpoints on disk: a dump of the state with a digest and a seal; the previous one is kept as `.bak`.

A file whose digest or seal differs was edited or damaged and is refused. For a file that cannot be read at all the
backup is tried. An unusable file is set aside as `.corrupt`, never deleted.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from codeintel_contract import SCHEMA_VERSION, ContractViolation, read_file
from codeintel_session.machine.limits import CHECKPOINT_BYTES
from codeintel_session.machine.state import SessionState
from codeintel_session.storage.atomic import write_atomically
from codeintel_session.storage.file_snapshot import FileSnapshot
from codeintel_session.storage.seal import Origin, Seal

KEEP_ARCHIVED = 50
MAX_BYTES = 64 * CHECKPOINT_BYTES
"""Length of a checkpoint that is read: the limit above shortens summaries, never the state."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A checkpoint that was read. `logs` are log marks by name."""

    state: SessionState
    saved_at: float
    origin: Origin = Origin.UNKNOWN
    logs: Mapping[str, str] = field(default_factory=dict)


class UnreadableCheckpoint(Exception):
    """A checkpoint that cannot be used; the message is the reason."""


class ForeignCheckpoint(UnreadableCheckpoint):
    """A complete file that this version did not write as it is: falling back to the backup would hide that."""


def encode(state: SessionState, logs: Mapping[str, str] | None = None, seal: Seal | None = None) -> bytes:
    """Return the bytes of a checkpoint; older summaries are shortened until it fits the limit, the state never is."""
    summaries = dict(state.summaries)
    data = _pack(state, summaries, logs or {}, seal)
    for key in list(summaries):
        if len(data) <= CHECKPOINT_BYTES:
            break
        summaries[key] = summaries[key][:80]
        data = _pack(state, summaries, logs or {}, seal)
    return data


def _pack(state: SessionState, summaries: dict[str, str], logs: Mapping[str, str], seal: Seal | None) -> bytes:
    body = {
        "schema_version": SCHEMA_VERSION,
        # File names are git's, byte for byte; pydantic's JSON mode would replace bytes that are not UTF-8.
        "orchestrator_state": state.model_dump(exclude={"summaries"}),
        "phase_payloads": {key: {"summary": text} for key, text in summaries.items()},
        "logs": dict(logs),
    }
    plain = _canonical(body)
    stamp = seal.stamp(state.session_id, plain) if seal else {}
    return _canonical({"sha256": hashlib.sha256(plain).hexdigest(), "seal": stamp, **body})


def _canonical(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")


def read_checkpoint(path: Path) -> SessionState:
    """Read the state in a checkpoint file, whoever wrote it.

    Raises:
        UnreadableCheckpoint: as `read`.
        OSError: it is gone, or no regular file of the folder.
    """
    return read(_content(path)).state


def readable(paths: Iterable[Path]) -> Iterator[SessionState]:
    """Yield the states of the checkpoint files that can be read, whoever wrote them."""
    for path in paths:
        with suppress(UnreadableCheckpoint, OSError):
            yield read_checkpoint(path)


def _content(path: Path) -> bytes:
    return read_file(path.parent, path, MAX_BYTES)


def read(data: bytes, saved_at: float = 0.0, seal: Seal | None = None) -> Saved:
    """Return a checkpoint with its origin and the marks of its logs.

    Raises UnreadableCheckpoint: not JSON, a newer schema, a digest or seal that differs, or a state that does not
    validate.
    """
    try:
        body = json.loads(data)
        stated, stamp = body.pop("sha256"), body.pop("seal", {})
        version = body["schema_version"]
        plain = _canonical(body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableCheckpoint(f"it is not a checkpoint ({type(error).__name__})") from None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise ForeignCheckpoint(f"it was written by a newer version (schema {version})")
    if stated != hashlib.sha256(plain).hexdigest():
        raise ForeignCheckpoint("its digest differs, so it was edited or damaged")
    try:
        summaries = {key: entry["summary"] for key, entry in body["phase_payloads"].items()}
        state = SessionState.model_validate({**body["orchestrator_state"], "summaries": summaries})
        logs = {str(name): str(mark) for name, mark in body.get("logs", {}).items()}
    except (ValidationError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableCheckpoint(f"its state does not validate ({type(error).__name__})") from None
    origin = seal.origin(state.session_id, stamp, plain) if seal else Origin.UNKNOWN
    if origin is Origin.FORGED:
        raise ForeignCheckpoint("its seal differs, so someone other than the server wrote it")
    return Saved(state, saved_at, origin=origin, logs=logs)


class CheckpointStore:
    """The `sessions` folder of a project."""

    def __init__(self, folder: Path, seal: Seal | None = None) -> None:
        self.folder = folder
        self._seal = seal
        self.written = FileSnapshot()

    def save(self, state: SessionState, logs: Mapping[str, str] | None = None) -> None:
        """Write a checkpoint durably; the previous one becomes `.bak`."""
        path = self._path(state.session_id)
        data = encode(state, logs, self._seal)
        if path.exists():
            _copy(path, path.with_suffix(".json.bak"))
        write_atomically(path, data)
        self.written.wrote(path, data)

    def load(self, session_id: str) -> Saved:
        """Return one checkpoint, or its backup.

        Raises ContractViolation: `checkpoint_restore_failed`; the unusable file is kept as `.corrupt`.
        """
        path = self._path(session_id)
        try:
            return self._read(path)
        except ForeignCheckpoint as error:
            raise self._refused(path, session_id, error) from None
        except (UnreadableCheckpoint, OSError) as error:
            return self._load_backup(path, session_id, error)

    def _read(self, path: Path) -> Saved:
        saved = read(_content(path), path.stat().st_mtime, self._seal)
        if saved.state.session_id != path.name.partition(".")[0]:
            raise ForeignCheckpoint("it belongs to another session")
        return saved

    def _load_backup(self, path: Path, session_id: str, error: Exception) -> Saved:
        backup = path.with_suffix(".json.bak")
        try:
            saved = self._read(backup)
        except (UnreadableCheckpoint, OSError) as worse:
            # A backup that cannot be read either must not be listed again.
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
        """List the ids of sessions with a checkpoint, newest first."""
        names = {path.name.split(".")[0] for pattern in ("*.json", "*.json.bak") for path in self.folder.glob(pattern)}
        return sorted((name for name in names if name[:8].isdigit()), reverse=True)

    def usable(self) -> Iterator[Saved]:
        """Yield the checkpoints that can be used, newest first, and set aside those that cannot."""
        for session_id in self.ids():
            with suppress(ContractViolation):
                yield self.load(session_id)

    def archive(self, state: SessionState) -> None:
        """Move the checkpoint of a finished session to the archive, which keeps the newest `KEEP_ARCHIVED`."""
        folder = self.folder / "archive"
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / f"{state.session_id}.json", encode(state, seal=self._seal))
        self.remove(state.session_id)
        if self._seal:
            self._seal.forget(state.session_id)
        for old in sorted(folder.glob("*.json"), reverse=True)[KEEP_ARCHIVED:]:
            old.unlink()

    def ended_last(self) -> SessionState | None:
        """Return the session that was archived last; None if there is none, or its file was changed since."""
        for path in self.archived()[:1]:
            try:
                saved = self._read(path)
            except (UnreadableCheckpoint, OSError):
                return None
            return saved.state if self._seal is None or saved.origin is Origin.OURS else None
        return None

    def archived(self) -> list[Path]:
        """List the archived checkpoints, newest first."""
        return sorted((self.folder / "archive").glob("*.json"), reverse=True)

    def remove(self, session_id: str) -> None:
        """Delete a checkpoint and its backup."""
        path = self._path(session_id)
        self.written.forget()
        path.unlink(missing_ok=True)
        path.with_suffix(".json.bak").unlink(missing_ok=True)

    def _path(self, session_id: str) -> Path:
        if not session_id.replace("_", "").isalnum():
            raise ContractViolation(
                "tool_errors.get_session_status.unknown_session", session_id=session_id, known=", ".join(self.ids())
            )
        return self.folder / f"{session_id}.json"


def _copy(path: Path, backup: Path) -> None:
    """Create a hard link to the file as its backup, or a copy where the file system has no hard links."""
    backup.unlink(missing_ok=True)
    try:
        os.link(path, backup)
    except OSError:
        write_atomically(backup, _content(path))
