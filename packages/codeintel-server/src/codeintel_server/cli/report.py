"""Implement `codeintel sessions` and `codeintel report`: list the sessions of a project, and show one of them."""

import json
import webbrowser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from codeintel_server.cli.status import relative_to
from codeintel_server.project.roots import find_root
from codeintel_server.report.gather import find_state, find_states, gather, outcome_of
from codeintel_server.report.page import FORMATS, as_markdown, date
from codeintel_server.report.words import plain_outcome
from codeintel_server.report.writer import ARCHIVE, SESSIONS
from codeintel_server.terminal import STDOUT, stop, write_page
from codeintel_session import GitProcess, SessionState, damaged_checkpoints, last_outcomes, outcome_log, outcome_words

NOTES = "codeintel"
"""The notes in which reports are kept: refs/notes/codeintel."""


def write_report(folder: Path, session_id: str, output: Path | None, form: str, opens: bool) -> None:
    """Write the report. By default a page goes beside the archived checkpoint, and other forms are printed."""
    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    if opens and (form != "html" or output == STDOUT):
        raise typer.BadParameter("only a page in a file can be opened", param_hint="--open")
    root = find_root(folder)
    state = find_state(root, session_id) or _refuse(root, session_id)
    found = gather(root, state)
    text = FORMATS[form](found)
    if output is None:
        output = root / ARCHIVE / f"{state.session_id}.html" if form == "html" else STDOUT
    write_page("report", text, output, makes_folder=output.parent == root / ARCHIVE)
    if output == STDOUT:
        return
    typer.echo(f"Report of session {state.session_id} ({found.outcome}): {output}")
    if opens and not webbrowser.open(output.resolve().as_uri()):
        typer.echo("codeintel report: no browser could be started here; open that file in one.", err=True)


def write_note(folder: Path, session_id: str) -> None:
    """Keep the report in Markdown as a note of the session's last commit; one that is there is replaced."""
    root = find_root(folder)
    state = find_state(root, session_id) or _refuse(root, session_id)
    if not state.commits:
        stop("report", f"session {state.session_id} has no commit that a note could go with.")
    text = as_markdown(gather(root, state)).encode()
    commit = state.commits[-1]
    done = GitProcess(root).attempt("notes", "--ref", NOTES, "add", "--force", "--file", "-", commit, stdin=text)
    if done.status != 0:
        stop("report", f"git notes: {done.output}")
    typer.echo(f"Kept as a note of {commit[:12]}. Push it: git push origin refs/notes/{NOTES}")


def _refuse(root: Path, session_id: str) -> NoReturn:
    broken = [each for folder in (SESSIONS, ARCHIVE) for each in damaged_checkpoints(root / folder)]
    said = [f"{each.name} cannot be read: {each.why}" for each in broken]
    if not said and session_id:
        said = [f"There is no session {session_id} in {root}. `codeintel sessions` lists those that there are."]
    typer.echo("\n".join(f"codeintel report: {line}" for line in said or [none_yet(root)]), err=True)
    raise typer.Exit(1)


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
