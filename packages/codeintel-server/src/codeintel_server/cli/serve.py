"""`codeintel serve`: the MCP server on stdio."""

import sys
from collections.abc import Sequence
from pathlib import Path


def run_serve(arguments: Sequence[str]) -> None:
    """Read `--project DIR` and serve. Usage faults go to stderr with exit code 2."""
    from codeintel_server.roots import starting_folder
    from codeintel_server.serving import serve

    serve(starting_folder(_project(list(arguments))))


def _project(arguments: list[str]) -> str | None:
    if not arguments:
        return None
    name, equals, value = arguments[0].partition("=")
    folder = value if equals else "".join(arguments[1:2])
    used = 1 if equals else 2
    if name != "--project" or not folder or len(arguments) > used:
        sys.stderr.write("usage: codeintel serve [--project DIR]\n")
        raise SystemExit(2)
    if not Path(folder).is_dir():
        sys.stderr.write(f"codeintel serve: {folder} is not a folder\n")
        raise SystemExit(2)
    return folder
