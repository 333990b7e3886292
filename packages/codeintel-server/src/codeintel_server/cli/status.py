"""Implement `codeintel status`: show the state of a project on one screen, with or without a session."""

import json
import sqlite3
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from codeintel_server.project.doctor import UNUSABLE_INDEX
from codeintel_server.project.library import config_error
from codeintel_server.project.roots import find_root
from codeintel_server.report.model import Costs
from codeintel_server.report.words import plain_ending, plain_phase
from codeintel_server.terminal import counted, on_one_line
from codeintel_session import (
    STEPS,
    SessionState,
    damaged_checkpoints,
    is_session_running,
    last_outcomes,
    newest_state,
    outcome_log,
    outcome_words,
)

LAST = ("session_id", "outcome", "doubts", "recorded", "query", "at")
RESUME = "the server resumes from the previous copy"


def show_status(folder: Path, as_json: bool) -> None:
    """Print the running session, the last finished one, and the index."""
    root = find_root(folder)
    found = look(root)
    typer.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(_lines(root, found)))


def look(root: Path) -> dict[str, Any]:
    """Collect the state of a project; this reads and never writes."""
    home = root / ".code-intel"
    state = newest_state(home / "sessions")
    ended = list(last_outcomes(outcome_log(home / "logs").read()).values())
    # The session that began last: those given up for it are logged after it.
    last = max(ended, key=lambda entry: str(entry["session_id"]), default=None)
    return {
        "session": _session(root, state) if state else None,
        "damaged": [{"file": each.name, "why": each.why} for each in damaged_checkpoints(home / "sessions")],
        "last": {name: last.get(name, "") for name in LAST} if last else None,
        "sessions_ended": len(ended),
        "settings": (broken := config_error(root)),
        "index": None if broken else _index(root),
    }


def _session(root: Path, state: SessionState) -> dict[str, Any]:
    pending = state.pending_tasks()
    return {
        "session_id": state.session_id,
        "query": state.query,
        "query_from": state.query_from,
        "chosen_by": state.chosen_by,
        "intent": state.intent.value,
        "step": state.phase_state.step,
        "phase": state.phase_state.name,
        "is_served": is_session_running(root / ".code-intel" / "sessions"),
        "branch": state.branch,
        "tasks": {"done": len(state.tasks) - len(pending), "total": len(state.tasks)},
        "open_task": pending[0].description if pending else "",
        "explored": len(state.explored),
        "refusals": list(state.counters.refusals),
        "spent": asdict(Costs.of(state.spent)),
    }


def _index(root: Path) -> dict[str, Any] | None:
    if not (root / ".code-intel" / "index.db").is_file():
        return None
    from codeintel_index import Index, IndexFault

    try:
        with Index.open(root) as index:
            stats = index.stats()
    except (IndexFault, OSError, sqlite3.Error) as error:
        return {"fault": str(error)}
    return {"state": stats.state, "files": stats.files, "chunks": stats.chunks, "age_s": stats.age_s}


def _lines(root: Path, found: dict[str, Any]) -> list[str]:
    lines = [f"project   {root}"]
    if session := found["session"]:
        tasks, open_task = session["tasks"], on_one_line(session["open_task"])
        lines += [
            f"session   {session['session_id']}, {session['intent']}: {on_one_line(session['query'])}",
            f"step      {session['step']} of {STEPS[-1].number}, {plain_phase(session['phase'])} ({session['phase']})"
            + ("" if session["is_served"] else "; no server is running it: ask your client to continue, it resumes it"),
            f"tasks     {tasks['done']} of {tasks['total']} done" + (f"; open: {open_task}" if open_task else ""),
            *(f"chosen    {name}: by the {who}" for name, who in session["chosen_by"].items() if who == "agent"),
            f"explored  {counted(session['explored'], 'file')}",
            *([f"branch    {session['branch']}"] if session["branch"] else []),
            f"spent     about {session['spent']['replies']:,} tokens of replies, {session['spent']['arguments']:,} of "
            f"arguments, in {counted(session['spent']['calls'], 'call')}",
        ]
        lines += [f"refused   {on_one_line(text)}" for text in session["refusals"][-3:]]
    else:
        lines.append("session   none is running")
        if not (root / ".code-intel").is_dir():
            lines.append("next      codeintel init sets the project up for your client")
    lines += [f"damaged   {each['file']}: {each['why']}; {RESUME}" for each in found["damaged"]]
    if last := found["last"]:
        later = f" (recorded later: {last['recorded']})" if last["recorded"] else ""
        ended = outcome_words(last["outcome"], last["doubts"] or {})
        how = f"{plain_ending(ended)}{later}: {on_one_line(last['query'])}"
        lines.append(f"before    {found['sessions_ended']} ended (codeintel sessions lists them), the last: {how}")
    if found["settings"]:
        return [*lines, f"settings  {found['settings']}; no session can start until it is fixed"]
    index = found["index"]
    if index is None:
        return [*lines, "index     not built yet: the first search builds it, or `codeintel-index sync`"]
    if "fault" in index:
        return [*lines, f"index     cannot be read: {index['fault']}; `codeintel doctor` says what to do"]
    if index["state"] == "absent":
        return [*lines, f"index     {UNUSABLE_INDEX}"]
    files, pieces = counted(index["files"], "file"), counted(index["chunks"], "piece")
    return [*lines, f"index     {files} in {pieces} (chunks), {index['state']}"]


def relative_to(root: Path, path: Path) -> str:
    """Return a path as a person types it in the project."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
