"""Entry point of the `codeintel` command."""

import sys


def main() -> None:
    """Run the command line. `serve` is taken before typer and rich are imported: a client waits for it."""
    if sys.argv[1:2] == ["serve"]:
        from codeintel_server.cli.serve import run_serve

        run_serve(sys.argv[2:])
        return
    from codeintel_contract import ContractViolation
    from codeintel_server.cli import app
    from codeintel_server.terminal import spare_unknown_characters

    spare_unknown_characters()
    try:
        app()
    except PermissionError as error:
        sys.exit(f"codeintel: {error.filename} cannot be read or written. Change its permissions, or ask its owner.")
    except ContractViolation as violation:  # a file of the project that cannot be used
        from codeintel_contract import load_contract

        sys.exit(f"codeintel: {load_contract(None).message(violation.key, violation.values).message}")


if __name__ == "__main__":
    main()
