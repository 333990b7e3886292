"""What all commands share: their common options, opening the index, a bar for what takes long, and printing."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from codeintel_index import Index, show
from codeintel_index.results import SyncReport

Root = Annotated[
    Path | None, typer.Option("--root", help="The project; default: the nearest folder above with .code-intel or .git.")
]
Json = Annotated[bool, typer.Option("--json", help="One line of JSON instead of text.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many to show.")]

# File names and file contents must not be able to steer a terminal.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(9), *range(10, 32), *range(127, 160))}


def opened(root: Path | None) -> Index:
    """The index of the project; what is odd about its settings goes to stderr."""
    index = Index.open(root or _nearest(Path.cwd()))
    for warning in index.config.warnings:
        typer.secho(f"config.json: {warning}", err=True, fg=typer.colors.YELLOW)
    return index


def _nearest(folder: Path) -> Path:
    for each in (folder, *folder.parents):
        if (each / ".code-intel").is_dir() or (each / ".git").exists():
            return each
    return folder


def here(index: Index, path: str) -> str:
    """A path as typed: from the current folder if it exists there, else from the project's root."""
    place = Path.cwd() / path
    inside = bool(path) and place.exists() and place.resolve().is_relative_to(index.root)
    return str(place.resolve()) if inside else path


def synced(index: Index, force: bool) -> SyncReport:
    """Rows and vectors brought up to date."""
    with _progress("indexing") as advance:
        report = index.sync(force, advance)
    with _progress("vectors") as advance:
        index.wait_dense(progress=advance)
    return report


@contextlib.contextmanager
def _progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def printed(json: bool, value: object, lines: Iterable[str], found: bool) -> None:
    """Print as JSON or as lines; exit with 1 if nothing was found."""
    if json:
        typer.echo(show.as_json(value))
    else:
        for line in lines:
            typer.echo(line.translate(_CONTROLS))
    if not found:
        raise typer.Exit(1)
