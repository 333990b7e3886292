"""The session's own tools for working with files: may I write, let me look, what have I changed."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from codeintel_contract.names import Phase
from codeintel_contract.violations import ContractViolation

from .adapters.checkpoints import CheckpointStore
from .adapters.files import confine, file_fact, relative, write_target
from .adapters.git import GitFault, GitRepository
from .changed import changes_of
from .machine.facts import Changed
from .machine.gate import check_write, folder_of, is_protected, unexplored
from .machine.state import SessionState
from .runner import merge_stale
from .service import SessionService

DIFF_BYTES = 3000
"""Length at which the diff of one file is cut."""
ADDING = (Phase.READY, Phase.PRE_COMMIT, Phase.QUALITY_REVIEW, Phase.MERGE)
"""Where files can be added: while implementing, and where a change nobody explored may stop the commit."""


def check_write_target(service: SessionService, file_path: str) -> dict[str, Any]:
    """Whether a file may be written now. A new file that may is the session's own from here on.

    Raises:
        ContractViolation: `write_blocked` or `write_phase_blocked`, saying what to do.
    """
    state = service.require()
    target = write_target(service.ports.root, file_path)
    check_write(state, target)
    if not target.exists:
        # Once it is written it exists, and asking again must not find it unexplored.
        service.change({"explored": _union(state.explored, [target.path])})
    return {"allowed": True, "path": target.path, "exists": target.exists}


def add_explored_files(service: SessionService, files: Sequence[str]) -> list[str]:
    """Add files to the explored set; the caller shows their outlines, so adding is looking.

    A path where nothing stands yet is planned as a new file, and its folder is taken as looked at: what will
    stand there is the session's own work.

    Raises:
        ContractViolation: `phase_mismatch` outside `ADDING`, `no_files`, or a path that cannot be added.
    """
    state = service.require()
    if state.phase_state.current_phase not in ADDING:
        raise ContractViolation("tool_errors.add_explored_files.phase_mismatch", phase=state.phase_state.current_phase)
    if not files:
        raise ContractViolation("tool_errors.add_explored_files.no_files", problems=("files: is empty",))
    paths = [_addable(service, path) for path in files]
    service.change(lambda now: _added(service, now, paths))
    return paths


def _addable(service: SessionService, path: str) -> str:
    name = relative(service.ports.root, confine(service.ports.root, path))
    why = "it belongs to git or to codeintel" if is_protected(name) else ""
    if not name or (service.ports.root / name).is_dir():
        why = "it is a folder"
    if why:
        raise ContractViolation("tool_errors.add_explored_files.file_not_addable", path=path, why=why)
    return name


def _added(service: SessionService, state: SessionState, paths: Sequence[str]) -> dict[str, Any]:
    there = [path for path in paths if file_fact(service.ports.root, path).exists]
    new = [path for path in paths if path not in there]
    folders = [write_target(service.ports.root, path).folder for path in new]
    return {
        "explored": _union(state.explored, paths),
        "seen": _union(state.seen, there),
        "planned_files": _union(state.planned_files, paths),
        "listed": _union(state.listed, [*folders, *(folder_of(path) for path in there)]),
    }


def _union(known: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))


def review_changes(service: SessionService) -> list[dict[str, Any]]:
    """Every changed file of the session with its diff, for PRE_COMMIT.

    Raises:
        ContractViolation: `phase_blocked` elsewhere, `task_branch_not_enabled` without git.
    """
    state = service.look()
    if state.phase_state.current_phase != Phase.PRE_COMMIT:
        raise ContractViolation("tool_errors.review_changes.phase_blocked", phase=state.phase_state.current_phase)
    git = service.ports.git
    if git is None:
        raise ContractViolation("tool_errors.review_changes.task_branch_not_enabled")
    changes = changes_of(service.ports, state)
    outside = set(unexplored(state, changes))
    head = git.head_commit()
    diffs = git.patches(state.base_commit, max_bytes=DIFF_BYTES)
    for change in changes:
        if change.path not in diffs or change.undone:  # what takes an earlier commit back is shown against that
            against = head if change.undone else state.base_commit
            diffs[change.path] = git.diff_text(against, change.path, max_bytes=DIFF_BYTES, old_path=change.old_path)
    return [_row(change, diffs[change.path], outside) for change in changes]


def _row(change: Changed, diff: str, outside: Container[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "path": change.path,
        "status": change.status,
        "added": change.added,
        "removed": change.removed,
        "explored": change.path not in outside,
        "whose": "older" if change.older else "older and session" if change.touched_older else "session",
    }
    if change.old_path:
        row["old_path"] = change.old_path
    if change.committed:
        row["committed"] = True
    if not change.older:
        row["diff"] = diff
    return row


def cleanup(service: SessionService, action: str, *, checkpoints: bool) -> Mapping[str, Any]:
    """Delete or merge the stale task branches of the project, on request its checkpoints too.

    Raises:
        ContractViolation: a session is running, the tree is dirty, or git refuses.
    """
    if service.state is not None:
        raise ContractViolation(
            "tool_errors.cleanup_stale_branches.session_running", session_id=service.state.session_id
        )
    git = service.ports.git
    if git is None:
        raise ContractViolation("common_failures.no_git_repository", path=str(service.ports.root))
    service.open_home()
    service.lock.acquire(service.records.now())  # the branch of a session in another process is not stale
    try:
        return _cleaned(service, git, action, checkpoints=checkpoints)
    finally:
        service.lock.release()


def _cleaned(service: SessionService, git: GitRepository, action: str, *, checkpoints: bool) -> Mapping[str, Any]:
    if dirty := git.dirty():
        raise ContractViolation("tool_errors.cleanup_stale_branches.dirty_tree", files=", ".join(sorted(dirty)[:20]))
    names = git.stale_task_branches(None)
    try:
        kept = _clean(git, action, names)
    except GitFault as fault:
        raise ContractViolation(
            "tool_errors.cleanup_stale_branches.branch_operation_failed", action=action, errors=str(fault)
        ) from fault
    return {
        "branches": names,
        "kept_at": kept,
        "checkpoints": _archive_all(service.records.store) if checkpoints else [],
    }


def _clean(git: GitRepository, action: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return git.delete_branches(names) if action == "delete" else merge_stale(git, names)


def _archive_all(store: CheckpointStore) -> list[str]:
    """Checkpoints are put into the archive, and one that cannot be read aside, so that nothing is lost."""
    done = []
    for session_id in store.ids():
        try:
            store.archive(store.load(session_id).state)
        except ContractViolation:
            continue  # the store has set it aside
        done.append(session_id)
    return done
