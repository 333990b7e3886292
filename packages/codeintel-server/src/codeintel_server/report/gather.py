"""Build a report from what a session left on disk: its checkpoint, the two logs, and git.

The report leaves out what no longer exists (a collected commit, a deleted log) and names it in `missing`: a report of
half a session is better than none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from codeintel_contract import Phase, Task, load_contract
from codeintel_server.redaction import redacted_values
from codeintel_server.report.changes import find_changes, lines_at, rows_of
from codeintel_server.report.checks import checks_of, runs_of
from codeintel_server.report.model import Costs, DiffLine, Item, PhaseTokens, Report, Step, TaskRow
from codeintel_session import (
    LOOKING,
    ROWS,
    STEPS,
    ChainLog,
    CheckpointStore,
    SessionState,
    active_tags,
    assess_receipt,
    choices_of,
    decision_log,
    find_warnings,
    is_session_running,
    last_outcomes,
    outcome_log,
    outcome_words,
    proof_of,
    readable,
    render_message,
    summary_key,
)

SESSIONS = ".code-intel/sessions"


def find_state(root: Path, session_id: str) -> SessionState | None:
    """Find the checkpoint of a session, running or archived; "" means the newest. Return None if none is readable."""
    return next(find_states(root, session_id), None)


def find_states(root: Path, session_id: str = "") -> Iterator[SessionState]:
    """Yield the sessions whose checkpoint can be read, running or archived, newest first."""
    store = CheckpointStore(root / SESSIONS)
    running = sorted(store.folder.glob("[0-9]*.json"), reverse=True)
    every = sorted((*running, *store.archived()), key=lambda path: path.stem, reverse=True)
    yield from readable(path for path in every if session_id in ("", path.stem))


def gather(root: Path, state: SessionState) -> Report:
    """Collect everything a report shows of a session, with secrets redacted."""
    logs = root / ".code-intel" / "logs"
    decisions = decision_log(logs)
    entries = [entry for entry in decisions.read() if entry.get("session_id") == state.session_id]
    ending = last_outcomes(outcome_log(logs).read()).get(state.session_id, {})
    outcome = str(ending.get("outcome") or state.outcome)
    changes = find_changes(root, state, [str(path) for path in ending.get("changed", ())] if outcome else None)
    steps = tuple(_steps(state, entries))
    checks, commands = tuple(checks_of(state)), (state.verifiers or {}).items()
    found = Report(
        session_id=state.session_id,
        project=root.name,
        request=state.query,
        asked_by=state.query_from,
        client=state.client,
        intent=state.intent.value,
        flags=tuple(f"{name}={value}" if value is not True else name for name, value in state.flags.active().items()),
        outcome=outcome_words(outcome_of(root, state.outcome, ending), state.doubts),
        proof=_proof(state, outcome),
        became=_became(state, outcome),
        chosen=tuple(render_message(load_contract(None), say) for say in choices_of(state)),
        recorded=str(ending.get("recorded", "")),
        note=str(ending.get("note", "")),
        phase=state.phase_state.name,
        started_at=state.started_at,
        ended_at=entries[-1]["at"] if entries else "",
        branch=state.branch,
        base=state.base,
        commits=changes.commits,
        forced=state.forced_completion,
        steps=steps,
        skipped=tuple(_skipped(state)),
        tasks=tuple(_task(task, changes.diffs) for task in state.tasks),
        files=tuple(rows_of(state, changes)),
        own_files=tuple(changes.own),
        checks=checks,
        runs=tuple(runs_of(state)),
        untrusted=() if state.trusted or outcome else tuple(name for name, line in commands if line),
        warnings=tuple(_warnings(state, steps, entries)),
        rules=tuple((rule.rule, rule.source) for rule in state.mandatory_rules),
        overruled=state.overruled,
        counters=state.counters.model_dump(exclude={"refusals"}),
        assessment={name: str(value) for name, value in state.assessment.items() if isinstance(value, str)},
        tokens=tuple(_tokens(entries)),
        costs=Costs.of(state.spent),
        missing=(*changes.missing, *_missing(state, decisions, entries)),
    )
    shown: Report = redacted_values(found)
    return shown


def outcome_of(root: Path, outcome: str, ending: Mapping[str, Any]) -> str:
    """Return how a session ended, as logged or else in its checkpoint; `running` or `paused` before its end."""
    known = str(ending.get("outcome") or outcome)
    return known or ("running" if is_session_running(root / SESSIONS) else "paused")


def _proof(state: SessionState, outcome: str) -> tuple[str, ...]:
    """Return what an outcome means and why. `chosen` and `asked_by` hold what the agent chose, and who asked."""
    notes = {code: text for code, text in state.notes.items() if code != "as_given"}
    said = proof_of(state.model_copy(update={"outcome": outcome, "chosen_by": {}, "notes": notes}))
    head = f"{outcome_words(outcome, state.doubts)}: "
    texts = (render_message(load_contract(None), say).removeprefix(head) for say in said)
    return tuple(text if "." in text.split(" ")[0] else text[:1].upper() + text[1:] for text in texts)


def _became(state: SessionState, outcome: str) -> str:
    """Return what became of the change: the last sentence of the last reply, or where the work lies."""
    if active_tags(state.flags, state.intent) & LOOKING:
        return ""
    if outcome and state.phase_state.current_phase == Phase.SESSION_COMPLETE and state.last_reply:
        message = str(state.last_reply.reply.get("message", ""))
        proof = " ".join(render_message(load_contract(None), say) for say in proof_of(state))
        return message.removeprefix(proof).strip()
    where = f"the branch {state.branch}" if state.branch else "the working tree"
    if state.commits:
        return f"Committed on {where}, not merged."
    if not outcome:
        return "Nothing is committed yet."
    return f"Nothing was committed; {where} stays as the session left it." if state.base_commit else ""


def _warnings(state: SessionState, steps: Sequence[Step], entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the warnings of the submissions, and what others changed; those of runs stand beside the runs.

    A warning that led the session back is the reason of that step. Which files a plan cannot write yet concerns the
    agent alone: writing one of them is refused.
    """
    contract = load_contract(None)
    of_plans = contract.messages["warnings.plan_unexplored"].message.partition("{")[0]
    of_runs: set[str] = set()
    for receipt in state.receipts.values():
        _, why = assess_receipt(receipt, state.tasks)
        of_runs.update(render_message(contract, say) for say in find_warnings(receipt))
        if why is not None:
            of_runs.add(f"This counts as not verified. {render_message(contract, why)}")
    for check in checks_of(state):
        yield from check.warnings
    yield from (f"Dropped from the plan: {text}" for text in state.dropped)
    for step, entry in zip(steps, entries, strict=True):
        told = (text for text in step.warnings if not text.startswith(of_plans))
        yield from (text for text in told if text not in of_runs and text != step.why)
        yield from map(str, entry.get("noticed", ()))


def _missing(state: SessionState, decisions: ChainLog, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if state.completed_steps and not entries:
        yield "the submissions: the decision log has no line of this session"
    broken = decisions.broken_at()
    if broken is not None:
        yield f"certainty about the log: line {broken} does not follow from the line before it"


def _steps(state: SessionState, entries: Iterable[Mapping[str, Any]]) -> Iterable[Step]:
    before = datetime.fromisoformat(state.started_at).replace(microsecond=0)  # as the entries
    summaries = dict(state.summaries)
    for entry in entries:
        now = datetime.fromisoformat(entry["at"])
        number, to_step = int(entry["step"]), int(entry.get("to_step", 0))
        is_accepted = entry["verdict"] == "accepted"
        is_back = is_accepted and 0 < to_step < number
        warnings = tuple(map(str, entry.get("warnings", ())))
        yield Step(
            at=entry["at"],
            phase=" ".join(part for part in (entry["phase"], str(entry.get("substep", ""))) if part),
            number=number,
            verdict=entry["verdict"],
            to=str(entry.get("to", "")),
            seconds=max(0.0, (now - before).total_seconds()),
            tokens=int(entry.get("tokens", 0)),
            reasons=tuple(map(str, entry.get("reasons", ()))),
            warnings=warnings,
            observed=tuple(map(str, entry.get("observed", ()))),
            summary=_take_summary(summaries, number) if is_accepted else "",
            back_to=to_step if is_back else 0,
            why=_why_back(entry, warnings) if is_back else "",
        )
        before = now


def _why_back(entry: Mapping[str, Any], warnings: Sequence[str]) -> str:
    """Return why a submission sent the session back: what the server found, or what the agent reported."""
    if found := [text for text in warnings if text.startswith("Sent back")]:
        return " ".join(found)
    payload = entry.get("case", {}).get("payload", {})
    said = payload.get("issues") or payload.get("details") or payload.get("action_taken") or " ".join(warnings)
    return "; ".join(map(str, said)) if isinstance(said, list) else str(said)


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
        Item(item.item, item.status, ", ".join(item.evidence), item.reason or "", lines_at(item.evidence, diffs))
        for item in task.checklist
    )
    return TaskRow(task.id, task.description, task.status, task.failure_count, task.revert_reason, items)


def _tokens(entries: Iterable[Mapping[str, Any]]) -> Iterable[PhaseTokens]:
    total: Counter[str] = Counter()
    for entry in entries:
        total[str(entry["phase"])] += int(entry.get("tokens", 0))
    return (PhaseTokens(phase, tokens) for phase, tokens in total.items())
