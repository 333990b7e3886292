"""What the commands share: how they end on a user's error, write a page, and print on a limited character set."""

import io
import sys
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console

STDOUT = Path("-")


def spare_unknown_characters() -> None:
    """Print what stdout or stderr cannot encode as a question mark from here on: a pipe on Windows, or LC_ALL=C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def sign(console: Console, wanted: str, plain: str) -> str:
    """Return the wanted sign, or the plain one if the console cannot show it."""
    try:
        wanted.encode(console.encoding)
    except UnicodeEncodeError:
        return plain
    return wanted


def stop(command: str, why: object, code: int = 1) -> NoReturn:
    """End a command with one line on stderr, without a traceback."""
    typer.echo(f"codeintel {command}: {why}", err=True)
    raise typer.Exit(code) from None


def write_page(command: str, text: str, output: Path, *, makes_folder: bool) -> None:
    """Write a page into a file, or print it for `-`."""
    if output == STDOUT:
        typer.echo(text, nl=False)
        return
    try:
        if makes_folder:
            output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        stop(command, f"{output} cannot be written: {error.strerror}. Name another place with -o FILE.")


def on_one_line(text: str, most: int = 90) -> str:
    """Return a text on one line, shortened to a number of characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
