"""Entry point of the `codeintel` command."""

import sys


def main() -> None:
    """Run the command line. `serve` is taken before typer and rich are imported: a client waits for it."""
    if sys.argv[1:2] == ["serve"] and "--help" not in sys.argv:
        from codeintel_server.cli.serve import run_serve

        run_serve(sys.argv[2:])
        return
    from codeintel_server.cli import app
    from codeintel_server.terminal import spare_unknown_characters

    spare_unknown_characters()
    app()


if __name__ == "__main__":
    main()
