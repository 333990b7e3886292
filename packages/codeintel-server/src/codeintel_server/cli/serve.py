"""Implement `codeintel serve`: the MCP server on stdio, or with `--http` for several clients over HTTP.

It parses its options without typer, which takes long to import: a client waits for the first reply.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def run_serve(arguments: Sequence[str]) -> None:
    """Read the options and serve. Usage errors go to stderr with exit code 2."""
    from codeintel_server.project.roots import is_start_named, starting_folder

    options = reader().parse_args(arguments)
    if options.project and not Path(options.project).is_dir():
        _refuse(f"{options.project} is not a folder")
    also = [Path(folder).resolve() for folder in options.also or ()]
    if missing := [str(folder) for folder in also if not folder.is_dir()]:
        _refuse(f"--also {missing[0]} is not a folder")
    start = starting_folder(options.project)
    if options.http:
        _serve_http(start, also, options)
        return
    if any(value is not None for value in (options.host, options.port, options.allow_host, options.token_file)):
        _refuse("--host, --port, --allow-host and --token-file need --http")
    from codeintel_server.transport.serving import serve

    serve(start, named=is_start_named(options.project), also=also)


def _serve_http(start: Path, also: Sequence[Path], options: argparse.Namespace) -> None:
    from codeintel_server.transport.http_auth import Address, HttpSetupError
    from codeintel_server.transport.serving import serve_http

    given = {"host": options.host, "port": options.port, "token_file": options.token_file}
    wanted = {name: value for name, value in given.items() if value is not None}
    try:
        serve_http(start, Address(names=tuple(options.allow_host or ()), **wanted), also=also)
    except HttpSetupError as fault:
        _refuse(str(fault))


def reader() -> argparse.ArgumentParser:
    """Return the parser of `serve`."""
    found = argparse.ArgumentParser(
        prog="codeintel serve",
        allow_abbrev=False,
        description="Serve MCP on stdio, or over HTTP. Clients start this command; see `codeintel init`.",
        epilog="Examples: codeintel serve · codeintel serve --project ~/app · codeintel serve --http",
    )
    found.add_argument("--project", metavar="DIR", help="The project; default: the folder the client starts in.")
    found.add_argument(
        "--also", action="append", metavar="DIR", help="Another project that sessions may be started in; repeatable."
    )
    found.add_argument("--http", action="store_true", help="Serve several clients over HTTP, with a token.")
    found.add_argument("--host", help="Address to listen on; default: 127.0.0.1.")
    found.add_argument("--port", type=int, help="Port to listen on; default: 8765.")
    found.add_argument(
        "--allow-host", action="append", metavar="NAME", help="A host name that clients may use; repeatable."
    )
    found.add_argument(
        "--token-file", type=Path, metavar="FILE", help="File with the token; default: CODEINTEL_HTTP_TOKEN."
    )
    return found


def _refuse(why: str) -> None:
    sys.stderr.write(f"codeintel serve: {why}\n")
    raise SystemExit(2)
