"""The gate file: what may be written just now, for the hook of a client, which must answer without this package.

It follows every checkpoint and is a copy: nothing reads it back, so that an agent that edits it gains a hook that says
yes and a reconciliation that says no. An edit is noticed, because the server knows what it wrote.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from codeintel_contract import GATE_FILE, Contract, Gate
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.write_policy import write_policy
from codeintel_session.storage.file_snapshot import FileSnapshot

NAME = PurePosixPath(GATE_FILE).name
WORDS = ("tool_errors.check_write_target.", "tool_errors.guard.")
"""Where the contract file holds what the hook says."""


class GateFile:
    """The gate file of one project. The hook speaks the words of the contract that `contract_of` a session finds."""

    def __init__(self, folder: Path, contract_of: Callable[[str | None], Contract]) -> None:
        self._path = folder / NAME
        self._contract_of = contract_of
        self._messages: dict[str, Mapping[str, str]] = {}
        self._data = b""
        self.written = FileSnapshot()

    def write(self, state: SessionState) -> None:
        """Write what the session may change, if that differs from what was written last."""
        gate = Gate(state.session_id, os.getpid(), write_policy(state), self._words(state))
        data = json.dumps(gate.dump(), ensure_ascii=False).encode("utf-8", "surrogatepass")
        if data == self._data and not self.written.was_changed():
            return
        new = self._path.with_suffix(".tmp")
        new.write_bytes(data)
        new.chmod(0o600)
        os.replace(new, self._path)
        self._data = data
        self.written.wrote(self._path, data)

    def _words(self, state: SessionState) -> Mapping[str, str]:
        if state.contract_digest not in self._messages:
            messages = self._contract_of(state.contract_source).messages
            words = {key: message.message for key, message in messages.items() if key.startswith(WORDS)}
            self._messages = {state.contract_digest: words}
        return self._messages[state.contract_digest]

    def remove(self) -> None:
        """Remove the file: no session is running here any more."""
        if self._data:
            self._path.unlink(missing_ok=True)
        self._data = b""
        self.written.forget()
