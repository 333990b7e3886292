"""Implement the commands about one project on disk: brief and undo."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from codeintel_server.project.roots import find_root

if TYPE_CHECKING:
    pass


def print_brief(folder: Path, client: str = "") -> None:
    """Print the brief of the newest unfinished session; its server sends the summaries with the next reply.

    With the name of a client it is printed in the form in which that client's hook hands it to the agent.
    """
    from codeintel_index import mask_text
    from codeintel_server.project.library import ProjectLibrary
    from codeintel_server.project.rules import project_rules
    from codeintel_session import GitRepository, NotARepository, leave_mark, newest_state, write_brief
    from codeintel_templates import CLIENTS, find_client

    root = find_root(folder)
    sessions = root / ".code-intel" / "sessions"
    state = newest_state(sessions)
    if state is None:
        return
    library = ProjectLibrary(root)
    rules = project_rules(root, library.context).text
    try:
        git = GitRepository.of_project(root)
    except NotARepository:
        git = None
    said = mask_text(write_brief(library.contract(state.contract_source), state, rules, git))
    typer.echo(find_client(client).brief(said) if client in CLIENTS else said)
    leave_mark(sessions)


def undo_in(folder: Path, ref: str) -> None:
    """List what is in the trash, or restore one entry."""
    from codeintel_session import GitFault, GitRepository

    try:
        git = GitRepository.discover(find_root(folder))
        if ref:
            typer.echo(f"Restored as branch {git.undo(ref)}.")
            return
        entries = git.undo_list()
    except GitFault as fault:
        typer.echo(f"codeintel undo: {fault}", err=True)
        raise typer.Exit(1) from None
    for entry in entries:
        typer.echo(f"{entry['ref']}  {entry['date']}  {entry['subject']}")
    typer.echo("Restore one with: codeintel undo REF" if entries else "Nothing was deleted or discarded.")
