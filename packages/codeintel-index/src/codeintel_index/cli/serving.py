"""`codeintel-index serve` and `init`: the lookup tools over MCP, and the entry by which a client starts them.

The file of a client that is JSON is edited; what cannot be edited safely (comments, TOML) is left alone, and the entry
is printed to be pasted.
"""

import json
import os
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn

import typer

from codeintel_index.cli.output import Root, nearest
from codeintel_index.paths import confine
from codeintel_index.project_file import FileRefused, read_file

NAME = "code-index"
ENTRY: dict[str, Any] = {"command": "codeintel-index", "args": ["serve"]}
MAX_BYTES = 1_000_000


class Client(NamedTuple):
    """The file of a client, the key that holds its servers, and our entry there."""

    file: str
    key: str
    entry: dict[str, Any]


CLIENTS = {
    "claude": Client(".mcp.json", "mcpServers", {"type": "stdio", **ENTRY}),
    "cursor": Client(".cursor/mcp.json", "mcpServers", ENTRY),
    "vscode": Client(".vscode/mcp.json", "servers", {"type": "stdio", **ENTRY}),
    "gemini": Client(".gemini/settings.json", "mcpServers", ENTRY),
    "qwen": Client(".qwen/settings.json", "mcpServers", ENTRY),
    "copilot": Client(".github/mcp.json", "mcpServers", {"type": "stdio", **ENTRY, "tools": ["*"]}),
    "opencode": Client(
        "opencode.json", "mcp", {"type": "local", "command": [ENTRY["command"], *ENTRY["args"]], "enabled": True}
    ),
}
CODEX = f'[mcp_servers.{NAME}]\ncommand = "codeintel-index"\nargs = ["serve"]'
"""Codex keeps its servers in .codex/config.toml."""


def serve(root: Root = None) -> None:
    """Serve the lookup tools over MCP on stdio; clients start this. Needs codeintel-index[mcp]."""
    try:
        from codeintel_index.mcp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types", "pydantic", "anyio"):
            raise
        _fail(f"{error.name} is not installed: pip install 'codeintel-index[mcp]'")
    folder = (root or nearest(Path.cwd())).resolve()
    if root is None and folder in (Path.home().resolve(), Path(folder.anchor)):
        _fail(f"{folder} is not a project: start it in one, or add --root and the project's folder to the entry")
    serve(folder, version("codeintel-index"))


def init(
    client: Annotated[
        str,
        typer.Option(
            "--client", metavar="NAME", help=f"{', '.join(CLIENTS)} or codex; without it the entry is printed."
        ),
    ] = "",
    root: Root = None,
) -> None:
    """Enter `codeintel-index serve` in the configuration of an MCP client of this project."""
    if client == "codex":
        typer.echo(f"Add this to .codex/config.toml:\n\n{CODEX}")
        return
    if not client:
        typer.echo(_written({"mcpServers": {NAME: ENTRY}}))
        return
    if client not in CLIENTS:
        raise typer.BadParameter(f"{client!r} is not one of {', '.join(CLIENTS)}, codex", param_hint="--client")
    _enter((root or nearest(Path.cwd())).resolve(), CLIENTS[client])


def _enter(root: Path, client: Client) -> None:
    place = root / confine(root, client.file)
    settings = _settings(root, client)
    servers = settings.setdefault(client.key, {})
    if not isinstance(servers, dict):
        _refuse(client, f"{client.key} is not an object")
    if servers.get(NAME) == client.entry:
        typer.echo(f"{client.file} has the entry {NAME} already.")
        return
    servers[NAME] = client.entry
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, delete=False, newline="") as new:
        new.write(_written(settings) + "\n")
    os.chmod(new.name, place.stat().st_mode & 0o777 if place.exists() else 0o644)
    os.replace(new.name, place)
    typer.echo(f"{client.file}: {NAME} runs `codeintel-index serve`. Restart the client and allow the server.")


def _settings(root: Path, client: Client) -> dict[str, Any]:
    try:
        found = json.loads(read_file(root, client.file, MAX_BYTES))
    except FileNotFoundError:
        return {}
    except FileRefused as error:
        _refuse(client, str(error.strerror))
    except (ValueError, RecursionError) as error:
        _refuse(client, f"is not plain JSON ({error})")
    if not isinstance(found, dict):
        _refuse(client, "does not hold an object")
    return found


def _refuse(client: Client, why: str) -> NoReturn:
    entry = _written({client.key: {NAME: client.entry}})
    _fail(f"{client.file} {why} and is left as it is. Add the entry yourself:\n{entry}")


def _written(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _fail(why: str) -> NoReturn:
    typer.secho(f"codeintel-index: {why}", err=True, fg=typer.colors.RED)
    raise typer.Exit(2)
