"""`codeintel contract`: look at the contract file of a project before an agent does."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check the phase contract.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Check the phase contract."""


@app.command(epilog="Examples: [cyan]codeintel contract check[/] · [cyan]codeintel contract check my_contract.yml[/]")
def check(
    file: Annotated[Path | None, typer.Argument(help="Default: .code-intel/phase_contract.yml of the project.")] = None,
) -> None:
    """Report every fault of a contract file with its line. Exit 1 if there is an error."""
    from codeintel_contract.lint import lint

    path = file or Path(".code-intel") / "phase_contract.yml"
    if not path.is_file():
        typer.echo(f"{path} is not there; the built-in contract is used.")
        raise typer.Exit(2 if file else 0)
    findings = lint(path)
    for finding in findings:
        typer.echo(f"{path}:{finding.line}: {finding.level}: {finding.key}: {finding.problem}")
    errors = sum(finding.level == "error" for finding in findings)
    typer.echo(f"{errors} errors, {len(findings) - errors} warnings")
    raise typer.Exit(1 if errors else 0)
