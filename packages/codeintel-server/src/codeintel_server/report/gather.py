"""Build a report from what a session left on disk: its checkpoint, the two logs, and git.

The report leaves out what no longer exists (a collected commit, a deleted log) and names it in `missing`: a report of
half a session is better than none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from codeintel_contract import Phase, Task, load_contract
from codeintel_server.redaction import redacted_diff, redacted_values
from codeintel_server.report.hunks import MAX_LINES, meant, read_patch
from codeintel_server.report.model import DiffLine, FileRow, Item, PhaseTokens, Report, Run, Step, TaskRow
from codeintel_session import (
    ROWS,
    STEPS,
    ChainLog,
    CheckpointStore,
    GitFault,
    GitRepository,
    SessionState,
    UnreadableCheckpoint,
    active_tags,
    assess_receipt,
    decision_log,
    find_warnings,
    last_outcomes,
    outcome_log,
    parse_evidence,
    proof_of,
    read_checkpoint,
    render_message,
    summary_key,
)

MAX_FILES = 200
MAX_DIFFS = 60
"""Maximum number of files with a diff; the others are only named."""


def find_state(root: Path, session_id: str) -> SessionState | None:
    """Find the checkpoint of a session, running or archived; "" means the newest. Return None if none is readable."""
    store = CheckpointStore(root / ".code-intel" / "sessions")
    running = sorted(store.folder.glob("[0-9]*.json"), reverse=True)
    for path in sorted((*running, *store.archived()), key=lambda path: path.stem, reverse=True):
        if session_id in ("", path.stem):
            try:
                return read_checkpoint(path)
            except (UnreadableCheckpoint, OSError):
                continue
    return None


def gather(root: Path, state: SessionState) -> Report:
    """Collect everything a report shows of a session, with secrets redacted."""
    logs = root / ".code-intel" / "logs"
    decisions = decision_log(logs)
    entries = [entry for entry in decisions.read() if entry.get("session_id") == state.session_id]
    ending = last_outcomes(outcome_log(logs).read()).get(state.session_id, {})
    changed = [str(path) for path in ending.get("changed", ())]
    patches, missing = _patches(root, state)
    missing += _missing(decisions, entries)
    diffs = {path: read_patch(redacted_diff(path, patch)) for path, patch in patches.items()}
    found = Report(
        session_id=state.session_id,
        request=state.query,
        intent=state.intent.value,
        flags=tuple(f"{name}={value}" if value is not True else name for name, value in state.flags.active().items()),
        outcome=str(ending.get("outcome") or state.outcome or "running"),
        proof=tuple(render_message(load_contract(None), say) for say in proof_of(state)),
        recorded=str(ending.get("recorded", "")),
        note=str(ending.get("note", "")),
        phase=state.phase_state.current_phase,
        started_at=state.started_at,
        ended_at=entries[-1]["at"] if entries else "",
        branch=state.branch,
        base=state.base,
        commit=state.commits[-1] if state.commits else "",
        forced=state.forced_completion,
        steps=tuple(_steps(state, entries)),
        skipped=tuple(_skipped(state)),
        tasks=tuple(_task(task, diffs) for task in state.tasks),
        files=tuple(_files(state, changed or list(diffs), diffs)),
        runs=tuple(_runs(state)),
        rules=tuple((rule.rule, rule.source) for rule in state.mandatory_rules),
        overruled=state.overruled,
        counters=state.counters.model_dump(exclude={"refusals"}),
        assessment={name: str(value) for name, value in state.assessment.items() if isinstance(value, str)},
        tokens=tuple(_tokens(entries)),
        missing=tuple(missing),
    )
    shown: Report = redacted_values(found)
    return shown


def _runs(state: SessionState) -> Iterator[Run]:
    contract = load_contract(None)
    for run in state.receipts.values():
        standing, why = assess_receipt(run, state.tasks)
        notes = [render_message(contract, say) for say in ([why] if why else []) + find_warnings(run)]
        yield Run(run.verifier, run.command, run.exit, run.at, standing, run.counts, run.before, tuple(notes))


def _patches(root: Path, state: SessionState) -> tuple[dict[str, str], list[str]]:
    if not state.base_commit:
        return {}, []
    end = state.commits[-1] if state.commits else ""
    try:
        found = GitRepository.discover(root).patches(state.base_commit, end)
    except GitFault as fault:
        return {}, [f"the changes: {fault}"]
    over = state.phase_state.current_phase == Phase.SESSION_COMPLETE
    return found, ["the changes as the session left them: the report shows the current ones"] * (over and not end)


def _missing(decisions: ChainLog, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [] if entries else ["the submissions: the decision log has no line of this session"]
    broken = decisions.broken_at()
    if broken is not None:
        found.append(f"certainty about the log: line {broken} does not follow from the line before it")
    return found


def _steps(state: SessionState, entries: Iterable[Mapping[str, Any]]) -> Iterable[Step]:
    before = datetime.fromisoformat(state.started_at)
    summaries = dict(state.summaries)
    for entry in entries:
        now = datetime.fromisoformat(entry["at"])
        substep = str(entry.get("substep", ""))
        is_accepted = entry["verdict"] == "accepted"
        yield Step(
            at=entry["at"],
            phase=" ".join(part for part in (entry["phase"], substep) if part),
            number=int(entry["step"]),
            verdict=entry["verdict"],
            to=str(entry.get("to", "")),
            seconds=max(0.0, (now - before).total_seconds()),
            tokens=int(entry.get("tokens", 0)),
            reasons=tuple(map(str, entry.get("reasons", ()))),
            warning=str(entry.get("warning", "")),
            observed=tuple(map(str, entry.get("observed", ()))),
            summary=_take_summary(summaries, int(entry["step"])) if is_accepted else "",
        )
        before = now


def _take_summary(summaries: dict[str, str], number: int) -> str:
    """Take the next summary of a step; a repeated step keeps only its last one."""
    key = summary_key(ROWS[number]) if number in ROWS else ""
    found = next((name for name in summaries if name == key or name.startswith(f"{key}:")), "")
    return summaries.pop(found, "")


def _skipped(state: SessionState) -> Iterable[tuple[str, str]]:
    """Yield the rows of the flow that were not entered, each with the flag or the fact that skipped it."""
    active = active_tags(state.flags, state.intent)
    for row in STEPS:
        if row.number in state.completed_steps or row.number == state.phase_state.step:
            continue
        is_reached = row.number < state.phase_state.step
        name = " ".join(part for part in (row.phase.value, row.substep) if part)
        if dropped := sorted(row.dropped_by & active):
            yield name, f"dropped by {', '.join(dropped)}"
        elif is_reached and row.only_if in _ABSENT and state.answers.get(row.only_if) is not True:
            yield name, _ABSENT[row.only_if]


_ABSENT = {
    "stale_branch": "there was no old task branch",
    "documents": "no document was relevant to the request",
    "q1": "Q1 was answered with no",
    "q2": "Q2 was answered with no",
    "q3": "Q3 was answered with no",
    "pending_task": "no task was pending",
}


def _task(task: Task, diffs: Mapping[str, list[DiffLine]]) -> TaskRow:
    items = tuple(
        Item(item.item, item.status, ", ".join(item.evidence), item.reason or "", _evidence(item.evidence, diffs))
        for item in task.checklist
    )
    return TaskRow(task.id, task.description, task.status, task.failure_count, task.revert_reason, items)


def _evidence(places: Iterable[str], diffs: Mapping[str, list[DiffLine]]) -> tuple[DiffLine, ...]:
    parsed = (found for place in places if (found := parse_evidence(place)))
    return tuple(line for at in parsed for line in meant(diffs.get(at.path, []), at.start, at.end))


def _files(state: SessionState, changed: Sequence[str], diffs: Mapping[str, list[DiffLine]]) -> Iterable[FileRow]:
    explored = set(state.explored)
    named = _named_by_tasks(state)
    for at, path in enumerate(list(dict.fromkeys((*changed, *state.explored)))[:MAX_FILES]):
        lines = diffs.get(path, [])
        signs = Counter(line.sign for line in lines)
        yield FileRow(
            path=path,
            is_explored=path in explored,
            is_changed=path in changed,
            is_named=path in named or any(PurePosixPath(path).name in text for text in named),
            added=signs["+"],
            removed=signs["-"],
            diff=tuple(lines[:MAX_LINES]) if at < MAX_DIFFS else (),
            is_cut=len(lines) > MAX_LINES or at >= MAX_DIFFS,
        )


def _named_by_tasks(state: SessionState) -> set[str]:
    """Return the paths of all evidence, and the texts of tasks and items, which may name a file."""
    items = [item for task in state.tasks for item in task.checklist]
    places = (parse_evidence(place) for item in items for place in item.evidence)
    texts = (task.description for task in state.tasks)
    return {found.path for found in places if found} | set(texts) | {item.item for item in items}


def _tokens(entries: Iterable[Mapping[str, Any]]) -> Iterable[PhaseTokens]:
    total: Counter[str] = Counter()
    for entry in entries:
        total[str(entry["phase"])] += int(entry.get("tokens", 0))
    return (PhaseTokens(phase, tokens) for phase, tokens in total.items())
