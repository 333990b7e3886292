"""`codeintel status`: one screen on where a project stands, with or without a session."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from codeintel_server.roots import find_root

if TYPE_CHECKING:
    from codeintel_session.machine.state import SessionState


RESUME = "the server resumes from the copy before it"


def show_status(folder: Path, as_json: bool) -> None:
    """Print what is running, what was last finished, and the index."""
    root = find_root(folder)
    found = look(root)
    typer.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(_lines(root, found)))


def look(root: Path) -> dict[str, Any]:
    """What there is to tell; reads and never writes."""
    from codeintel_server.library import trouble
    from codeintel_session.adapters.logs import outcome_log
    from codeintel_session.brief import damaged, newest_state
    from codeintel_session.history import last_outcomes

    home = root / ".code-intel"
    state = newest_state(home / "sessions")
    ended = list(last_outcomes(outcome_log(home / "logs").read()).values())
    return {
        "session": _session(root, state) if state else None,
        "damaged": [{"file": each.name, "why": each.why} for each in damaged(home / "sessions")],
        "last": {name: ended[-1].get(name, "") for name in ("session_id", "outcome", "query", "at")} if ended else None,
        "sessions_ended": len(ended),
        "settings": (broken := trouble(root)),
        "index": None if broken else _index(root),
    }


def _session(root: Path, state: "SessionState") -> dict[str, Any]:
    from codeintel_session.adapters.lock import is_taken

    pending = state.pending_tasks()
    return {
        "session_id": state.session_id,
        "query": state.query,
        "intent": state.intent.value,
        "step": state.phase_state.step,
        "phase": " ".join(part for part in (state.phase_state.current_phase, state.phase_state.ready_substep) if part),
        "is_served": is_taken(root / ".code-intel" / "sessions"),
        "branch": state.branch,
        "tasks": {"done": len(state.tasks) - len(pending), "total": len(state.tasks)},
        "open_task": pending[0].description if pending else "",
        "explored": len(state.explored),
        "refusals": list(state.counters.refusals),
    }


def _index(root: Path) -> dict[str, Any] | None:
    if not (root / ".code-intel" / "index.db").is_file():
        return None
    from codeintel_index import Index

    with Index.open(root) as index:
        stats = index.stats()
    return {"state": stats.state, "files": stats.files, "chunks": stats.chunks, "age_s": stats.age_s}


def _lines(root: Path, found: dict[str, Any]) -> list[str]:
    lines = [f"project   {root}"]
    if session := found["session"]:
        tasks = session["tasks"]
        lines += [
            f"session   {session['session_id']}, {session['intent']}: {_short(session['query'])}",
            f"stands    at step {session['step']}, {session['phase']}"
            + ("" if session["is_served"] else "; no server is running it, the next one resumes it"),
            f"tasks     {tasks['done']} of {tasks['total']} done" + _open(session["open_task"]),
            f"explored  {session['explored']} files" + (f", on {session['branch']}" if session["branch"] else ""),
        ]
        lines += [f"refused   {_short(text)}" for text in session["refusals"][-3:]]
    else:
        lines.append("session   none is running")
    lines += [f"damaged   {each['file']}: {each['why']}; {RESUME}" for each in found["damaged"]]
    if last := found["last"]:
        said = f"{found['sessions_ended']} ended, the last as {last['outcome']}: {_short(last['query'])}"
        lines.append(f"before    {said}")
    if found["settings"]:
        return [*lines, f"settings  {found['settings']}; no session can begin on that"]
    index = found["index"]
    said = f"{index['files']} files, {index['chunks']} chunks, {index['state']}" if index else "not built yet"
    return [*lines, f"index     {said}"]


def _open(task: str) -> str:
    return f"; open: {_short(task)}" if task else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else f"{line[:89]}…"
