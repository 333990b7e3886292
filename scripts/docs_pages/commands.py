"""docs/commands.md: every command with its arguments, as the command line itself declares them."""

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

from codeintel_index.cli.app import app as index
from codeintel_server.cli import app as server
from codeintel_server.cli.serve import reader
from codeintel_templates import all_clients
from codeintel_templates.cli import app as templates
from docs_pages import cell

PROGRAMS = {"codeintel": server, "codeintel-index": index, "codeintel-templates": templates}


def commands() -> Iterator[str]:
    """The page, line by line."""
    yield "# Commands\n"
    yield "All commands use these exit codes: 0 success, 1 nothing found or a problem to fix, 2 invalid request."
    yield "`--json` prints one JSON object for programs. Every command has `--help`.\n"
    for name, app in PROGRAMS.items():
        yield from _program(name, app)
    yield "## codeintel-guard\n"
    yield "The write hook; clients run it, with the call as JSON on stdin. See [security](security.md).\n"
    yield f"`codeintel-guard --client {'|'.join(client.name for client in all_clients() if client.edits)}`\n"


def _program(name: str, app: typer.Typer) -> Iterator[str]:
    group = get_command(app)
    yield f"## {name}\n"
    yield f"{_plain(group.help)}\n"
    yield from _members(name, group)


def _members(prefix: str, group: Any) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _members(f"{prefix} {name}", command)
        else:
            yield from _command(f"{prefix} {name}", command)


def _serve() -> Iterator[str]:
    """`serve` reads its options without typer, which takes a while to import."""
    parser = reader()
    yield f"### {parser.prog}\n"
    yield f"`{parser.prog} [OPTIONS]`\n"
    yield f"{parser.description}\n"
    yield "| argument or option | meaning | default |"
    yield "|---|---|---|"
    rows = ((action.option_strings[-1], *str(action.help).partition("; default: ")[::2]) for action in parser._actions)
    yield from (f"| `{name}` | {meaning} | {default and f'`{default}`'} |" for name, meaning, default in rows)
    yield f"\n{_example(str(parser.epilog))}\n"


def _command(name: str, command: Any) -> Iterator[str]:
    if name == reader().prog:
        yield from _serve()
        return
    shown = [each for each in command.params if each.name != "help"]
    given = [_usage(each) for each in shown if each.param_type_name == "argument"]
    yield f"### {name}\n"
    yield f"`{' '.join([name, *(['[OPTIONS]'] if len(given) < len(shown) else []), *given])}`\n"
    yield f"{_plain(command.help)}\n"
    if shown:
        yield "| argument or option | meaning | default |"
        yield "|---|---|---|"
        yield from (_parameter(each) for each in shown)
        yield ""
    if examples := [line for line in _plain(command.epilog).splitlines() if line.strip()]:
        yield "\n".join(_example(line) for line in examples) + "\n"


def _example(line: str) -> str:
    """`Examples: a · b` (or with three spaces between) with the commands as code."""
    title, colon, rest = line.strip().partition(": ")
    listed = rest if colon else title
    return (f"{title}: " if colon else "") + ", ".join(f"`{each.strip()}`" for each in re.split(r" · | {3}", listed))


def _usage(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name).upper() + ("..." if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


def _parameter(parameter: Any) -> str:
    spelled = [_usage(parameter)] if parameter.param_type_name == "argument" else parameter.opts
    names = ", ".join(f"`{each}`" for each in [*spelled, *parameter.secondary_opts])
    return f"| {names} | {cell(_plain(parameter.help))} | {_default(parameter)} |"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if parameter.default in (None, "", False) or parameter.default == ():
        return ""
    return f"`{parameter.default}`"


def _plain(text: str | None) -> str:
    return (text or "").strip()
