"""The session's own tools: check a write, add explored files, review changes, clean up, record an outcome."""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeintel_contract import ContractViolation, Phase, folder_of, is_protected
from codeintel_session.audit.history import last_outcomes
from codeintel_session.git import GitFault, GitRepository
from codeintel_session.git.session_diff import changes_of, one_moment, own_changes
from codeintel_session.machine.facts import Changed
from codeintel_session.machine.naming import names_of
from codeintel_session.machine.observations import union
from codeintel_session.machine.state import SessionState, ShownDiff
from codeintel_session.machine.user_words import Who, decides
from codeintel_session.machine.verdict import MessageRef
from codeintel_session.machine.write_policy import check_write, moved_by_others, unexplored
from codeintel_session.ports import Ports
from codeintel_session.records import ABANDONED
from codeintel_session.replies.brief import newest_state
from codeintel_session.replies.reply import json_size, render_message
from codeintel_session.service import SessionService
from codeintel_session.storage.checkpoints import readable
from codeintel_session.storage.home import HOME
from codeintel_session.storage.project_files import confine, file_fact, relative, text_of, write_target
from codeintel_session.submission.effects_runner import resolve_stale
from codeintel_session.submission.elicitation import BRANCH_CHOICES, UserAnswer
from codeintel_session.submission.user_decisions import (
    STAKE_CHARS,
    OpenQuestion,
    answer_to,
    branch_question,
    escalation_question,
)

RULES_CHARS = 100
"""Of a summary of the rules the outcome shows no more."""
PART_CHARS = 6000
"""Size of the parts into which a long diff is split."""
CONTEXT_SHOWN = 1
"""Unchanged lines around a change: who reviews has just written it, and with three the diff is a third longer."""
PAGE_BYTES = 28_000
"""Size of a page of review_changes."""
PHASES_THAT_ADD_FILES = (Phase.READY, Phase.PRE_COMMIT, Phase.QUALITY_REVIEW, Phase.MERGE)
"""Phases in which files can be added: READY, and those in which an unexplored change may block the commit."""


@dataclass(frozen=True, slots=True)
class ChangeScope:
    """What the session is known to change: lines by path; the symbols it is about; and paths it may create."""

    lines: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    symbols: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def change_scope(service: SessionService) -> ChangeScope:
    """Say what the running session changes, for an impact analysis; nothing without a session."""
    state = service.state
    if state is None:
        return ChangeScope()
    lines = {change.path: change.hunks for change in own_changes(service.ports.git, state) if change.hunks}
    targets = tuple(state.query_frame.get("target_symbols", ()))
    return ChangeScope(lines, targets, (*state.planned_files, *state.explored))


PHASE_BLOCKED = "tool_errors.check_write_target.write_phase_blocked"


def check_write_target(service: SessionService, *file_paths: str) -> dict[str, Any]:
    """Check that files may be written now: all of them, or none is allowed. New files count as explored from here on.

    Raises ContractViolation: `write_blocked` or `write_phase_blocked`, with a line for each file that may not be
    written.
    """
    state = service.require()
    if not file_paths:
        raise ContractViolation("tool_errors.check_write_target.no_files", problems=("file_path: is empty",))
    targets = [write_target(service.ports.root, path) for path in file_paths]
    faults: dict[str, ContractViolation] = {}
    for target in targets:
        try:
            check_write(state, target)
        except ContractViolation as fault:
            faults[target.path] = fault
    first = next(iter(faults.values()), None)
    if first is not None and (len(faults) == 1 or first.key == PHASE_BLOCKED):
        raise first
    if faults:
        lines = tuple(MessageRef(fault.key, fault.values) for fault in faults.values())
        raise ContractViolation("tool_errors.check_write_target.several", problems=lines, count=len(faults))
    # Once written, new files exist, and the next check must not refuse them.
    new = [target.path for target in targets if not target.exists]
    if not set(new) <= set(state.explored):
        service.change(lambda now: {"explored": union(now.explored, new)})
    return {"allowed": True, "files": [{"path": target.path, "exists": target.exists} for target in targets]}


def add_explored_files(service: SessionService, files: Sequence[str]) -> list[str]:
    """Add files to the explored set, because the caller shows their outlines; return their paths.

    A path that does not exist yet is planned as a new file, and its folder counts as listed: the file will be the
    session's own work.

    Raises ContractViolation: `phase_mismatch` outside `PHASES_THAT_ADD_FILES`, `no_files`, or a path that cannot be
    added.
    """
    state = service.require()
    if state.phase_state.current_phase not in PHASES_THAT_ADD_FILES:
        raise ContractViolation("tool_errors.add_explored_files.phase_mismatch", phase=state.phase_state.current_phase)
    if not files:
        raise ContractViolation("tool_errors.add_explored_files.no_files", problems=("files: is empty",))
    paths = [_addable(service, path) for path in files]
    service.change(lambda now: _added(service, now, paths))
    return paths


def _addable(service: SessionService, path: str) -> str:
    name = relative(service.ports.root, confine(service.ports.root, path))
    why = "protected" if is_protected(name) else ""
    if not name or ((service.ports.root / name).is_dir() and not _is_submodule(service.ports.root, name)):
        why = "folder"
    if why:
        reason = MessageRef(f"hints.not_addable_{why}")
        raise ContractViolation("tool_errors.add_explored_files.file_not_addable", path=path, why=reason)
    return name


def _is_submodule(root: Path, name: str) -> bool:
    """Return True for a folder that the project names as a submodule; git knows it as one entry, as it does a file."""
    named = re.findall(r"^\s*path\s*=\s*(.+?)\s*$", text_of(root, ".gitmodules"), re.MULTILINE)
    return name in named and (root / name / ".git").exists()


def _added(service: SessionService, state: SessionState, paths: Sequence[str]) -> dict[str, Any]:
    existing = [path for path in paths if file_fact(service.ports.root, path).exists]
    new = [path for path in paths if path not in existing]
    folders = [write_target(service.ports.root, path).folder for path in new]
    return {
        "explored": union(state.explored, paths),
        "seen": union(state.seen, existing),
        "planned_files": union(state.planned_files, paths),
        "listed": union(state.listed, [*folders, *(folder_of(path) for path in existing)]),
    }


def review_changes(
    service: SessionService, path: str = "", offset: int = 0, redact: Callable[[str, str], str] = lambda _, diff: diff
) -> dict[str, Any]:
    """Return a page of the changes with their whole diffs, in PRE_COMMIT, and note what of them was shown.

    A long diff has several parts, and `offset` counts parts. Files whose diff was shown whole before and that are the
    same since are listed without it, unless `path` asks for one; their parts count on, so that no offset moves.

    Raises ContractViolation: `phase_blocked` in other phases, `task_branch_not_enabled` without git, `unknown_path`.
    """
    git = service.ports.git
    with one_moment(git):
        state = service.look()
        if state.phase_state.current_phase != Phase.PRE_COMMIT:
            raise ContractViolation("tool_errors.review_changes.phase_blocked", phase=state.phase_state.current_phase)
        if git is None:
            raise ContractViolation("tool_errors.review_changes.task_branch_not_enabled")
        changes = changes_of(git, state)
        if path:
            changes = tuple(change for change in changes if path in (change.path, change.old_path))
            if not changes:
                raise ContractViolation("tool_errors.review_changes.unknown_path", path=path)
        rows = list(_rows(git, state, changes, redact, is_asked=bool(path)))
    page = _page(rows[offset:])
    service.change(lambda now: {"shown": _noted(now, page)})
    end = offset + len(page)
    found = {"changes": [row for _, row in page if row], "total": len(rows), "truncated": end < len(rows)}
    return {**found, "next_offset": end} if end < len(rows) else found


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a file's diff: the content it leads to, its number and how many there are."""

    path: str
    content: str
    number: int
    total: int


def _rows(
    git: GitRepository,
    state: SessionState,
    changes: Sequence[Changed],
    redact: Callable[[str, str], str],
    *,
    is_asked: bool,
) -> Iterator[tuple[_Part, dict[str, Any]]]:
    outside, others = set(unexplored(state, changes)), set(moved_by_others(state))
    now, head = git.trees.take(), git.head_commit()
    diffs = git.patches(state.base_commit, now, CONTEXT_SHOWN)
    for change in changes:
        row = _row(change, outside)
        if change.path in others:
            row |= {"explored": False, "whose": "others"}
        is_known = state.content_shown(change.path, change.content) and not is_asked
        if change.preexisting or is_known:
            known = _Part(change.path, change.content, 0, 0)
            yield known, row | ({"shown": True} if is_known else {})
            yield from [(known, {})] * (state.shown[change.path].total - 1 if is_known else 0)
            continue
        if change.path not in diffs or change.undone:  # a reverted commit shows only in the diff to HEAD
            against = head if change.undone else state.base_commit
            diffs[change.path] = git.diff_text(
                against, change.path, old_path=change.old_path, end=now, context=CONTEXT_SHOWN
            )
        parts = _split(redact(change.path, diffs[change.path]))
        for number, text in enumerate(parts, 1):
            part = {"part": f"{number}/{len(parts)}"} if len(parts) > 1 else {}
            yield _Part(change.path, change.content, number, len(parts)), row | part | {"diff": text}


def _split(diff: str) -> list[str]:
    """Split a diff into parts of whole lines, as far as the lines are short enough."""
    parts = [""]
    for line in diff.splitlines(keepends=True) or [""]:
        for piece in (line[first : first + PART_CHARS] for first in range(0, len(line), PART_CHARS)):
            if parts[-1] and len(parts[-1]) + len(piece) > PART_CHARS:
                parts.append("")
            parts[-1] += piece
    return parts


def _page(rows: Sequence[tuple[_Part, dict[str, Any]]]) -> list[tuple[_Part, dict[str, Any]]]:
    """Return as many rows as fit, at least one."""
    page: list[tuple[_Part, dict[str, Any]]] = []
    size = 0
    for part, row in rows:
        size += json_size(row)
        if page and size > PAGE_BYTES:
            break
        page.append((part, row))
    return page


def _noted(state: SessionState, page: Sequence[tuple[_Part, dict[str, Any]]]) -> dict[str, ShownDiff]:
    """Return what was shown so far, with the parts of a page."""
    shown = dict(state.shown)
    for part, _ in page:
        if part.total:
            known = shown.get(part.path)
            is_same = known is not None and known.content == part.content and known.total == part.total
            parts = {*(known.parts if known and is_same else ()), part.number}
            shown[part.path] = ShownDiff(content=part.content, parts=tuple(sorted(parts)), total=part.total)
    return shown


def _row(change: Changed, outside: Container[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "path": change.path,
        "status": change.status,
        "added": change.added,
        "removed": change.removed,
        "explored": change.path not in outside,
        "whose": "preexisting"
        if change.preexisting
        else "preexisting and session"
        if change.touched_preexisting
        else "session",
    }
    if change.old_path:
        row["old_path"] = change.old_path
    if change.committed:
        row["committed"] = True
    if change.binary:
        row["binary"] = True
    return row


def open_questions(root: Path) -> list[OpenQuestion]:
    """List what waits for the user's decision in a project, whether a server runs there or not.

    Raises GitFault: git fails.
    """
    state = newest_state(root / HOME / "sessions")
    git = GitRepository.look_for(root)
    own = (state.branch or None) if state else None
    found = [branch_question(git, own) if git else None, escalation_question(state) if state else None]
    return [question for question in found if question]


def cleanup_question(service: SessionService, action: str, client: str) -> tuple[str, tuple[str, ...]] | None:
    """Return what the user should be asked before `cleanup_stale_branches`, text and options; None if nothing."""
    ports = service.ports
    if ports.git is None or service.state is not None:
        return None
    question = branch_question(ports.git)
    if question is None or _user_wants(service.ports, question, action, client):
        return None
    said = render_message(service.contract, question.say)
    return f"{question.stake[:STAKE_CHARS]}\n{said}", BRANCH_CHOICES


def _user_wants(
    ports: Ports, question: OpenQuestion, action: str, client: str, answer: UserAnswer | None = None
) -> bool:
    if answer is not None:
        return answer.text == action
    newest = list(ports.words.prompts(client))[-1:]
    return answer_to(ports.root, ports.seal, question) == action or decides(action, newest)


def cleanup_stale_branches(
    service: SessionService, action: str, *, checkpoints: bool, client: str = "", answer: UserAnswer | None = None
) -> Mapping[str, Any]:
    """Delete or merge the stale task branches of the project; archive its checkpoints on request.

    Branches with commits of unfinished sessions stay, unless the user chose the same: `answer` is theirs if they were
    asked.

    Raises ContractViolation: a session is running, the tree is dirty, or git refuses.
    """
    if service.state is not None:
        raise ContractViolation(
            "tool_errors.cleanup_stale_branches.session_running", session_id=service.state.session_id
        )
    git = service.ports.git
    if git is None:
        raise ContractViolation("common_failures.no_git_repository", path=str(service.ports.root))
    service.open_home()
    service.lock.acquire(service.records.now())  # the branch of another process's session is not stale
    try:
        question = branch_question(git)
        is_free = question is None or _user_wants(service.ports, question, action, client, answer)
        held = () if question is None or is_free else question.about
        return _cleaned(service, git, action, held, checkpoints=checkpoints)
    finally:
        service.lock.release()


def _cleaned(
    service: SessionService, git: GitRepository, action: str, held: Sequence[str], *, checkpoints: bool
) -> Mapping[str, Any]:
    if dirty := git.dirty():
        raise ContractViolation("tool_errors.cleanup_stale_branches.dirty_tree", files=", ".join(sorted(dirty)[:20]))
    names = [name for name in git.stale_task_branches(None) if name not in held]
    stay = MessageRef("warnings.branches_stay", {"branches": ", ".join(held)})
    try:
        trash_refs = resolve_stale(git, action, names)
    except GitFault as fault:
        raise ContractViolation(
            "tool_errors.cleanup_stale_branches.branch_operation_failed", action=action, errors=str(fault)
        ) from fault
    return {
        "branches": names,
        "kept_at": trash_refs,
        **({"stay": list(held), "next": render_message(service.contract, stay)} if held else {}),
        "checkpoints": service.give_up_left() if checkpoints else [],
    }


def note_rules(service: SessionService, summary: str) -> None:
    """Have the outcome of the running session, if there is one, name the summary of the rules that was stored."""
    if service.state is not None:
        text = summary.strip()
        said = names_of([text if len(text) <= RULES_CHARS else f"{text[:RULES_CHARS]}…"])
        service.change(lambda state: {"notes": {**state.notes, "rules_stored": said}})


OUTCOMES = ("success", "failure", "partial", ABANDONED)


def record_outcome(
    service: SessionService, outcome: str, session_id: str, note: str, by: Who = Who.AGENT
) -> SessionState:
    """Log an outcome for a session, the newest if none is named; return the session.

    `abandoned` gives up the session that is running or can be resumed; every other outcome needs a finished session.

    Raises ContractViolation: `invalid_outcome`, or there is no such session.
    """
    if outcome == ABANDONED:
        if service.state is None or session_id not in ("", service.state.session_id):
            service.status(session_id)  # resumes it
        return service.give_up(ABANDONED, note)
    if outcome not in OUTCOMES:
        raise ContractViolation(
            "tool_errors.record_outcome.invalid_outcome", outcome=repr(outcome), known=", ".join(OUTCOMES)
        )
    state = _finished(service, session_id)
    service.records.log_outcome(state, outcome, note, by=by)
    return state


def _finished(service: SessionService, session_id: str) -> SessionState:
    service.open_home()
    named = (path for path in service.records.store.archived() if session_id in ("", path.stem))
    if (state := next(readable(named), None)) is None:
        raise ContractViolation("tool_errors.record_outcome.unknown_session", session_id=session_id or "to record for")
    return state


def last_changed(service: SessionService, session_id: str) -> list[str]:
    """Return the files that a finished session changed, as its outcome was logged when it ended."""
    entry = last_outcomes(service.records.outcomes.read()).get(session_id, {})
    return [str(path) for path in entry.get("changed", ())]
