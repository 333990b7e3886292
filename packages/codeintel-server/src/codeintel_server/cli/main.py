"""The commands of `codeintel`. Each reports what it did and what to do next; user errors have no traceback."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from codeintel_server.cli import contract
from codeintel_templates import CLIENTS

app = typer.Typer(
    help="An enforced workflow for coding agents: explore, plan, implement, verify, review, merge.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(contract.app, name="contract")

Folder = Annotated[Path, typer.Argument(help="The project's folder.", exists=True, file_okay=False)]
InFolder = Annotated[
    Path, typer.Option("--project", metavar="DIR", help="The project's folder.", exists=True, file_okay=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        from codeintel_server import __version__

        typer.echo(f"codeintel {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """An enforced workflow for coding agents: explore, plan, implement, verify, review, merge."""


def _example(*lines: str) -> str:
    return "Examples: " + " · ".join(lines)


@app.command("help", epilog=_example("codeintel help", "codeintel help report"))
def show_help(
    context: typer.Context, command: Annotated[str, typer.Argument(help="A command; without it, all of them.")] = ""
) -> None:
    """Show what a command does, like its `--help`."""
    outer = context.find_root()
    known = getattr(outer.command, "commands", {})
    if command and command not in known:
        raise typer.BadParameter(f"there is no command {command!r}; `codeintel help` lists them", param_hint="COMMAND")
    if command == "serve":
        app(["serve", "--help"], prog_name="codeintel")
    shown = known[command].make_context(command, [], parent=outer, resilient_parsing=True) if command else outer
    typer.echo(shown.get_help())


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def serve(options: typer.Context) -> None:
    """Serve MCP on stdio, or over HTTP. Clients start this command; see `codeintel init`."""
    from codeintel_server.cli.serve import run_serve

    run_serve(options.args)


@app.command(
    epilog=_example("codeintel init", "codeintel init ~/app --client codex", "codeintel init --project services/api")
)
def init(
    folder: Folder = Path(),
    client: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"{', '.join(CLIENTS)} or all; repeatable. Default: those used here or installed."
        ),
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Install only these components, with commas.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Install all components except these, with commas.")
    ] = None,
    command: Annotated[
        str, typer.Option(metavar="COMMAND", help="The command that starts the server, as typed in a shell.")
    ] = "",
    reader: Annotated[
        str,
        typer.Option(metavar="COMMAND", help="Have this read each change beside its request, for example 'claude -p'."),
    ] = "",
    minimal: Annotated[
        bool, typer.Option("--minimal", help="Put nothing into the repository but the client's entry.")
    ] = False,
    only: Annotated[str, typer.Option(metavar="DIR", help="Index and test this folder of the repository alone.")] = "",
    project: Annotated[
        str,
        typer.Option(metavar="DIR", help="Make this folder of the repository a project of its own, for a monorepo."),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written; write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: take the clients found, trust the tests.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set up codeintel in a project. It never overwrites files you changed; running it twice changes nothing."""
    from codeintel_server.cli.init import init_project

    init_project(folder, client, include, exclude, command, reader, minimal, only, project, dry_run, as_json, yes)


@app.command(epilog=_example("codeintel uninstall --dry-run", "codeintel uninstall --purge"))
def uninstall(
    folder: Folder = Path(),
    purge: Annotated[
        bool, typer.Option("--purge", help="Also remove what sessions left: reports, agreements, the index.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed; remove nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove exactly what init installed. Files you changed stay."""
    from codeintel_server.cli.init import project_root
    from codeintel_templates import uninstall_from

    uninstall_from(project_root(folder, as_json), purge, dry_run, as_json)


@app.command(epilog=_example("codeintel upgrade --dry-run", "codeintel upgrade"))
def upgrade(
    folder: Folder = Path(),
    command: Annotated[
        str, typer.Option(metavar="COMMAND", help="The new command that starts the server; default: unchanged.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change; change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Update installed files to this version. A file you changed stays; the new one is written beside it as .new."""
    from codeintel_server.cli.init import project_root
    from codeintel_templates import upgrade_in

    upgrade_in(project_root(folder, as_json), command, dry_run, as_json)


@app.command(
    epilog=_example("codeintel demo", "codeintel demo ~/app --flags fast", "codeintel demo --flags quick,no_verify")
)
def demo(
    repo: Annotated[Path, typer.Argument(help="A git repository; the demo clones it and never changes it.")] = Path(),
    flags: Annotated[str, typer.Option(metavar="NAMES", help="Flags of the session, separated by commas.")] = "",
    keep: Annotated[bool, typer.Option("--keep", help="Keep the clone for inspection.")] = False,
) -> None:
    """Watch a scripted agent play the whole flow. It speaks MCP, on a clone of a repository."""
    from codeintel_server.demo.run import run_demo

    raise typer.Exit(run_demo(repo, contract.flag_values(flags.split(",")), keep))


@app.command(epilog=_example("codeintel trust", "codeintel trust ~/app"))
def trust(folder: Folder = Path()) -> None:
    """Allow the server to run this project's tests. Asks in a terminal, for the verifiers' commands as they are now."""
    from codeintel_server.cli.consent import trust_project

    if not trust_project(folder):
        raise typer.Exit(1)


@app.command(epilog=_example("codeintel decide", "codeintel decide ~/app"))
def decide(folder: Folder = Path()) -> None:
    """Decide what an agent must not decide. That is stale branches, and how to proceed after failures.

    After failures, accept takes the change as it is: the session then ends as not verified."""
    from codeintel_server.cli.consent import decide_in

    decide_in(folder)


@app.command(epilog=_example("codeintel doctor", "codeintel doctor ~/app --json"))
def doctor(folder: Folder = Path(), as_json: AsJson = False) -> None:
    """Check the machine and the project. Each problem comes with what fixes it. Exit 1 if something is broken."""
    from codeintel_server.cli.project import show_health

    show_health(folder, as_json)


@app.command(epilog=_example("codeintel brief", "codeintel brief --project ~/app"))
def brief(
    folder: Annotated[Path, typer.Option("--project", metavar="DIR", help="The project's folder.")] = Path(),
    client: Annotated[str, typer.Option(metavar="NAME", help="Print it as this client's hook reads it.")] = "",
) -> None:
    """Print the state of the running session. It is for an agent that lost its context; clients run it as a hook."""
    from codeintel_server.cli.project import print_brief

    print_brief(folder, client)


@app.command(epilog=_example("codeintel undo", "codeintel undo refs/codeintel/trash/llm_task_1_from_main"))
def undo(
    ref: Annotated[str, typer.Argument(help="The ref to restore; without it, list what can be restored.")] = "",
    folder: InFolder = Path(),
) -> None:
    """Restore a branch or files that a session deleted or discarded."""
    from codeintel_server.cli.project import undo_in

    undo_in(folder, ref)


@app.command(epilog=_example("codeintel status", "codeintel status ~/app --json"))
def status(folder: Folder = Path(), as_json: AsJson = False) -> None:
    """Show the session, its open task, the last refusals, the index."""
    from codeintel_server.cli.status import show_status

    show_status(folder, as_json)


@app.command(epilog=_example("codeintel watch", "codeintel watch ~/app", "codeintel watch --once"))
def watch(
    folder: Folder = Path(), once: Annotated[bool, typer.Option("--once", help="Print one screen and exit.")] = False
) -> None:
    """Watch the running session. The display shows phase, open task, refusals, tools, files; `q` ends it."""
    from codeintel_server.cli.watch import watch_session

    watch_session(folder, once)


@app.command(epilog=_example("codeintel sessions", "codeintel sessions --limit 5", "codeintel sessions --json"))
def sessions(
    folder: Folder = Path(),
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many to show.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON list.")] = False,
) -> None:
    """List the sessions of a project. The newest comes first, each with its outcome, its commit and its report."""
    from codeintel_server.cli.report import list_sessions

    list_sessions(folder, limit, as_json)


@app.command(epilog=_example("codeintel verify", "codeintel verify tests --project ~/app"))
def verify(
    verifier: Annotated[str, typer.Argument(help="A file in .code-intel/verifiers; default: those that fit.")] = "",
    folder: InFolder = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON list.")] = False,
) -> None:
    """Run verifiers on the working tree. They run as in a session: in a clean checkout, compared with the base."""
    from codeintel_server.cli.verify import verify_by_hand

    verify_by_hand(folder, verifier, as_json)


@app.command(epilog=_example("codeintel stats", "codeintel stats ~/app --json", "codeintel stats --html -o stats.html"))
def stats(
    folder: Folder = Path(),
    as_json: AsJson = False,
    as_html: Annotated[bool, typer.Option("--html", help="Write a self-contained HTML page.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File for the page; - prints it.")
    ] = None,
) -> None:
    """Summarize all sessions. It shows endings, refusals, the cost of each phase, and what correlates with failure."""
    from codeintel_server.cli.stats import show_stats

    show_stats(folder, as_json, as_html, output)


@app.command(
    epilog=_example("codeintel outcome success", 'codeintel outcome failure --note "prices with a comma still fail"')
)
def outcome(
    turned_out: Annotated[
        Literal["success", "failure", "partial"], typer.Argument(metavar="OUTCOME", help="success, failure or partial.")
    ],
    session: Annotated[str, typer.Option(metavar="ID", help="Default: the session that ended last.")] = "",
    note: Annotated[
        str, typer.Option(metavar="TEXT", help="The reason; the next session with the same request sees it.")
    ] = "",
    folder: InFolder = Path(),
) -> None:
    """Record how a finished session turned out in the end."""
    from codeintel_server.cli.stats import tell_outcome

    tell_outcome(folder, turned_out, session, note)


@app.command(
    epilog=_example("codeintel report --open", "codeintel report --format markdown", "codeintel report --replay")
)
def report(
    session: Annotated[str, typer.Argument(help="Default: the newest session, running or ended.")] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File for the report; - prints it.")
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="NAME", help="html, markdown or json.")] = "html",
    opens: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    as_note: Annotated[
        bool, typer.Option("--note", help="Keep it in Markdown as a git note of the session's commit, for a workflow.")
    ] = False,
    folder: InFolder = Path(),
    again: Annotated[
        bool, typer.Option("--replay", help="Replay the session instead; exit 1 if a verdict differs.")
    ] = False,
    contract_file: Annotated[
        Path | None,
        typer.Option(
            "--contract", metavar="FILE", help="Replay under this contract file.", exists=True, dir_okay=False
        ),
    ] = None,
) -> None:
    """Write the report of a session. It is one self-contained page, Markdown for a pull request, or JSON."""
    if again or contract_file:
        from codeintel_server.cli.replay import show_replay

        show_replay(folder, session, contract_file, as_json=form == "json")
    from codeintel_server.cli.report import write_note, write_report

    if as_note:
        write_note(folder, session)
        return
    write_report(folder, session, output, form, opens)
