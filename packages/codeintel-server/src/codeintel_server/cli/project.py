"""Commands about one project on disk: trust and undo."""

from pathlib import Path

import typer

from codeintel_server.roots import find_root


def trust_project(folder: Path, yes: bool) -> bool:
    """Show the commands of the project's verifiers and remember the user's agreement; False if they refused."""
    from codeintel_server.library import ProjectLibrary
    from codeintel_server.trust import trust

    library = ProjectLibrary(find_root(folder))
    commands = {name: verifier.command for name, verifier in library.verifiers().items() if verifier.command}
    if not commands:
        typer.echo("No verifier of this project has a command, so there is nothing to trust.")
        return True
    for name, command in commands.items():
        typer.echo(f"{visible(name)}: {visible(command)}")
    if not yes and not typer.confirm("May the server run these commands in this project?"):
        typer.echo("Not trusted; `codeintel trust` asks again.")
        return False
    trust(library)
    typer.echo("Trusted as they stand. A change of these verifiers or of the contract has to be trusted again.")
    return True


def visible(text: str) -> str:
    """Text of the project with everything written out that would move the cursor, or turn the reading direction."""
    return "".join(
        character
        if character.isprintable() or character == "\n"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def print_brief(folder: Path) -> None:
    """The brief of the newest unfinished session; its server will send the summaries with the next reply."""
    from codeintel_index.masking import mask_text
    from codeintel_server.library import ProjectLibrary
    from codeintel_server.rules import project_rules
    from codeintel_session.brief import leave_mark, newest_state, write_brief

    root = find_root(folder)
    sessions = root / ".code-intel" / "sessions"
    state = newest_state(sessions)
    if state is None:
        return
    library = ProjectLibrary(root)
    rules = project_rules(root, library.context).text
    typer.echo(mask_text(write_brief(library.contract(state.contract_source), state, rules)))
    leave_mark(sessions)


def undo_in(folder: Path, ref: str) -> None:
    """List what is in the trash, or bring one of it back."""
    from codeintel_session.adapters.git import GitFault, GitRepository

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
    typer.echo("Bring one back with: codeintel undo REF" if entries else "Nothing was deleted or discarded.")
