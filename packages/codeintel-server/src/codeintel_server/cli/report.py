"""Implement `codeintel report`: write or print the report of a session."""

from pathlib import Path

import typer

from codeintel_server.project.roots import find_root

STDOUT = Path("-")


def write_report(folder: Path, session_id: str, output: Path | None, form: str) -> None:
    """Write the report. By default a page goes beside the archived checkpoint, and other forms are printed."""
    from codeintel_server.report.gather import find_state, gather
    from codeintel_server.report.page import FORMATS
    from codeintel_server.report.writer import ARCHIVE, SESSIONS
    from codeintel_session import damaged_checkpoints

    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    root = find_root(folder)
    state = find_state(root, session_id)
    if state is None:
        which = f"There is no session {session_id}" if session_id else "No session was started"
        broken = [each for folder in (SESSIONS, ARCHIVE) for each in damaged_checkpoints(root / folder)]
        said = [f"{which} in {root}."] if not broken else [f"{each.name} cannot be read: {each.why}" for each in broken]
        typer.echo("\n".join(f"codeintel report: {line}" for line in said), err=True)
        raise typer.Exit(1)
    found = gather(root, state)
    text = FORMATS[form](found)
    if output is None:
        output = root / ARCHIVE / f"{state.session_id}.html" if form == "html" else STDOUT
    if output == STDOUT:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        typer.echo(f"codeintel report: {output} cannot be written: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"Report of session {state.session_id} ({found.outcome}): {output}")
