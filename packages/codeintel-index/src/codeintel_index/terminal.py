"""What all commands share: their common options, opening the index, a bar for what takes long, and printing."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from codeintel_index import Index, show
from codeintel_index.results import SearchPage, SyncReport

Root = Annotated[
    Path | None, typer.Option("--root", help="The project; default: the nearest folder above with .code-intel or .git.")
]
Json = Annotated[bool, typer.Option("--json", help="One line of JSON instead of text.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many to show.")]

GOES_ON_S = 5.0  # who reads the answer from a pipe may be waiting for its end

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


def from_here(index: Index) -> Callable[[str], str]:
    """How to write a path of the project: as seen from the current folder, in full where that is outside."""
    folder = Path.cwd().resolve()
    if folder == index.root:
        return str
    if folder.is_relative_to(index.root):
        return lambda path: os.path.relpath(index.root / path, folder).replace(os.sep, "/")
    return lambda path: (index.root / path).as_posix()


def synced(index: Index, force: bool) -> SyncReport:
    """Rows and vectors brought up to date."""
    report = indexed(index, force)
    with _progress("vectors") as advance:
        index.wait_dense(progress=advance)
    return report


def indexed(index: Index, force: bool) -> SyncReport:
    """Rows brought up to date: enough to answer with."""
    with _progress("indexing") as advance:
        return index.sync(force, advance)


def with_vectors(index: Index, page: SearchPage) -> None:
    """Say on stderr what an answer lacked for want of vectors, and make them: all on a terminal, else for a while."""
    if page.dense:
        typer.secho(f"found by words alone or in part: {page.dense}", err=True, fg=typer.colors.YELLOW)
    if not page.dense or not index.stats().pending:
        return
    try:
        with _progress("vectors") as advance:
            left = index.wait_dense(None if sys.stderr.isatty() else GOES_ON_S, advance)
    except KeyboardInterrupt:
        left = index.stats().pending
    if left:
        typer.secho(f"{left} are left for the next search; `codeintel-index sync` makes them all", err=True)


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
