"""Implement `codeintel sessions`: list the sessions of a project, newest first, each with its report and its commit."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from codeintel_server.cli.status import relative_to
from codeintel_server.project.roots import find_root
from codeintel_server.report.gather import find_states, outcome_of
from codeintel_server.report.page import date
from codeintel_server.report.words import plain_outcome
from codeintel_server.report.writer import ARCHIVE
from codeintel_session import SessionState, last_outcomes, outcome_log, outcome_words


def none_yet(root: Path) -> str:
    """Return what every command says that needs a session and finds none."""
    first = (
        "Ask" if (root / ".code-intel").is_dir() else "`codeintel init` sets the project up for your client; then ask"
    )
    return (
        f"No session was started in {root} yet. {first} your client for a change with /code. `codeintel demo` shows a"
        " session on a clone."
    )


def list_sessions(folder: Path, most: int, as_json: bool) -> None:
    """Print the sessions; exit 1 if there is none."""
    root = find_root(folder)
    rows = list(rows_of(root))
    if as_json:
        typer.echo(json.dumps(rows[:most], ensure_ascii=False))
    elif not rows:
        typer.echo(none_yet(root))
    else:
        _show(root, rows, most)
    raise typer.Exit(0 if rows else 1)


def rows_of(root: Path) -> Iterator[dict[str, Any]]:
    """Yield the sessions, newest first; of one without a checkpoint, what the log of outcomes knows."""
    ended = last_outcomes(outcome_log(root / ".code-intel" / "logs").read())
    states = {state.session_id: state for state in find_states(root)}
    for session_id in sorted({*states, *ended}, reverse=True):
        yield _row(root, session_id, states.get(session_id), ended.get(session_id, {}))


def _row(root: Path, session_id: str, state: SessionState | None, ending: Mapping[str, Any]) -> dict[str, Any]:
    page = root / ARCHIVE / f"{session_id}.html"
    return {
        "session_id": session_id,
        "started_at": state.started_at if state else str(ending.get("started_at", "")),
        "outcome": outcome_of(root, state.outcome if state else "", ending),
        "doubts": dict(state.doubts if state else ending.get("doubts", {})),
        "recorded": str(ending.get("recorded", "")),
        "query": state.query if state else str(ending.get("query", "")),
        "commit": state.commits[-1] if state and state.commits else "",
        "report": str(page) if page.is_file() else "",
    }


def _show(root: Path, rows: list[dict[str, Any]], most: int) -> None:
    console = Console(highlight=False)
    for row in rows[:most]:
        later = f", recorded later: {row['recorded']}" if row["recorded"] else ""
        ended = outcome_words(row["outcome"], row["doubts"])
        console.print(Text(f"{date(row['started_at'])}  {plain_outcome(ended)}{later}", "bold"))
        console.print(Text(f"  {' '.join(row['query'].split())}"), overflow="ellipsis", no_wrap=True)
        parts = [row["session_id"], *([f"commit {row['commit'][:12]}"] if row["commit"] else [])]
        console.print(Text(f"  {', '.join(parts)}"), soft_wrap=True)
        if row["report"]:
            page = Path(row["report"])
            console.print(Text(f"  {relative_to(root, page)}", f"link {page.as_uri()}"), soft_wrap=True)
    if len(rows) > most:
        console.print(f"{len(rows) - most} more: codeintel sessions --limit {len(rows)}")
    console.print("codeintel report SESSION --open shows one")
