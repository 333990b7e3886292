"""`codeintel init`: look at the project, write its files, ask whether its tests may be run."""

import sys
from pathlib import Path

import typer

from codeintel_server.detect import Found, detect
from codeintel_server.roots import find_root


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
    """Install with proposals from what is there. The test command runs only once the user agreed to it."""
    from codeintel_server.library import trouble
    from codeintel_templates.cli import install_into

    root = project_root(folder, as_json)
    known = (root / ".code-intel" / "manifest.json").is_file()
    # What was proposed before stands: a second run must change nothing, and the user may have changed their mind.
    found = detect(root) if root.is_dir() and not known else None
    if found is not None and not as_json:
        _tell(found)
    install_into(root, clients, include, exclude, command, dry_run, as_json, found.proposals if found else None)
    if not as_json and (said := trouble(root)):
        typer.echo(f"broken   {said}; no session can begin on that", err=True)
    if found is None or dry_run or as_json:
        return
    if found.proposals.test_command:
        _offer_trust(root, yes)
    if not (root / ".git").exists():
        typer.echo("next     git init, and a first commit: without them questions are answered, and nothing is changed")


def project_root(folder: Path, as_json: bool) -> Path:
    """The folder that the server takes for the project; says so where that is another than the one named."""
    root = find_root(folder) if folder.is_dir() else folder
    if folder.is_dir() and root != folder.resolve() and not as_json:
        typer.echo(f"project  {root}, the top of the git repository, is what sessions work on")
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


def _offer_trust(folder: Path, yes: bool) -> None:
    """Ask where somebody can answer; elsewhere say how to do it."""
    from codeintel_server.cli.project import trust_project

    if yes or (sys.stdin.isatty() and sys.stdout.isatty()):
        trust_project(folder, yes)
    else:
        typer.echo("next     codeintel trust lets the server run that test command itself")
