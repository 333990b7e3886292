"""What is looked at before a submission is judged: whether anything was changed behind the server's back.

The server's memory is the truth while it lives, so a changed record is written anew and said; nothing that a record
claims is believed. What git holds is reconciled by the judges. See docs/security.md, Tampering.
"""

from codeintel_contract.names import Key

from .adapters.files import file_fact
from .adapters.lock import SessionLock
from .adapters.protected import protected
from .branchwatch import BranchWatch
from .machine.decide import current
from .machine.naming import names_of
from .machine.state import SessionState
from .machine.verdict import Say
from .ports import Ports
from .records import Records

RECONCILED = (Key.READY_IMPL, Key.READY_COMPLETE, Key.PRE_COMMIT)
READS_AT_ONCE = 500
"""Reads of the client that are taken in with one submission: its notes can be written by anybody."""


class Wires:
    """The looks at one session. `begin` is called when another one starts or is resumed."""

    def __init__(self, records: Records, lock: SessionLock) -> None:
        self._records = records
        self._lock = lock
        self.begin()

    def begin(self) -> None:
        """Forget what was said about the session before."""
        self._branch = BranchWatch()
        self._said: list[Say] = []
        self._protected: dict[str, str] | None = None

    def take(self) -> list[Say]:
        """What was found and not said yet."""
        said, self._said = self._said, []
        return said

    def hold(self) -> None:
        """Make sure that the project is still this process's.

        Raises:
            ContractViolation: `session_active`, if the lock was removed and another process has taken it.
        """
        if self._lock.retake(self._records.now()):
            self._said.append(Say("session_messages.lock_removed"))

    def look(self, ports: Ports, state: SessionState) -> SessionState:
        """The session with what was learned.

        Raises:
            GitFault: git cannot be asked.
        """
        if files := self._records.tampered(state):
            self._said.append(Say("session_messages.records_changed", {"files": names_of(files)}))
        state, said = self._branch.look(ports, self._with_reads_of_client(ports, state))
        self._said += [*said, *_verifiers(ports, state)]
        self._look_at_protected(ports, state)
        return state

    def _look_at_protected(self, ports: Ports, state: SessionState) -> None:
        """Say which protected files were changed, where the diff is reconciled; the user may have done it."""
        if state.protected is None or current(state).key not in RECONCILED:
            return
        was = state.protected if self._protected is None else self._protected
        now = self._protected = protected(ports.root, ports.git)
        if files := sorted(name for name in now.keys() | was.keys() if now.get(name) != was.get(name)):
            self._said.append(Say("session_messages.protected_changed", {"files": names_of(files)}))

    def _with_reads_of_client(self, ports: Ports, state: SessionState) -> SessionState:
        """The session with what the client's hook saw its own tools read."""
        facts = (file_fact(ports.root, path) for path in self._records.read_by_client(state)[:READS_AT_ONCE])
        shown = tuple(fact.path for fact in facts if fact.exists)
        return state.model_copy(update={"seen": tuple(dict.fromkeys((*state.seen, *shown)))}) if shown else state


def _verifiers(ports: Ports, state: SessionState) -> list[Say]:
    """Verifiers that differ from those the session began with, where they count."""
    if state.verifiers is None or current(state).key is not Key.POST_IMPL_VERIFY:
        return []
    now = {name: verifier.command for name, verifier in ports.library.verifiers().items()}
    files = sorted(name for name in now.keys() | state.verifiers.keys() if now.get(name) != state.verifiers.get(name))
    return [Say("session_messages.verifiers_changed", {"files": names_of(files)})] if files else []
