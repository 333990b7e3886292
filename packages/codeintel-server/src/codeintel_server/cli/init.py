"""Implement `codeintel init`: inspect the project, write its files, ask whether the server may run its tests."""

from pathlib import Path

import typer

from codeintel_server.cli.consent import trust_at_setup
from codeintel_server.project.detect import Found, detect
from codeintel_server.project.roots import find_root


def init_project(
    folder: Path,
    clients: list[str] | None,
    include: list[str] | None,
    exclude: list[str] | None,
    command: str,
    dry_run: bool,
    as_json: bool,
    yes: bool,
) -> None:
    """Install files adapted to the project. The server runs the test command only once the user has agreed."""
    from codeintel_server.project.library import config_error
    from codeintel_templates import RECORD, install_into

    root = project_root(folder, as_json)
    known = (root / RECORD).is_file()
    # Keep what was proposed before: a second run must change nothing, and the user may have changed the proposal.
    found = detect(root) if root.is_dir() and not known else None
    if found is not None and not as_json:
        _tell(found)
    install_into(root, clients, include, exclude, command, dry_run, as_json, found.proposals if found else None)
    if not as_json and (said := config_error(root)):
        typer.echo(f"broken   {said}; no session can start until it is fixed", err=True)
    if found is None or dry_run or as_json:
        return
    if found.proposals.test_command:
        trust_at_setup(root, yes)
    if not (root / ".git").exists():
        typer.echo("next     git init, and a first commit: without them, sessions can only investigate")


def project_root(folder: Path, as_json: bool) -> Path:
    """Return the folder that the server treats as the project; report it if it differs from the one named."""
    root = find_root(folder) if folder.is_dir() else folder
    if folder.is_dir() and root != folder.resolve() and not as_json:
        typer.echo(f"project  {root}, the top of the git repository, is the project of all sessions")
    return root


def _tell(found: Found) -> None:
    languages = ", ".join(f"{name} ({count})" for name, count in list(found.languages.items())[:5])
    proposals = found.proposals
    typer.echo(f"found    languages: {languages or 'none'}")
    typer.echo(f"found    tests: {proposals.test_command or 'no command; add one to .code-intel/verifiers'}")
    where = ", ".join(proposals.docs_path) if found.documents else "none"
    typer.echo(f"found    documents: {where}" + (f" ({found.documents} files)" if found.documents else ""))
    if proposals.source_dirs:
        typer.echo(f"found    sources: {', '.join(proposals.source_dirs)}; nothing else is indexed")
