"""Detect external changes before a submission is judged: to the session's records, branch, base and settings.

While the server lives, its memory is the truth: it writes a changed record again, reports it, and trusts nothing that
the record claims. This module decides nothing: the judges reconcile what git holds. See docs/security.md, Tampering.
"""

from pathlib import Path

from codeintel_contract import Key, quote_name, read_file
from codeintel_session.audit.logs import entry_of
from codeintel_session.git import GitRepository
from codeintel_session.git.names import HEADS
from codeintel_session.integrity.closed_phase import compare_tree
from codeintel_session.integrity.protected_files import changed, protected
from codeintel_session.machine.decide import current
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.observations import union
from codeintel_session.machine.state import SessionState
from codeintel_session.machine.steps import number_of
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.ports import Ports
from codeintel_session.records import Records
from codeintel_session.storage.lock import SessionLock
from codeintel_session.storage.project_files import file_fact

FIRST_WATCHED = number_of(Key.READY_PLAN)
"""Before READY there is no branch, and nothing is compared with the base."""


class BranchWatch:
    """The branch and base of one session at the last check; each start and resume begins with a new one."""

    def __init__(self) -> None:
        self._base_tip = ""
        self._other_branch = ""

    def look(self, ports: Ports, state: SessionState) -> tuple[SessionState, list[MessageRef]]:
        """Return the session with its base commit updated, and messages about what changed.

        Raises GitFault: git fails.
        """
        git = ports.git
        if git is None or not state.base_commit or state.flags.only_verify or state.phase_state.step < FIRST_WATCHED:
            return state, []
        branch = state.branch or state.base
        if not branch:  # quick on a detached HEAD
            return state, []
        tips = git.tips(branch, state.base)
        messages = self._branch_left(git, state, is_checked_out=tips.is_checked_out)
        is_new = tips.branch != tips.known
        if is_new and branch != state.base:
            messages += _rewritten(git, branch, is_gone=not tips.branch)
        if tips.base == self._base_tip and not is_new:
            return state, messages
        messages += self._base_moved(git, state, tips.base)
        if tips.is_checked_out and tips.base != state.base_commit:
            followed = git.followed(state.base_commit, branch, state.base)
            state = state.model_copy(update={"base_commit": followed})
        return state, messages

    def _base_moved(self, git: GitRepository, state: SessionState, tip: str) -> list[MessageRef]:
        before, self._base_tip = self._base_tip or _base_at_start(state, tip), tip
        if not tip or tip in (before, *state.commits):
            return []
        commits = "; ".join(map(quote_name, git.commits_between(before, tip))) or "none, it was put back"
        return [MessageRef("session_messages.base_commits", {"base": state.base, "commits": commits})]

    def _branch_left(self, git: GitRepository, state: SessionState, *, is_checked_out: bool) -> list[MessageRef]:
        current = "" if is_checked_out or not state.branch else git.current_branch() or "no branch"
        known, self._other_branch = self._other_branch, current
        if current in ("", known):
            return []
        return [MessageRef("session_messages.branch_left", {"branch": state.branch, "current": current})]


def _base_at_start(state: SessionState, tip: str) -> str:
    if state.branch_policy == "adopted":  # created by another session; its base's tip at that time is not known
        return tip
    return state.commits[-1] if state.branch_policy == "in_place" and state.commits else state.base_commit


def _rewritten(git: GitRepository, branch: str, *, is_gone: bool) -> list[MessageRef]:
    trash_ref = git.keep_tip(branch)
    if not trash_ref:
        return []
    key = "branch_deleted" if is_gone else "branch_rewritten"
    return [MessageRef(f"session_messages.{key}", {"branch": branch, "ref": trash_ref})]


RECONCILED = (Key.READY_IMPL, Key.READY_COMPLETE, Key.PRE_COMMIT, Key.QUALITY_REVIEW, Key.MERGE)
READS = "seen.jsonl"
"""What the client's own reading tools were seen to read, noted by its hook: a line a file."""
READS_BYTES = 1_000_000
READS_AT_ONCE = 500
"""Reads of the client accepted with one submission: anybody can write the notes of its hook."""


class ExternalChanges:
    """The checks of one session. `begin` is called when another one starts or is resumed."""

    def __init__(self, records: Records, lock: SessionLock) -> None:
        self._records = records
        self._lock = lock
        self.begin()

    def begin(self) -> None:
        """Forget the session before."""
        self._branch = BranchWatch()
        self._messages: list[MessageRef] = []
        self.taken: list[MessageRef] = []  # what the last reply carried
        self._protected: dict[str, str] | None = None

    def take(self) -> list[MessageRef]:
        """Return the messages that no reply has carried yet."""
        self.taken, self._messages = self._messages, []
        return self.taken

    def hold(self) -> None:
        """Ensure that this process still holds the project's lock.

        Raises ContractViolation: `session_active`, if the lock was removed and another process has taken it.
        """
        if self._lock.retake(self._records.now()):
            self._messages.append(MessageRef("session_messages.lock_removed"))

    def look(self, ports: Ports, state: SessionState) -> SessionState:
        """Return the session with its base and seen files updated, and collect messages about changes.

        Raises GitFault: git fails.
        """
        if files := self._records.take_tampered(state):
            self._messages.append(MessageRef("session_messages.records_changed", {"files": names_of(files)}))
        base_before = state.base_commit
        state, messages = self._branch.look(ports, self._with_reads_of_client(ports, state))
        self._messages += [*messages, *_changed_verifiers(ports, state)]
        if ports.git is not None and state.intent.implements:
            state, messages = compare_tree(ports.git, state, base_before)
            self._messages += messages
        self._check_protected(ports, state)
        return state

    def _check_protected(self, ports: Ports, state: SessionState) -> None:
        """Report protected files that changed, in phases that reconcile the diff; the user may have changed them."""
        if state.protected is None or current(state).key not in RECONCILED:
            return
        was = state.protected if self._protected is None else self._protected
        now = self._protected = protected(ports.root, ports.git)
        git = ports.git

        def is_new_branch(name: str) -> bool:  # git writes settings of a branch that it makes
            return HEADS + name not in state.refs and git is not None and git.branch_head(name) is not None

        if files := changed(was, now, is_new_branch):
            self._messages.append(MessageRef("session_messages.protected_changed", {"files": names_of(files)}))

    def _with_reads_of_client(self, ports: Ports, state: SessionState) -> SessionState:
        """Return the session with the files that the client's own tools read, as its hook noted them."""
        noted = take_reads(self._records.store.folder, state.session_id)
        facts = (file_fact(ports.root, path) for path in noted[:READS_AT_ONCE])
        read = [fact.path for fact in facts if fact.exists]
        return state.model_copy(update={"seen": union(state.seen, read)}) if read else state


def take_reads(folder: Path, session_id: str) -> tuple[str, ...]:
    """Return the paths that the client's hook noted for a session, each once; the notes are gone afterwards."""
    try:
        lines = read_file(folder, READS, READS_BYTES, whole=False).splitlines()
        (folder / READS).unlink()
    except OSError:
        return ()
    entries = (entry for line in lines if (entry := entry_of(line)) and entry.get("session_id") == session_id)
    return tuple(path for path in dict.fromkeys(str(entry.get("path", "")) for entry in entries) if path)


def _changed_verifiers(ports: Ports, state: SessionState) -> list[MessageRef]:
    """Report verifiers that differ from those at the start of the session, in the phase that uses them."""
    if state.verifiers is None or current(state).key is not Key.POST_IMPL_VERIFY:
        return []
    now = {name: verifier.command for name, verifier in ports.library.verifiers().items()}
    files = sorted(name for name in now.keys() | state.verifiers.keys() if now.get(name) != state.verifiers.get(name))
    return [MessageRef("session_messages.verifiers_changed", {"files": names_of(files)})] if files else []
