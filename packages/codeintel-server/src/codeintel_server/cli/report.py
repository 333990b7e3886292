"""Implement `codeintel report`: write, print or open the report of a session."""

import webbrowser
from pathlib import Path

import typer

from codeintel_server.cli.sessions import NONE_YET
from codeintel_server.project.roots import find_root

STDOUT = Path("-")
NOTES = "codeintel"
"""The notes in which reports are kept: refs/notes/codeintel."""


def write_report(folder: Path, session_id: str, output: Path | None, form: str, opens: bool) -> None:
    """Write the report. By default a page goes beside the archived checkpoint, and other forms are printed."""
    from codeintel_server.report.gather import find_state, gather
    from codeintel_server.report.page import FORMATS
    from codeintel_server.report.writer import ARCHIVE

    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    if opens and (form != "html" or output == STDOUT):
        raise typer.BadParameter("only a page in a file can be opened", param_hint="--open")
    root = find_root(folder)
    state = find_state(root, session_id)
    if state is None:
        _refuse(root, session_id)
        return
    found = gather(root, state)
    text = FORMATS[form](found)
    if output is None:
        output = root / ARCHIVE / f"{state.session_id}.html" if form == "html" else STDOUT
    if output == STDOUT:
        typer.echo(text, nl=False)
        return
    try:
        if output.parent == root / ARCHIVE:
            output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        why = f"{output} cannot be written: {error.strerror}. Name another place with -o FILE."
        typer.echo(f"codeintel report: {why}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"Report of session {state.session_id} ({found.outcome}): {output}")
    if opens and not webbrowser.open(output.resolve().as_uri()):
        typer.echo("codeintel report: no browser could be started here; open that file in one.", err=True)


def write_note(folder: Path, session_id: str) -> None:
    """Keep the report in Markdown as a note of the session's last commit; one that is there is replaced."""
    from codeintel_server.report.gather import find_state, gather
    from codeintel_server.report.page import as_markdown
    from codeintel_session import GitProcess

    root = find_root(folder)
    state = find_state(root, session_id)
    if state is None:
        _refuse(root, session_id)
        return
    if not state.commits:
        typer.echo(f"codeintel report: session {state.session_id} has no commit that a note could go with.", err=True)
        raise typer.Exit(1)
    text = as_markdown(gather(root, state)).encode()
    commit = state.commits[-1]
    done = GitProcess(root).attempt("notes", "--ref", NOTES, "add", "--force", "--file", "-", commit, stdin=text)
    if done.status != 0:
        typer.echo(f"codeintel report: git notes: {done.output}", err=True)
        raise typer.Exit(1)
    typer.echo(f"Kept as a note of {commit[:12]}. Push it: git push origin refs/notes/{NOTES}")


def _refuse(root: Path, session_id: str) -> None:
    from codeintel_server.report.writer import ARCHIVE, SESSIONS
    from codeintel_session import damaged_checkpoints

    broken = [each for folder in (SESSIONS, ARCHIVE) for each in damaged_checkpoints(root / folder)]
    said = [f"{each.name} cannot be read: {each.why}" for each in broken]
    if not said and session_id:
        said = [f"There is no session {session_id} in {root}. `codeintel sessions` lists those that there are."]
    typer.echo("\n".join(f"codeintel report: {line}" for line in said or [NONE_YET.format(root=root)]), err=True)
    raise typer.Exit(1)
