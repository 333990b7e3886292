"""Implement `codeintel stats` and `codeintel outcome`: show and record how a project's sessions turned out."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from codeintel_server.project.roots import find_root
from codeintel_server.report.page import stats_as_html
from codeintel_server.report.stats import Stats, compute
from codeintel_server.report.words import plain_ending, plain_phase
from codeintel_server.terminal import STDOUT, counted, sign, stop, write_page
from codeintel_session import decision_log, outcome_log

BAR = 24
"""Length of the longest bar, in cells."""


NONE_ENDED = "No session has ended in this project yet. `codeintel sessions` lists one that runs."
PAGE = ".code-intel/sessions/stats.html"


def show_stats(folder: Path, as_json: bool, as_html: bool, output: Path | None) -> None:
    """Print the figures of the logs, or write them as a page. Exit 1 if no session has ended yet."""
    root = find_root(folder)
    logs = root / ".code-intel" / "logs"
    outcomes, decisions = outcome_log(logs), decision_log(logs)
    found = compute(outcomes.read(), decisions.read())
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
    elif not found.sessions:
        typer.echo(NONE_ENDED, err=as_html)
    elif as_html:
        _write_page(found, root.name, output or root / PAGE)
    else:
        _show(found)
    raise typer.Exit(0 if found.sessions else 1)


def _write_page(found: Stats, project: str, output: Path) -> None:
    text = stats_as_html(found, project)
    write_page("stats", text, output, makes_folder=True)
    if output != STDOUT:
        typer.echo(f"Figures of {counted(found.sessions, 'session')}: {output}")


def _show(found: Stats) -> None:
    console = Console(highlight=False)
    console.print(f"[bold]{counted(found.sessions, 'session')}[/]")
    _bars(console, "How they ended", {plain_ending(name): count for name, count in found.outcomes.items()})
    _bars(console, "What was refused (less is better)", dict(list(found.refusals.items())[:10]))
    _phases(console, found)
    for figure in found.figures:
        console.print(f"{figure.name}: [bold]{figure.value}[/] ({figure.better})")
    for each in found.insights:
        console.print(
            f"With {each.trait}: {each.failed_with} of {each.with_it} failed; "
            f"without: {each.failed_without} of {each.without_it}"
        )


def _bars(console: Console, title: str, counts: Mapping[str, int]) -> None:
    if not counts:
        return
    table = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False, padding=(0, 1))
    most, cell = max(counts.values()), sign(console, "█", "#")
    for name, count in counts.items():
        table.add_row(name, str(count), cell * max(1, round(BAR * count / most)))
    console.print(table)


def _phases(console: Console, found: Stats) -> None:
    table = Table(
        "Phase", "", title="What a phase costs (less is better)", title_justify="left", title_style="bold", box=None
    )
    for name in ("submitted", "refused", "seconds", "tokens"):
        table.add_column(name, justify="right")
    for phase in found.phases:
        seconds = "" if phase.seconds is None else f"{phase.seconds:.0f}"
        table.add_row(
            plain_phase(phase.phase),
            phase.phase,
            str(phase.submissions),
            str(phase.refusals),
            seconds,
            f"{phase.tokens:.0f}",
        )
    console.print(table)


def tell_outcome(folder: Path, outcome: str, session_id: str, note: str) -> None:
    """Record how a finished session turned out; after a failure, the Map trusts its agreements less."""
    from codeintel_contract import ContractViolation
    from codeintel_server.cli.consent import can_answer
    from codeintel_server.mcp.tools.maintenance import record_outcome
    from codeintel_server.project.project import Project
    from codeintel_session import Who, render_message

    root = find_root(folder)
    if not (root / ".code-intel" / "logs").is_dir():
        stop("outcome", NONE_ENDED, 2)
    project = Project(root)
    try:
        done = record_outcome(project, outcome, session_id, note, by=Who.USER if can_answer() else Who.AGENT)
    except ContractViolation as violation:
        stop("outcome", render_message(project.session.contract, violation), 2)
    finally:
        project.close()
    typer.echo(f"Session {done.data['session_id']}: {done.data['recorded']} recorded.")
