"""Implement `codeintel contract`: check a project's contract file before an agent reads it."""

from pathlib import Path
from typing import Annotated

import typer

from codeintel_server.terminal import stop

app = typer.Typer(help="Check, show and draw the phase contract.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Check, show and draw the phase contract."""


@app.command(epilog="Examples: codeintel contract check · codeintel contract check my_contract.yml")
def check(
    file: Annotated[Path | None, typer.Argument(help="Default: .code-intel/phase_contract.yml of the project.")] = None,
) -> None:
    """Report every problem of a contract file with its line. Exit 1 if there is an error."""
    from codeintel_contract import lint_contract
    from codeintel_server.mcp.registry import callable_in

    path = file or Path(".code-intel") / "phase_contract.yml"
    if not path.is_file():
        typer.echo(f"{path} does not exist; sessions use the built-in contract.")
        raise typer.Exit(2 if file else 0)
    findings = lint_contract(path, callable_in=callable_in())
    for finding in findings:
        typer.echo(f"{path}:{finding.line}: {finding.level}: {finding.key}: {finding.problem}")
    errors = sum(finding.level == "error" for finding in findings)
    typer.echo(f"{errors} errors, {len(findings) - errors} warnings")
    raise typer.Exit(1 if errors else 0)


@app.command(
    epilog="Examples: codeintel contract diagram · codeintel contract diagram --flags fast --format svg > flow.svg"
)
def diagram(
    flags: Annotated[str, typer.Option(metavar="NAMES", help="Flags of the session, separated by commas.")] = "",
    intent: Annotated[
        str, typer.Option(metavar="INTENT", help="IMPLEMENT, MODIFY, INVESTIGATE or QUESTION.")
    ] = "IMPLEMENT",
    form: Annotated[str, typer.Option("--format", metavar="NAME", help="mermaid, text or svg.")] = "text",
) -> None:
    """Draw the flow of a session with these flags. It comes from the table that the server uses."""
    from codeintel_contract import ContractViolation, check_combination, load_contract, parse_flags
    from codeintel_session import DIAGRAM_FORMATS, draw_flow, read_intent, render_message

    if form not in DIAGRAM_FORMATS:
        raise typer.BadParameter(f"{form!r} is not one of {', '.join(DIAGRAM_FORMATS)}", param_hint="--format")
    try:
        chosen = read_intent(intent)
        checked, _ = check_combination(parse_flags(flag_values(flags.split(","))), chosen)
    except ContractViolation as violation:  # what a session would refuse
        raise typer.BadParameter(render_message(load_contract(None), violation)) from None
    typer.echo(draw_flow(checked, chosen, form), nl=False)


@app.command(epilog="Examples: codeintel contract show EXPLORATION · codeintel contract show")
def show(
    phase: Annotated[str, typer.Argument(help="A contract key; without it, list the keys.")] = "",
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Default: the project's contract, otherwise the built-in one.")
    ] = None,
) -> None:
    """Show a phase's instruction and the fields it requires."""
    from codeintel_contract import ContractFileError, Key, load_contract
    from codeintel_session import STEPS

    own = file or Path(".code-intel") / "phase_contract.yml"
    try:
        contract = load_contract(own if file or own.is_file() else None)
    except ContractFileError as error:
        stop("contract show", error)
    if not phase:
        typer.echo("\n".join(f"{row.number:>2} {row.key.value}" for row in STEPS))
        return
    if phase.upper() not in Key.__members__:
        raise typer.BadParameter(f"{phase!r} is not one of {', '.join(Key)}", param_hint="PHASE")
    entry = contract.phases[Key(phase.upper())]
    typer.echo(entry.instruction + "\n")
    for name, value in entry.model_dump(exclude={"instruction"}, exclude_defaults=True).items():
        if isinstance(value, dict):
            lines = [f"  {key}: {text}" for key, text in value.items()]
        else:
            lines = [f"  {each}" for each in (value if isinstance(value, tuple) else (value,))]
        typer.echo("\n".join([f"{name}:", *lines]))


def flag_values(options: list[str]) -> dict[str, object]:
    """Read `fast` as true and `gate_level=full` as a value; strip leading dashes."""
    named = (option.strip().lstrip("-") for option in options)
    pairs = (option.replace("-", "_").partition("=") for option in named if option)
    return {name: value if equals else True for name, equals, value in pairs}
