"""Implement the commands about one project on disk: doctor, brief and undo."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from codeintel_index import mask_text
from codeintel_server.project.doctor import examine
from codeintel_server.project.library import ProjectLibrary
from codeintel_server.project.roots import find_root
from codeintel_server.project.rules import project_rules
from codeintel_server.terminal import stop
from codeintel_session import GitFault, GitRepository, NotARepository, leave_mark, newest_state, write_brief
from codeintel_templates import CLIENTS, find_client

_MARKS = {"ok": "[green]ok    [/]", "note": "[yellow]note  [/]", "broken": "[bold red]broken[/]"}


def show_health(folder: Path, as_json: bool) -> None:
    """Print each finding of the checks on a line, with what to do; exit 1 if something is broken."""
    findings = examine(find_root(folder))
    broken = any(finding.level == "broken" for finding in findings)
    if as_json:
        typer.echo(json.dumps({"healthy": not broken, "findings": [asdict(finding) for finding in findings]}))
        raise typer.Exit(1 if broken else 0)
    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        console.print(f"{_MARKS[finding.level]} {escape(finding.check)}: {escape(finding.said)}")
        if finding.remedy:
            console.print(f"       [bold]do[/] {escape(finding.remedy)}")
    raise typer.Exit(1 if broken else 0)


def print_brief(folder: Path, client: str = "") -> None:
    """Print the brief of the newest unfinished session; its server sends the summaries with the next reply.

    With the name of a client it is printed in the form in which that client's hook hands it to the agent.
    """
    root = find_root(folder)
    sessions = root / ".code-intel" / "sessions"
    state = newest_state(sessions)
    if state is None:
        if sys.stdout.isatty():  # a hook reads a pipe, and its client would show the agent what it prints
            typer.echo(f"No session is running in {root}, so there is nothing to tell an agent.")
        return
    library = ProjectLibrary(root)
    rules = project_rules(root, library.context).text
    contract = library.contract(state.contract_source)
    said = mask_text(write_brief(contract, state, rules, GitRepository.look_for(root)))
    typer.echo(find_client(client).brief(said) if client in CLIENTS else said)
    leave_mark(sessions)


def undo_in(folder: Path, ref: str) -> None:
    """List what is in the trash, or restore one entry."""
    try:
        git = GitRepository.of_project(find_root(folder))
        if ref:
            typer.echo(f"Restored as branch {git.undo(ref)}.")
            return
        entries = git.undo_list()
    except NotARepository as fault:
        stop("undo", f"{fault}: run it in the folder of a project, or name that with --project")
    except GitFault as fault:
        stop("undo", fault)
    for entry in entries:
        typer.echo(f"{entry['ref']}  {entry['date']}  {entry['subject']}")
    typer.echo("Restore one with: codeintel undo REF" if entries else "Nothing was deleted or discarded.")
