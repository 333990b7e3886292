"""Implement `codeintel doctor`: print each finding of the checks on a line, with what to do."""

import json
from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from codeintel_server.project.doctor import Finding, examine
from codeintel_server.project.roots import find_root

_MARKS = {"ok": "[green]ok    [/]", "note": "[yellow]note  [/]", "broken": "[bold red]broken[/]"}


def show_health(folder: Path, as_json: bool) -> None:
    """Print the findings; exit 1 if something is broken."""
    findings = examine(find_root(folder))
    broken = any(finding.level == "broken" for finding in findings)
    if as_json:
        typer.echo(json.dumps({"healthy": not broken, "findings": [asdict(finding) for finding in findings]}))
    else:
        _show(findings)
    raise typer.Exit(1 if broken else 0)


def _show(findings: list[Finding]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        console.print(f"{_MARKS[finding.level]} {escape(finding.check)}: {escape(finding.said)}")
        if finding.remedy:
            console.print(f"       [bold]do[/] {escape(finding.remedy)}")
