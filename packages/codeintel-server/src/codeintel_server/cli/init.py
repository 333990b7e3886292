"""Implement `codeintel init`: inspect the project, write its files, ask whether the server may run its tests."""

import os
import shlex
import shutil
from pathlib import Path, PurePath
from typing import NoReturn

import typer

from codeintel_contract import read_file
from codeintel_server.cli.consent import can_answer, trust_at_setup
from codeintel_server.project.detect import Found, detect
from codeintel_server.project.installation import (
    clients_installed,
    clients_used,
    command_fault,
    find_command,
    install_command,
    is_cached,
    own_program,
    spell,
)
from codeintel_server.project.library import config_error
from codeintel_server.project.programs import install_or_change, missing_words
from codeintel_server.project.roots import RECORD, find_root, find_top
from codeintel_session import GitFault, GitRepository
from codeintel_templates import CLIENTS, READER, Proposals, Record, TemplatesError, install_into, read_record

HOME = ".code-intel"
MOST_BYTES = 1_000_000
"""What is read of a file of the project."""
PROPOSED = {"project", "verifiers"}
"""Components that are written with what was found out about the project."""
OFFER = (
    "A second reader finds what no test shows: what of your request is left out. Have `{reader}` read each change"
    " before it is merged? It costs a call of that model for each"
)
NOT_HOME = "is your home folder, whose files are those of all projects: run codeintel init in the folder of a project"
NO_GIT = (
    "is in no git repository, and sessions work on branches: run git init there, make a first commit, then run"
    " codeintel init again"
)


def init_project(
    folder: Path,
    clients: list[str] | None,
    include: list[str] | None,
    exclude: list[str] | None,
    command: str,
    reader: str,
    minimal: bool,
    only: str,
    part_of: str,
    dry_run: bool,
    as_json: bool,
    yes: bool,
) -> None:
    """Install files adapted to the project. The server runs the test command only once the user has agreed."""
    include, exclude = _names(include), _names(exclude)
    root = _subfolder(folder, part_of, as_json) if part_of else project_root(folder, as_json)
    _require_project(root)
    part = _part(root, only)
    if minimal and (include or exclude):
        _refuse("--minimal writes the client's entry and nothing else: leave out --include and --exclude")
    try:
        before = read_record(root)
    except TemplatesError as error:
        _refuse(f"{error} Restore that file, or delete it and run codeintel init again; your files are kept.")
    fault = _reader_fault(reader, root, before, minimal, [*include], [*exclude])
    if fault:
        _refuse(f"--reader {fault}")
    wanted = _names(clients) or list(before.clients) or _choose_clients(root, yes, as_json)
    # Keep what was proposed before: a second run must change nothing, and the user may have changed the proposal.
    found = None if minimal or PROPOSED & {*before.components} else detect(root, part)
    if part and found is None:
        _refuse(f"--only says what the first init writes: change source_dirs in {HOME}/config.json, or uninstall first")
    if found is not None and not as_json:
        _tell(found)
    offers = "" if found is None or reader else _reader_here()
    if (
        offers
        and not as_json
        and not dry_run
        and not yes
        and can_answer()
        and typer.confirm(OFFER.format(reader=offers))
    ):
        reader, offers = offers, ""
    starts = _command(command, before.command, root, as_json)
    proposals = found.proposals if found else before.proposals if reader else None
    if reader and proposals:
        proposals = proposals.model_copy(update={"reader": reader})
        include = include or (["verifiers"] if before.components else [])
    install_into(root, wanted, include, exclude, starts, dry_run, as_json, proposals, minimal=minimal)
    if not as_json and (said := config_error(root)):
        typer.echo(f"broken   {said}; no session can start until it is fixed", err=True)
    if proposals and not as_json:
        _tell_missing(root, proposals)
    if dry_run or as_json:
        return
    if not minimal:
        _tell_ignored(root)
        _tell_formatted(root)
    if proposals and (proposals.suites or proposals.reader):
        trust_at_setup(root, yes)
    if offers:
        line = spell(["codeintel", "init", "--reader", offers])
        typer.echo(f"next     {line}, if you want another look at each change, for what no test shows")
    if PurePath(_words(starts)[0]).is_absolute():
        install = install_command()
        typer.echo(f"next     before you commit them: {install}, then codeintel upgrade --command codeintel")


def project_root(folder: Path, as_json: bool) -> Path:
    """Return the folder that the server treats as the project; report it if it differs from the one named."""
    root = find_root(folder) if folder.is_dir() else folder
    if folder.is_dir() and root != folder.resolve() and not as_json:
        which = ", the top of the git repository," if find_top(root) == root else ""
        typer.echo(f"project  {root}{which} is the project of all sessions")
    return root


def _subfolder(folder: Path, name: str, as_json: bool) -> Path:
    """Return the folder of a repository that becomes a project of its own."""
    root = (folder / name).resolve()
    if not root.is_dir():
        _refuse(f"--project {name!r}: there is no such folder in {folder.resolve()}")
    if not as_json:
        typer.echo(f"project  {root} becomes a project of its own; start the client in that folder")
    return root


def _put_here(root: Path) -> list[str]:
    """Return the files and folders at the top of the project that hold what was put there."""
    return sorted({file.split("/")[0] for file in read_record(root).files})


def _tell_formatted(root: Path) -> None:
    """Name what Prettier, where the project uses it, would write in another form, so that tests that check it fail."""
    if _holds(root, "package.json", '"prettier"') and not _holds(root, ".prettierignore", HOME):
        names = ", ".join(_put_here(root))
        typer.echo(f"note     Prettier would reformat {names}: if tests check that, list them in .prettierignore")


def _holds(root: Path, name: str, word: str) -> bool:
    try:
        return word in read_file(root, Path(name), MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return False


def _tell_ignored(root: Path) -> None:
    git = GitRepository.discover(root)
    ignored = [name for name in _put_here(root) if git.ignores(name)]
    if ignored:
        names = ", ".join(ignored)
        typer.echo(f"note     git ignores {names}: to share them, except each in .gitignore (!/{ignored[0]})")


def _require_project(root: Path) -> None:
    if root in (Path.home().resolve(), root.parent):
        _refuse(f"{root} {NOT_HOME}")
    top = find_top(root)
    if top is None:
        _refuse(f"{root} {NO_GIT}")
    try:
        why = _nested(root, top)
    except GitFault as fault:
        _refuse(str(fault))
    if why:
        _refuse(why)


def _nested(root: Path, top: Path) -> str:
    """Say why a folder of a repository cannot be a project of its own, "" if it can."""
    git = GitRepository.discover(top)
    inside = root.relative_to(top).as_posix()
    if root != top and git.ignores(inside):
        return f"git ignores {root}, so no change in it could be committed: name a folder that git tracks"
    projects = [top / name.removesuffix(RECORD) for name in git.find(RECORD)]
    holding = [each for each in (top, *projects) if each != root and (each / RECORD).is_file()]
    for other in holding:
        if other in root.parents or root in other.parents:
            return (
                f"{other} is a project already, and two projects cannot share files: run codeintel uninstall there"
                " first, or keep it and use --only, which indexes and tests one of its folders alone"
            )
    return ""


def _part(root: Path, only: str) -> str:
    """Return the folder of the project that is indexed and tested, with a slash behind it; "" for all of it."""
    folder = (root / only).resolve()
    if folder == root:
        return ""
    if not folder.is_dir() or not folder.is_relative_to(root):
        _refuse(f"--only {only!r}: there is no such folder in {root}")
    return f"{folder.relative_to(root).as_posix()}/"


def _names(given: list[str] | None) -> list[str]:
    return [name.strip() for names in given or () for name in names.split(",") if name.strip()]


def _choose_clients(root: Path, yes: bool, as_json: bool) -> list[str]:
    """Return the clients that the project is worked on with, else those installed; ask where there are several."""
    used_here = clients_used(root) or clients_used(find_top(root) or root)
    used, installed = ([client.name for client in find] for find in (used_here, clients_installed()))
    found = list(dict.fromkeys([*used, *installed]))
    names = used or installed or ["claude"]
    if not as_json:
        none = "none; files for Claude Code are written, --client NAME writes those of another"
        typer.echo(f"found    clients: {', '.join(found) or none}")
    return _ask_for_clients(names) if can_answer() and not yes and len(found) != 1 else names


def _ask_for_clients(names: list[str]) -> list[str]:
    while True:
        typed = typer.prompt(f"Set up for which of {', '.join(CLIENTS)}, or all", default=",".join(names))
        chosen = _names([str(typed)])
        unknown = [name for name in chosen if name not in (*CLIENTS, "all")]
        if chosen and not unknown:
            return chosen
        typer.echo(f"There is no client {unknown[0]!r}." if unknown else "Name at least one.")


def _command(given: str, before: tuple[str, ...], root: Path, as_json: bool) -> str:
    """Return the command to write, one that starts: the one `before` if it does.

    One that the user named is written in any case, with a note if it does not start.
    """
    words = _words(given)
    if words:
        if (fault := command_fault(words, root)) and not as_json:
            typer.echo(f"note     {given} does not start the server: {fault}", err=True)
        return given
    found = before if before and not command_fault(before, root) else find_command(root)
    if not found:
        tried = own_program() or "codeintel"
        _refuse(f"{tried} does not start: {install_command()}, or name what starts the server with --command")
    if is_cached() and PurePath(found[0]).is_absolute() and not as_json:
        typer.echo(f"note     it lies in uv's cache and goes when that is cleaned: {install_command()} keeps it")
    return spell(found)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        _refuse(f"--command {command!r}: {error}")


def _refuse(why: str) -> NoReturn:
    typer.echo(f"codeintel init: {why}", err=True)
    raise typer.Exit(2)


def _tell(found: Found) -> None:
    languages = ", ".join(f"{name} ({count})" for name, count in list(found.languages.items())[:5])
    proposals = found.proposals
    typer.echo(f"found    languages: {languages or 'none'}")
    for suite in proposals.suites:
        place = f"  ({suite.name}.md)" if len(proposals.suites) > 1 else ""
        typer.echo(f"found    tests: {suite.command}{place}")
    if not proposals.suites:
        typer.echo("found    tests: no command; add one to .code-intel/verifiers")
    if found.left_out:
        typer.echo(f"found    tests of {len(found.left_out)} more packages, for which you can add verifiers")
    where = ", ".join(proposals.docs_path) if found.documents else "none"
    typer.echo(
        f"found    documents: {where}"
        + (f" ({found.documents} file{'s'[: found.documents > 1]})" if found.documents else "")
    )
    if proposals.source_dirs:
        typer.echo(f"found    sources: {', '.join(proposals.source_dirs)}; nothing else is indexed")


def _reader_fault(
    reader: str, root: Path, before: Record, minimal: bool, include: list[str], exclude: list[str]
) -> str:
    """Say why the verifier of a reader would not be written, "" if it will be."""
    if not reader or reader == before.proposals.reader:
        return ""
    if minimal or "verifiers" in exclude or (include and "verifiers" not in include):
        return "adds a verifier: leave out --minimal, and do not exclude verifiers"
    if (root / READER.destination).exists():
        return f"{reader!r}: {READER.destination} is there already: change its command, then run codeintel trust"
    return ""


def _reader_here() -> str:
    """Return the line by which an installed client reads a prompt, "" if none does."""
    lines = (client.reader for client in clients_installed() if client.reader and shutil.which(client.programs[0]))
    return next(lines, "")


def _tell_missing(root: Path, proposals: Proposals) -> None:
    """Name what the proposed commands need and this machine does not have: every run would fail."""
    tests = (("the tests need", f"{suite.name}.md", suite.command) for suite in proposals.suites)
    for needs, name, command in (("the second reader needs", "second_reader.md", proposals.reader), *tests):
        if missing := missing_words(root, command):
            typer.echo(f"broken   not found here, and {needs} it: {', '.join(missing)}")
            typer.echo(f"next     {install_or_change(name)}; no session can end verified before")
