"""`codeintel replay`: every verdict of a session derived again from the decision log, under its contract or another."""

import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from codeintel_server.roots import find_root
from codeintel_server.terminal import sign

if TYPE_CHECKING:
    from rich.console import Console

    from codeintel_contract.loader import Contract
    from codeintel_session.machine.state import SessionState
    from codeintel_session.replay import Line, Replay

STYLES = {"same": "green", "differs": "red", "by_world": "dim", "unknown": "yellow", "not_followed": "dim"}


def replay_session(folder: Path, session_id: str, contract_file: Path | None, as_json: bool) -> None:
    """Print what comes out and exit 1 when something differs, cannot be told, or the chain is broken."""
    root = find_root(folder)
    state = _state(root, session_id)
    try:
        found = derive(root, state, session_id, contract_file)
    except ValueError as error:
        typer.echo(f"codeintel replay: {error}", err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(json.dumps(_as_data(found), ensure_ascii=False))
    else:
        _show(found, contract_file)
    raise typer.Exit(0 if found.is_equal else 1)


def _state(root: Path, session_id: str) -> "SessionState | None":
    from codeintel_server.report.gather import find_state

    return find_state(root, session_id)


def derive(root: Path, state: "SessionState | None", session_id: str, contract_file: Path | None) -> "Replay":
    """The session judged again. Without its checkpoint the log alone is read; `session_id` may be "" for the newest.

    Raises:
        ValueError: there is no such session, or no contract to judge by; says which.
    """
    from codeintel_session.adapters.chain import faults_in
    from codeintel_session.replay import Replay, lacking, numbered, replay

    log = root / ".code-intel" / "logs" / "decisions.jsonl"
    entries = []
    if log.is_file():
        with log.open("rb") as file:
            entries = list(numbered(file))
    wanted = session_id or (state.session_id if state else _last_in(entries))
    if not wanted or not (state or any(entry.get("session_id") == wanted for _, entry in entries)):
        which = f"There is no session {wanted}" if wanted else "No session was started"
        raise ValueError(f"{which} in {root}: neither a checkpoint nor a line of the decision log.")
    contract = _contract(root, _source(wanted, entries, state), contract_file)
    lines = replay(wanted, entries, contract, is_other=contract_file is not None)
    missing = lacking((entry for _, entry in entries), wanted, len(state.completed_steps)) if state else 0
    return Replay(wanted, lines, tuple(faults_in(log)), missing)


def _last_in(entries: list[tuple[int, dict[str, Any]]]) -> str:
    return str(entries[-1][1].get("session_id", "")) if entries else ""


def _source(session_id: str, entries: list[tuple[int, dict[str, Any]]], state: "SessionState | None") -> str | None:
    """Digest of the contract file the session began with, "" for the built-in one; None if nothing tells."""
    if state is not None:
        return state.contract_source
    for _, entry in entries:
        case = entry.get("case")
        if entry.get("session_id") == session_id and isinstance(case, dict):
            whole = dict(case.get("state") or {}).get("whole", {})
            source = dict(whole).get("contract_source")
            return source if isinstance(source, str) else None
    return None


def _contract(root: Path, source: str | None, contract_file: Path | None) -> "Contract":
    from codeintel_contract.loader import ContractFileError, load
    from codeintel_contract.violations import ContractViolation
    from codeintel_server.library import ProjectLibrary

    try:
        return load(contract_file) if contract_file else ProjectLibrary(root).contract(source)
    except ContractFileError as error:
        raise ValueError(str(error)) from error
    except ContractViolation as violation:
        why = f"The contract that the session began with cannot be had any more ({violation.key.rpartition('.')[2]})."
        raise ValueError(f"{why} Give one: codeintel replay SESSION --contract FILE.") from violation


def _as_data(found: "Replay") -> dict[str, Any]:
    return {**asdict(found), "is_equal": found.is_equal, "faults": [asdict(fault) for fault in found.faults]}


def console_for(width: int | None = None) -> "Console":
    """A console as wide as the terminal; NO_COLOR, TERM and COLUMNS are minded."""
    from rich.console import Console

    return Console(file=sys.stdout, width=width or shutil.get_terminal_size().columns, highlight=False)


def _show(found: "Replay", contract_file: Path | None) -> None:
    from rich.table import Table
    from rich.text import Text

    console = console_for()
    by = contract_file or "its own contract"
    console.print(Text(f"Session {found.session_id} judged again by {by}"))
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("line", "phase", "was told", "now"):
        table.add_column(name, overflow="fold")
    for line in found.lines:
        table.add_row(str(line.number), line.phase, _short(line.said.verdict), Text(_now(line), STYLES[line.status]))
    console.print(table if found.lines else Text("The decision log has no line of it.", "yellow"))
    for text, style in _verdict(found):
        console.print(Text(f"{sign(console, '•', '-')} {text}", style))


def _now(line: "Line") -> str:
    if line.status == "same":
        return "the same"
    if line.says is None:
        return f"{line.status.replace('_', ' ')}: {line.why}"
    to = f" (to step {line.says.to_step})" if line.says.to_step != line.said.to_step else ""
    return f"{line.says.verdict}{to}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _verdict(found: "Replay") -> list[tuple[str, str]]:
    counts = {status: sum(line.status == status for line in found.lines) for status in STYLES}
    said = [(f"the decision log is broken: {fault}", "red") for fault in found.faults]
    if found.lacking:
        lacking = f"{found.lacking} accepted submission{'s' * (found.lacking != 1)}"
        said.append((f"the log lacks {lacking} that the checkpoint counts", "red"))
    if (line := found.parting) is not None:
        said.append((f"the first difference is at line {line.number}, {line.phase}: {_why(line)}", "red"))
    if counts["not_followed"]:
        count = counts["not_followed"]
        said.append((f"{count} later lines are not followed: the session would have gone another way", "yellow"))
    if counts["unknown"]:
        said.append((f"{counts['unknown']} lines do not hold what they were judged by", "yellow"))
    if found.is_equal:
        said.append((f"{counts['same'] + counts['by_world']} verdicts, every one as it was given", "green"))
    return said


def _why(line: "Line") -> str:
    reasons = "; ".join(line.says.reasons) if line.says else ""
    now = line.says.verdict if line.says else "not told"
    return f"it was {line.said.verdict} and is {now}" + "".join(f" ({text})" for text in (reasons, line.why) if text)
