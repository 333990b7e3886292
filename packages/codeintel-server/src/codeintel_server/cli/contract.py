"""`codeintel contract`: look at the contract file of a project before an agent does."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check, show and draw the phase contract.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Check, show and draw the phase contract."""


@app.command(epilog="Examples: [cyan]codeintel contract check[/] · [cyan]codeintel contract check my_contract.yml[/]")
def check(
    file: Annotated[Path | None, typer.Argument(help="Default: .code-intel/phase_contract.yml of the project.")] = None,
) -> None:
    """Report every fault of a contract file with its line. Exit 1 if there is an error."""
    from codeintel_contract.lint import lint
    from codeintel_server.registry import callable_in

    path = file or Path(".code-intel") / "phase_contract.yml"
    if not path.is_file():
        typer.echo(f"{path} is not there; the built-in contract is used.")
        raise typer.Exit(2 if file else 0)
    findings = lint(path, callable_in=callable_in())
    for finding in findings:
        typer.echo(f"{path}:{finding.line}: {finding.level}: {finding.key}: {finding.problem}")
    errors = sum(finding.level == "error" for finding in findings)
    typer.echo(f"{errors} errors, {len(findings) - errors} warnings")
    raise typer.Exit(1 if errors else 0)


@app.command(
    epilog="Examples: [cyan]codeintel contract diagram[/] · "
    "[cyan]codeintel contract diagram --flags fast --format svg > flow.svg[/]"
)
def diagram(
    flags: Annotated[str, typer.Option(help="Flags of the session, separated by commas.")] = "",
    intent: Annotated[str, typer.Option(help="IMPLEMENT, MODIFY, INVESTIGATE or QUESTION.")] = "IMPLEMENT",
    form: Annotated[str, typer.Option("--format", help="mermaid, text or svg.")] = "text",
) -> None:
    """Draw the flow of a session with these flags, from the table the server runs by."""
    from codeintel_contract.flags import check_combination, parse_flags
    from codeintel_session.diagram import FORMATS, draw
    from codeintel_session.opening import read_intent

    with _usage():
        if form not in FORMATS:
            raise typer.BadParameter(f"{form!r} is none of {', '.join(FORMATS)}", param_hint="--format")
        chosen = read_intent(intent)
        options = [name.strip() for name in flags.split(",") if name.strip()]
        checked, _ = check_combination(parse_flags(flag_values(options)), chosen)
    typer.echo(draw(checked, chosen, form), nl=False)


@app.command(epilog="Examples: [cyan]codeintel contract show EXPLORATION[/] · [cyan]codeintel contract show[/]")
def show(
    phase: Annotated[str, typer.Argument(help="A contract key; without it, the list of them.")] = "",
    file: Annotated[Path | None, typer.Option(help="Default: the project's contract, else the built-in one.")] = None,
) -> None:
    """Show what a phase tells an agent and what it must hand in."""
    from codeintel_contract.loader import ContractFileError, load
    from codeintel_contract.names import Key
    from codeintel_session.machine.steps import STEPS

    own = file or Path(".code-intel") / "phase_contract.yml"
    try:
        contract = load(own if file or own.is_file() else None)
    except ContractFileError as error:
        typer.echo(f"codeintel contract show: {error}", err=True)
        raise typer.Exit(1) from None
    if not phase:
        typer.echo("\n".join(f"{row.number:>2} {row.key.value}" for row in STEPS))
        return
    if phase.upper() not in Key.__members__:
        raise typer.BadParameter(f"{phase!r} is none of {', '.join(Key)}", param_hint="PHASE")
    entry = contract.phases[Key(phase.upper())]
    typer.echo(entry.instruction + "\n")
    for name, value in entry.model_dump(exclude={"instruction"}, exclude_defaults=True).items():
        lines = [f"  {key}: {text}" for key, text in value.items()] if isinstance(value, dict) else [f"  {value}"]
        typer.echo("\n".join([f"{name}:", *lines]))


def flag_values(options: list[str]) -> dict[str, object]:
    """`fast` is true, `gate_level=full` has a value; leading dashes are taken off."""
    pairs = (option.lstrip("-").replace("-", "_").partition("=") for option in options)
    return {name: value if equals else True for name, equals, value in pairs}


@contextmanager
def _usage() -> Iterator[None]:
    """What the session would refuse is a usage error here: exit 2, no traceback."""
    from codeintel_contract.loader import load
    from codeintel_contract.violations import ContractViolation

    try:
        yield
    except ContractViolation as violation:
        raise typer.BadParameter(load(None).message(violation.key, violation.values).message) from None
