"""`codeintel-templates`: the copier on its own, for a project that is set up without the server.

Exit codes: 0 done, 1 something could not be done or (for `diff`) would change, 2 the request made no sense.
"""

import difflib
import json
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from . import copy, manifest
from .clients import CLIENTS, find_client
from .copy import Action, Kind, Plan
from .errors import BrokenFile, Obstructed, TemplatesError, UsageError
from .planning import read_record
from .proposals import Proposals

app = typer.Typer(
    help="Put the files of codeintel into a project, keep them current, take them back.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_STYLES = {
    Kind.CREATE: "green",
    Kind.UPDATE: "cyan",
    Kind.MERGE: "cyan",
    Kind.KEEP: "dim",
    Kind.CONFLICT: "bold yellow",
    Kind.REMOVE: "red",
}

MANY = 8
"""New files in our own folder that are shown as one line."""

_CLIENTS = f"{', '.join(CLIENTS)} or all; repeat for several."
_COMPONENTS = f"Components: {', '.join(manifest.all_components())}."

Target = Annotated[Path, typer.Argument(help="The project's folder.")]
Clients = Annotated[list[str] | None, typer.Option("--client", metavar="NAME", help=_CLIENTS)]
Include = Annotated[list[str] | None, typer.Option("--include", metavar="NAME", help=f"Only these. {_COMPONENTS}")]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", metavar="NAME", help="All but these.")]
Command = Annotated[
    str, typer.Option("--command", metavar="COMMAND", help="What starts the server, as typed in a shell.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Purge = Annotated[bool, typer.Option("--purge", help="Also what sessions left: reports, learned answers, index.")]
Minimal = Annotated[bool, typer.Option("--minimal", help="Put nothing there but the client's entry.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done and change nothing.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"codeintel-templates {version_of('codeintel-templates')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Put the files of codeintel into a project, keep them current, take them back."""


def main() -> None:
    """Run the command line."""
    app()


@app.command(
    "list",
    epilog="Examples: codeintel-templates list · codeintel-templates list --client codex --json",
)
def list_files(clients: Clients = None, as_json: AsJson = False) -> None:
    """List the files that can be installed. Each is shown with its component and how it meets what is there."""
    with _user_errors():
        rows = manifest.select(manifest.expand_clients(clients or ["all"]))
    if as_json:
        _print_json({"files": [_row_json(row) for row in rows]})
        return
    cells = ((row.destination, row.component, row.mode.value, ", ".join(row.clients) or "all") for row in rows)
    table = [("file", "component", "mode", "clients"), *cells]
    widths = [max(len(line[column]) for line in table) for column in range(4)]
    # Plain lines: a path cut off on a narrow terminal or in a pipe is of no use to anyone.
    for line in table:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


@app.command(
    epilog="Examples: codeintel-templates install · "
    "codeintel-templates install ~/app --client claude --client codex --dry-run · "
    'codeintel-templates install --command "uvx --from codeintel-server codeintel"'
)
def install(
    target: Target = Path(),
    clients: Clients = None,
    include: Include = None,
    exclude: Exclude = None,
    command: Command = "codeintel",
    minimal: Minimal = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Put the files into a project. What you changed is never overwritten; running it twice changes nothing."""
    install_into(target, clients, include, exclude, command, dry_run, as_json, minimal=minimal)


def install_into(
    target: Path,
    clients: list[str] | None,
    include: list[str] | None,
    exclude: list[str] | None,
    command: str,
    dry_run: bool,
    as_json: bool,
    proposals: Proposals | None = None,
    minimal: bool = False,
) -> None:
    """Install for another command line, which may know more of the project."""
    with _user_errors(can_exclude=True):
        plan = copy.plan(
            target,
            clients=clients or ["claude"],
            include=include or (),
            exclude=exclude or (),
            command=_split(command),
            proposals=proposals,
            minimal=minimal,
        )
        _carry_out(plan, copy.apply, dry_run, as_json)
    if not dry_run and not as_json:
        _next_steps(plan)


@app.command(epilog="Examples: codeintel-templates diff · codeintel-templates diff --client all --json")
def diff(
    target: Target = Path(),
    clients: Clients = None,
    include: Include = None,
    exclude: Exclude = None,
    command: Command = "",
    as_json: AsJson = False,
) -> None:
    """Show what would change, as a diff. It is install's, if options are given, else upgrade's. Exit 1 if anything."""
    with _user_errors(can_exclude=True):
        if clients or include or exclude or not read_record(target).files:
            plan = copy.plan(
                target,
                clients=clients or ["claude"],
                include=include or (),
                exclude=exclude or (),
                command=_split(command or "codeintel"),
            )
        else:
            plan = copy.plan_upgrade(target, command=_split(command))
    changes = [{**action.as_json(), "diff": "".join(_diff(action))} for action in plan.changes]
    if as_json:
        _print_json({"changes": changes})
    else:
        for change in changes:
            typer.echo(change["diff"], nl=False)
    raise typer.Exit(1 if changes else 0)


@app.command(
    "upgrade",
    epilog="Examples: codeintel-templates upgrade --dry-run · codeintel-templates upgrade --command ./tools/codeintel",
)
def upgrade_in(
    target: Target = Path(), command: Command = "", dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Bring installed files to this version. A file you changed stays; the new one is put beside it as .new."""
    with _user_errors():
        plan = copy.plan_upgrade(target, command=_split(command))
        _carry_out(plan, copy.apply, dry_run, as_json)


@app.command(
    "uninstall",
    epilog="Examples: codeintel-templates uninstall --dry-run · codeintel-templates uninstall --purge",
)
def uninstall_from(
    target: Target = Path(), purge: Purge = False, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Remove exactly what was put. Files you changed stay, and other tools' entries are untouched."""
    with _user_errors():
        _carry_out(copy.plan_uninstall(target, purge=purge), copy.take_back, dry_run, as_json)


@app.command(
    epilog="Examples: codeintel-templates plugins dist/plugins · "
    'codeintel-templates plugins ~/codeintel-plugins --command "uvx --from codeintel-server codeintel"'
)
def plugins(
    folder: Annotated[Path, typer.Argument(help="A new folder for them.")],
    command: Command = "codeintel",
    as_json: AsJson = False,
) -> None:
    """Write the plugins of clients. A user installs them once, instead of files in each project."""
    from .plugins import write_plugins

    with _user_errors():
        files = write_plugins(folder, _split(command))
    if as_json:
        _print_json({"folder": str(folder), "files": files})
        return
    for name in files:
        typer.echo(f"create   {name}")
    place = folder.resolve()
    for step in (
        f"Claude Code: claude plugin marketplace add {place} && claude plugin install code-intel@codeintel",
        f"Codex: codex plugin marketplace add {place} && codex plugin add code-intel@codeintel",
        f"Gemini CLI: gemini extensions install {place / 'gemini'}",
        f"Qwen Code: qwen extensions install {place / 'qwen'}",
    ):
        typer.echo(f"next     {step}")


def _split(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command, posix=os.name != "nt"))
    except ValueError as error:
        raise UsageError(f"--command {command!r}: {error}") from error


def _carry_out(plan: Plan, perform: Callable[[Plan], Plan], dry_run: bool, as_json: bool) -> None:
    result = plan if dry_run else perform(plan)
    if as_json:
        _print_json({"applied": not dry_run, **result.as_json()})
    else:
        _show(result, dry_run)


def _show(result: Plan, dry_run: bool) -> None:
    console = _console()
    created = {action.path for action in result.changes if action.kind is Kind.CREATE}
    made = {path for path in created if path.startswith(f"{manifest.HOME}/")}
    if dry_run or len(made) < MANY:
        made = set()  # a list of so few can be read, and a dry run is made to be read
    else:
        console.print(f"[green]create  [/] {manifest.HOME}/  [dim]{len(made)} files; --dry-run lists them[/]")
    for action in (action for action in result.changes if action.path not in made):
        style = _STYLES[action.kind]
        console.print(f"[{style}]{action.kind.value:<8}[/] {escape(action.path)}  [dim]{escape(action.reason)}[/]")
    for path in result.purged:
        console.print(f"[red]purge   [/] {escape(path)}")
    kept = len(result.actions) - len(result.changes)
    for action in result.actions:
        if action.kind is Kind.KEEP and action.reason.startswith(("left", "yours", "changed", "not needed")):
            console.print(f"[dim]keep     {escape(action.path)}  {escape(action.reason)}[/]")
    for notice in result.notices:
        console.print(f"[yellow]note[/]     {escape(notice)}")
    tail = " Nothing was written: this was a dry run." if dry_run else ""
    if not result.actions:
        console.print(f"Nothing is installed here.{tail}")
        return
    console.print(f"{len(result.changes)} changed, {kept} kept.{tail}")


def _next_steps(plan: Plan) -> None:
    console = _console()
    if plan.changes and not plan.notices:
        console.print(
            "[bold]next[/]     Commit what was written: it belongs to the project and names no path of this machine"
        )
    for client in plan.after.clients:
        console.print(f"[bold]next[/]     {escape(find_client(client).next_step)}")


def _diff(action: Action) -> Iterator[str]:
    old = (action.current or "").splitlines(keepends=True)
    new = (action.content or "").splitlines(keepends=True)
    source = f"a/{action.path}" if action.current is not None else "/dev/null"
    for line in difflib.unified_diff(old, new, source, f"b/{action.written}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _row_json(row: manifest.Row) -> dict[str, Any]:
    return {
        "path": row.destination,
        "component": row.component,
        "mode": row.mode.value,
        "clients": list(row.clients or CLIENTS),
    }


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)


def _print_json(data: dict[str, Any]) -> None:
    typer.echo(json.dumps(data, ensure_ascii=False))


@contextmanager
def _user_errors(can_exclude: bool = False) -> Iterator[None]:
    """Turn what a user can cause into one line on stderr and an exit code."""
    try:
        yield
    except TemplatesError as error:
        tail = "" if isinstance(error, UsageError) else " Nothing was written."
        if isinstance(error, BrokenFile | Obstructed):
            tail += (
                " Correct it, or leave it out with --exclude." if can_exclude else " Correct it, then run this again."
            )
        typer.echo(f"error: {error}{tail}", err=True)
        raise typer.Exit(2 if isinstance(error, UsageError) else 1) from error
    except OSError as error:
        typer.echo(f"error: {error.filename or ''}: {error.strerror or error}", err=True)
        raise typer.Exit(1) from error
