"""Implement `codeintel report --replay`: derive every verdict of a session again, by its own contract or another."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from codeintel_contract import Contract, ContractFileError, ContractViolation, load_contract, open_file
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.roots import find_root
from codeintel_server.report.gather import find_state
from codeintel_server.terminal import counted, on_one_line, sign, stop
from codeintel_session import (
    Replay,
    ReplayedLine,
    SessionState,
    count_missing,
    faults_in,
    find_contract_source,
    numbered_entries,
    replay_session,
)

STYLES = {"same": "green", "differs": "red", "by_world": "dim", "unknown": "yellow", "not_followed": "dim"}


def show_replay(folder: Path, session_id: str, contract_file: Path | None, as_json: bool) -> None:
    """Print the result; exit 1 if something differs, cannot be evaluated, or the chain is broken."""
    root = find_root(folder)
    state = find_state(root, session_id)
    try:
        found = derive(root, state, session_id, contract_file)
    except ValueError as error:
        stop("report", error)
    if as_json:
        typer.echo(json.dumps({**asdict(found), "is_equal": found.is_equal}, ensure_ascii=False))
    else:
        _show(found, contract_file)
    raise typer.Exit(0 if found.is_equal else 1)


def derive(root: Path, state: SessionState | None, session_id: str, contract_file: Path | None) -> Replay:
    """Replay the session. Without its checkpoint, read only the log; `session_id` "" means the newest session.

    Raises ValueError: the session or its contract does not exist; the message names it.
    """
    log = root / ".code-intel" / "logs" / "decisions.jsonl"
    entries = []
    if log.is_file():
        with open_file(root, log, None) as file:
            entries = list(numbered_entries(file))
    last = str(entries[-1][1].get("session_id", "")) if entries else ""
    wanted = session_id or (state.session_id if state else last)
    if not wanted or not (state or any(entry.get("session_id") == wanted for _, entry in entries)):
        which = f"There is no session {wanted}" if wanted else "No session was started"
        raise ValueError(f"{which} in {root}: neither a checkpoint nor a line of the decision log.")
    source = state.contract_source if state else find_contract_source(wanted, entries)
    contract = _contract(root, source, contract_file)
    lines = replay_session(wanted, entries, contract, is_other=contract_file is not None)
    missing = count_missing((entry for _, entry in entries), wanted, len(state.completed_steps)) if state else 0
    return Replay(wanted, lines, tuple(faults_in(log)), missing)


def _contract(root: Path, source: str | None, contract_file: Path | None) -> Contract:
    try:
        return load_contract(contract_file) if contract_file else ProjectLibrary(root).contract(source)
    except ContractFileError as error:
        raise ValueError(str(error)) from error
    except ContractViolation as violation:
        why = f"The contract that the session began with no longer exists ({violation.key.rpartition('.')[2]})."
        raise ValueError(f"{why} Name one: codeintel report SESSION --contract FILE.") from violation


def _show(found: Replay, contract_file: Path | None) -> None:
    console = Console(width=shutil.get_terminal_size().columns, highlight=False)
    by = contract_file or "its own contract"
    console.print(Text(f"Session {found.session_id} replayed under {by}"))
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("line", "phase", "recorded", "now"):
        table.add_column(name, overflow="fold")
    for line in found.lines:
        table.add_row(
            str(line.number), line.phase, on_one_line(line.recorded.verdict, 40), Text(_now(line), STYLES[line.status])
        )
    console.print(table if found.lines else Text("The decision log has no line of this session.", "yellow"))
    for text, style in _verdict(found):
        console.print(Text(f"{sign(console, '•', '-')} {text}", style))


def _now(line: ReplayedLine) -> str:
    if line.status == "same":
        return "the same"
    if line.derived is None:
        return f"{line.status.replace('_', ' ')}: {line.why}"
    to = f" (to step {line.derived.to_step})" if line.derived.to_step != line.recorded.to_step else ""
    return f"{line.derived.verdict}{to}"


def _verdict(found: Replay) -> list[tuple[str, str]]:
    counts = {status: sum(line.status == status for line in found.lines) for status in STYLES}
    said = [(f"the decision log is damaged: {fault}", "red") for fault in found.faults]
    if found.missing:
        said.append(
            (f"the log lacks {counted(found.missing, 'accepted submission')} that the checkpoint counts", "red")
        )
    if (line := found.parting) is not None:
        said.append((f"the first difference is at line {line.number}, {line.phase}: {_why(line)}", "red"))
    if counts["not_followed"]:
        count = counts["not_followed"]
        said.append((f"{count} later lines are not followed: the session would have gone another way", "yellow"))
    if counts["unknown"]:
        said.append((f"{counts['unknown']} lines do not hold the input of their verdict", "yellow"))
    if found.is_equal:
        said.append((f"{counts['same'] + counts['by_world']} verdicts, all as recorded", "green"))
    return said


def _why(line: ReplayedLine) -> str:
    reasons = "; ".join(line.derived.reasons) if line.derived else ""
    now = line.derived.verdict if line.derived else "unknown"
    return f"it was {line.recorded.verdict} and is {now}" + "".join(
        f" ({text})" for text in (reasons, line.why) if text
    )
