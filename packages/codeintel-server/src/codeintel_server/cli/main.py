"""The commands of `codeintel`. Each says what it did and what to do next; user errors have no traceback."""

from pathlib import Path
from typing import Annotated

import typer

from codeintel_server.cli import contract

app = typer.Typer(
    help="A workflow for coding agents that is enforced: explore, plan, implement, verify, review, merge.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.add_typer(contract.app, name="contract")

Folder = Annotated[Path, typer.Argument(help="The project's folder.", exists=True, file_okay=False)]
InFolder = Annotated[Path, typer.Option("--project", help="The project's folder.", exists=True, file_okay=False)]


def _example(*lines: str) -> str:
    return "Examples: " + " · ".join(f"[cyan]{line}[/]" for line in lines)


@app.command(epilog=_example("codeintel serve", "codeintel serve --project ~/app", "codeintel serve --http"))
def serve(
    project: Annotated[Path | None, typer.Option(help="The project; default: where the client starts it.")] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve several clients over HTTP, with a token.")] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", show_default="8765")] = None,
    allow_host: Annotated[list[str] | None, typer.Option(help="A name clients may reach it by; repeat.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="Holds the token; else CODEINTEL_HTTP_TOKEN.")] = None,
) -> None:
    """Serve MCP on stdio, or over HTTP. Clients start this; see `codeintel init`."""
    from codeintel_server.cli.serve import run_serve

    given = {"--project": project, "--host": host, "--port": port, "--token-file": token_file}
    pairs = [f"{name}={value}" for name, value in given.items() if value is not None]
    run_serve([*pairs, *(["--http"] if http else []), *(f"--allow-host={name}" for name in allow_host or ())])


@app.command(epilog=_example("codeintel init", "codeintel init ~/app --client codex", "codeintel init --dry-run"))
def init(
    folder: Folder = Path(),
    client: Annotated[list[str] | None, typer.Option(help="claude, codex, cursor, vscode or all; repeat.")] = None,
    include: Annotated[list[str] | None, typer.Option(help="Only these components.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="All but these components.")] = None,
    command: Annotated[str, typer.Option(help="What starts the server, as typed in a shell.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: trust the test command that was found.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Put codeintel into a project. What you changed is never overwritten; running it twice changes nothing."""
    from codeintel_server.cli.init import init_project

    init_project(folder, client, include, exclude, command or default_command(), dry_run, as_json, yes)


def default_command() -> str:
    """`codeintel` if it is on PATH, else the form that needs no installation. Never an absolute path."""
    import shutil

    return "codeintel" if shutil.which("codeintel") else "uvx --from codeintel-server codeintel"


@app.command(epilog=_example("codeintel uninstall --dry-run", "codeintel uninstall --purge"))
def uninstall(
    folder: Folder = Path(),
    purge: Annotated[
        bool, typer.Option("--purge", help="Also what sessions left: reports, learned answers, the index.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be taken back.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Take back exactly what init put. Files you changed stay."""
    from codeintel_server.cli.init import project_root
    from codeintel_templates import cli as templates

    templates.uninstall(project_root(folder, as_json), purge, dry_run, as_json)


@app.command(epilog=_example("codeintel upgrade --dry-run", "codeintel upgrade"))
def upgrade(
    folder: Folder = Path(),
    command: Annotated[str, typer.Option(help="What starts the server from now on; default: as before.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be changed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Bring what init put to this version. A file you changed stays; the new one is put beside it as .new."""
    from codeintel_server.cli.init import project_root
    from codeintel_templates import cli as templates

    templates.upgrade(project_root(folder, as_json), command, dry_run, as_json)


@app.command(
    epilog=_example("codeintel demo", "codeintel demo ~/app --flags fast", "codeintel demo --flags quick,no_verify")
)
def demo(
    repo: Annotated[Path, typer.Argument(help="A git repository; it is cloned, never changed.")] = Path(),
    flags: Annotated[str, typer.Option(help="Flags of the session, separated by commas.")] = "",
    keep: Annotated[bool, typer.Option("--keep", help="Keep the clone to look at.")] = False,
) -> None:
    """Watch a scripted agent go through the whole flow over MCP on a clone of a repository."""
    from codeintel_server.demo.run import run_demo

    raise typer.Exit(run_demo(repo, [flag.strip() for flag in flags.split(",") if flag.strip()], keep))


@app.command(epilog=_example("codeintel trust", "codeintel trust ~/app --yes"))
def trust(
    folder: Folder = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Allow the server to run the commands of this project's verifiers, as they stand now."""
    from codeintel_server.cli.project import trust_project

    if not trust_project(folder, yes):
        raise typer.Exit(1)


@app.command(epilog=_example("codeintel doctor", "codeintel doctor ~/app --json"))
def doctor(
    folder: Folder = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check what codeintel needs, here and in the project, and say how to mend it. Exit 1 if something is broken."""
    from codeintel_server.cli.doctor import show_health

    show_health(folder, as_json)


@app.command(epilog=_example("codeintel brief", "codeintel brief --project ~/app"))
def brief(
    folder: Annotated[Path, typer.Option("--project", help="The project's folder.")] = Path(),
) -> None:
    """Print where the running session stands, for an agent that lost its context. Prints nothing without one."""
    from codeintel_server.cli.project import print_brief

    print_brief(folder)


@app.command(epilog=_example("codeintel undo", "codeintel undo refs/codeintel/trash/llm_task_1_from_main"))
def undo(
    ref: Annotated[str, typer.Argument(help="What to bring back; without it, the list of what can be.")] = "",
    folder: InFolder = Path(),
) -> None:
    """Bring back a branch or files that a session deleted or discarded."""
    from codeintel_server.cli.project import undo_in

    undo_in(folder, ref)


@app.command(epilog=_example("codeintel status", "codeintel status ~/app --json"))
def status(
    folder: Folder = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show where a project stands: the session, its open task, the last refusals, the index."""
    from codeintel_server.cli.status import show_status

    show_status(folder, as_json)


@app.command(epilog=_example("codeintel watch", "codeintel watch ~/app", "codeintel watch --once"))
def watch(
    folder: Folder = Path(),
    once: Annotated[bool, typer.Option("--once", help="Print one screen and end.")] = False,
) -> None:
    """Watch the running session: phase, open task, refusals, tools, files. Ctrl-C ends it."""
    from codeintel_server.cli.watch import watch_session

    watch_session(folder, once)


@app.command(epilog=_example("codeintel stats", "codeintel stats ~/app --json", "codeintel stats --html -o stats.html"))
def stats(
    folder: Folder = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Write a page that needs no network.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where the page goes; - prints.")] = None,
) -> None:
    """Show how the sessions of a project ended, what was refused, what a phase costs, what goes with failure."""
    from codeintel_server.cli.stats import show_stats

    show_stats(folder, as_json, as_html, output)


@app.command(
    epilog=_example("codeintel outcome success", 'codeintel outcome failure --note "prices with a comma still fail"')
)
def outcome(
    turned_out: Annotated[str, typer.Argument(metavar="OUTCOME", help="success, failure or partial.")],
    session: Annotated[str, typer.Option(help="Default: the session that ended last.")] = "",
    note: Annotated[str, typer.Option(help="Why; the next session with the same request is told.")] = "",
    folder: InFolder = Path(),
) -> None:
    """Tell how a finished session turned out in the end."""
    from codeintel_server.cli.stats import tell_outcome

    tell_outcome(folder, turned_out, session, note)


@app.command(epilog=_example("codeintel report", "codeintel report --format markdown", "codeintel report -o a.html"))
def report(
    session: Annotated[str, typer.Argument(help="Default: the newest session, running or ended.")] = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where to write; - prints.")] = None,
    form: Annotated[str, typer.Option("--format", help="html, markdown or json.")] = "html",
    folder: InFolder = Path(),
    again: Annotated[bool, typer.Option("--replay", help="Judge it again instead; see codeintel replay.")] = False,
) -> None:
    """Write the report of a session: one page that needs no network, or Markdown for a pull request, or JSON."""
    if again:
        from codeintel_server.cli.replay import replay_session

        replay_session(folder, session, None, as_json=form == "json")
    from codeintel_server.cli.report import write_report

    write_report(folder, session, output, form)


@app.command(epilog=_example("codeintel replay", "codeintel replay --contract stricter.yml", "codeintel replay --json"))
def replay(
    session: Annotated[str, typer.Argument(help="Default: the newest session, running or ended.")] = "",
    contract_file: Annotated[
        Path | None, typer.Option("--contract", help="Judge by this contract file.", exists=True, dir_okay=False)
    ] = None,
    folder: InFolder = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Judge a session again from the decision log. Exit 1 if a verdict differs or the log is broken."""
    from codeintel_server.cli.replay import replay_session

    replay_session(folder, session, contract_file, as_json)
