"""`codeintel serve`: the MCP server on stdio, or with `--http` for several clients over HTTP.

Read without typer, which takes a while to import: a client waits for the first reply.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def run_serve(arguments: Sequence[str]) -> None:
    """Read the options and serve. Usage faults go to stderr with exit code 2."""
    from codeintel_server.roots import starting_folder

    options = reader().parse_args(arguments)
    if options.project and not Path(options.project).is_dir():
        _refuse(f"{options.project} is not a folder")
    start = starting_folder(options.project)
    if options.http:
        _serve_http(start, options)
        return
    if any(value is not None for value in (options.host, options.port, options.allow_host, options.token_file)):
        _refuse("--host, --port, --allow-host and --token-file belong to --http")
    from codeintel_server.serving import serve

    serve(start)


def _serve_http(start: Path, options: argparse.Namespace) -> None:
    from codeintel_server.door import Address, DoorFault
    from codeintel_server.serving import serve_http

    given = {"host": options.host, "port": options.port, "token_file": options.token_file}
    wanted = {name: value for name, value in given.items() if value is not None}
    try:
        serve_http(start, Address(names=tuple(options.allow_host or ()), **wanted))
    except DoorFault as fault:
        _refuse(str(fault))


def reader() -> argparse.ArgumentParser:
    """What `serve` takes; the same options stand in the command line's help."""
    found = argparse.ArgumentParser(prog="codeintel serve", allow_abbrev=False, add_help=False)
    found.add_argument("--project", metavar="DIR")
    found.add_argument("--http", action="store_true")
    found.add_argument("--host")
    found.add_argument("--port", type=int)
    found.add_argument("--allow-host", action="append", metavar="NAME")
    found.add_argument("--token-file", type=Path, metavar="FILE")
    return found


def _refuse(why: str) -> None:
    sys.stderr.write(f"codeintel serve: {why}\n")
    raise SystemExit(2)
