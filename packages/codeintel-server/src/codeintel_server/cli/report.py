"""Implement `codeintel report`: write, print or open the report of a session."""

import webbrowser
from pathlib import Path
from typing import NoReturn

import typer

from codeintel_server.cli.sessions import none_yet
from codeintel_server.project.roots import find_root
from codeintel_server.report.gather import find_state, gather
from codeintel_server.report.page import FORMATS, as_markdown
from codeintel_server.report.writer import ARCHIVE, SESSIONS
from codeintel_server.terminal import STDOUT, stop, write_page
from codeintel_session import GitProcess, damaged_checkpoints

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
