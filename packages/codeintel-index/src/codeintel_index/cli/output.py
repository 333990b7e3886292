"""What all commands share: common options, opening the index, progress, and printing results.

One line a finding, `path:line` first so that editors can follow it. `at` says how a path is written, which depends on
the user's folder; JSON is made from the result types as they are, with paths from the project's root.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from codeintel_index import Index
from codeintel_index.results import (
    GrepResult,
    Impact,
    ImpactItem,
    IndexStats,
    Page,
    Reference,
    SearchPage,
    Structure,
    Symbol,
    SyncReport,
    as_json,
)

At = Callable[[str], str]


def symbols(found: Iterable[Symbol], at: At) -> Iterator[str]:
    """Write symbols as `path:line  kind  name  signature`."""
    for each in found:
        name = f"{each.parent}.{each.name}" if each.parent else each.name
        yield f"{at(each.path)}:{each.line}-{each.end_line}  {each.kind} {name}  {each.signature}".rstrip()


def references(found: Iterable[Reference], at: At) -> Iterator[str]:
    """Write references as `path:line  [where]  text  (enclosing)`."""
    for each in found:
        around = f"  (in {each.enclosing})" if each.enclosing else ""
        yield f"{at(each.path)}:{each.line}  [{each.where}]  {each.text}{around}"


def rest(found: Page[Any], offset: int) -> Iterator[str]:
    """Say how many items follow a page, if any do."""
    if offset + len(found) < found.total or found.total_is_minimum:
        yield f"… {len(found)} of {'at least ' * found.total_is_minimum}{found.total}; see --limit, --offset"


def matches(results: Iterable[GrepResult], at: At) -> Iterator[str]:
    """Write matches as grep does, context lines with `-`, then what was left out."""
    for result in results:
        if result.refused:
            yield f"… {result.pattern!r} was not searched: {result.refused}"
        for each in result.matches:
            path, first = at(each.path), each.line - len(each.before)
            yield from (f"{path}-{first + n}-{line}" for n, line in enumerate(each.before))
            yield f"{path}:{each.line}:{each.column}:{each.text}"
            yield from (f"{path}-{each.line + 1 + n}-{line}" for n, line in enumerate(each.after))
        if result.truncated:
            total = f"{'at least ' * result.total_is_minimum}{result.total}"
            yield f"… {len(result.matches)} of {total} matches of {result.pattern!r}; see --limit, --offset"


SOURCES = {"forest": "from the code", "map": "learned in earlier sessions"}
"""The collections in plain words."""


def page(found: SearchPage, at: At) -> Iterator[str]:
    """Write a heading and the snippet for each hit."""
    for each in found.hits:
        name = f"{each.parent}.{each.symbol}" if each.parent else each.symbol
        where = f"{at(each.path)}:{each.start_line}-{each.end_line}"
        yield f"{where}  {each.kind} {name}  (score {each.score:.2f}, {SOURCES[each.collection]})"
        yield from (f"    {line}" for line in each.snippet.split("\n"))
    if found.stale_files:
        yield f"{found.stale_files} changed files are not indexed yet"


def outline(found: Structure, at: At) -> Iterator[str]:
    """Write imports, then symbols indented by nesting."""
    yield f"{at(found.path)}  {found.language or 'text'}, {found.lines} lines  {found.doc}".rstrip()
    if found.imports:
        yield "imports " + ", ".join(dict.fromkeys(each.module for each in found.imports))
    if found.exports:
        yield "exports " + ", ".join(found.exports)
    for each in found.symbols:
        depth = each.parent.count(".") + 1 if each.parent else 0
        doc = f"  # {each.doc}" if each.doc else ""
        yield f"{'    ' * depth}{each.line}-{each.end_line}  {each.signature or f'{each.kind} {each.name}'}{doc}"


def impact(found: Impact, at: At, limit: int) -> Iterator[str]:
    """Write the groups with their files, at most `limit` in each."""
    for title, items in (
        ("must verify", found.must_verify),
        ("in these files", found.in_targets),
        ("should verify", found.should_verify),
        ("likely to change", found.likely_to_change),
        ("tests", found.tests),
        ("markup", found.markup if found.mode == "code" else ()),
    ):
        if items:
            yield f"{title} ({len(items)})"
            yield from (f"  {_item(item, at)}" for item in items[:limit])
            if len(items) > limit:
                yield f"  … {limit} of {len(items)}; see --limit"
    yield f"mode {found.mode}; {found.counts.get('depth_2', 0)} files in the second degree"


def _item(item: ImpactItem, at: At) -> str:
    lines = ",".join(map(str, item.lines[:12])) + (",…" if len(item.lines) > 12 else "")
    names = f"  ({', '.join(item.symbols[:6])})" if item.symbols else ""
    return f"{at(item.path)}{':' if lines else ''}{lines}  {item.note or item.reason}{names}"


def stats(found: IndexStats) -> Iterator[str]:
    """Write the state of the index on one screen."""
    age = "never synced" if found.age_s is None else f"synced {found.age_s:.0f} s ago"
    yield f"{found.state}, {age}: {found.files} files, {found.chunks} chunks, {found.symbols} symbols"
    yield from vectors(found)
    yield from (f"note: {each}" for each in found.notices)


def vectors(found: IndexStats) -> Iterator[str]:
    """Write where the vectors are, how many are made, and what keeps them from being used."""
    yield f"vectors: {found.vectors} chunks, by {found.embedder}{f'; {found.dense}' if found.dense else ''}"


def report(found: SyncReport) -> Iterator[str]:
    """Write what a sync did."""
    yield (
        f"{found.files} files, {found.chunks} chunks in {found.seconds:.1f} s: {found.added} added,"
        f" {found.modified} modified, {found.deleted} deleted, {found.unchanged} unchanged"
    )
    yield from (f"not indexed: {each}" for each in found.errors)
    yield from (f"note: {each}" for each in found.notices)


Root = Annotated[
    Path | None,
    typer.Option(
        "--root", metavar="DIR", help="The project; default: the nearest folder above with .code-intel or .git."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One line of JSON instead of text.")]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many to show.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", min=0, help="How many to leave out at the start.")]

GOES_ON_S = 5.0  # the reader of a pipe may be waiting for its end

# File names and file contents must not be able to steer a terminal.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(9), *range(10, 32), *range(127, 160))}


def open_index(root: Path | None) -> Index:
    """Open the index of the project and print warnings about its settings on stderr."""
    index = Index.open(root or nearest(Path.cwd()))
    for warning in index.config.warnings:
        typer.secho(f"config.json: {warning}", err=True, fg=typer.colors.YELLOW)
    return index


def nearest(folder: Path) -> Path:
    """Find the project that a folder is in: the nearest folder above with .code-intel or .git, else the folder."""
    for each in (folder, *folder.parents):
        if (each / ".code-intel").is_dir() or (each / ".git").exists():
            return each
    return folder


def typed_path(index: Index, path: str) -> str:
    """Resolve a typed path: from the current folder if it exists there, else from the project's root."""
    place = Path.cwd() / path
    inside = bool(path) and place.exists() and place.resolve().is_relative_to(index.root)
    return str(place.resolve()) if inside else path


def path_writer(index: Index) -> Callable[[str], str]:
    """Choose how to write paths: as seen from the current folder, in full where that is outside of the project."""
    folder = Path.cwd().resolve()
    if folder == index.root:
        return str
    if folder.is_relative_to(index.root):
        return lambda path: os.path.relpath(index.root / path, folder).replace(os.sep, "/")
    return lambda path: (index.root / path).as_posix()


def sync_all(index: Index, force: bool) -> SyncReport:
    """Bring rows and vectors up to date."""
    report = sync_rows(index, force)
    with _progress("vectors") as advance:
        index.wait_dense(progress=advance)
    return report


def sync_rows(index: Index, force: bool) -> SyncReport:
    """Bring the rows up to date, which is enough to answer with."""
    with _progress("indexing") as advance:
        return index.sync(force, advance)


def fill_folder(index: Index) -> None:
    """Fill Chroma's folder, and say on stderr what it lacks then: a search needs none of it."""
    try:
        with _progress("the index is ready; filling .code-intel/chroma"):
            why = index.fill_folder()
    except KeyboardInterrupt:
        why = "interrupted"
    if why:
        said = f".code-intel/chroma is not complete ({why}); the next sync continues, and searches do not need it"
        typer.secho(said, err=True, fg=typer.colors.YELLOW)


def make_missing_vectors(index: Index, page: SearchPage) -> None:
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
    if left and not index.stats().dense:
        said = f"{left} vector{'s' * (left != 1)} left for the next search; `codeintel-index sync` makes all"
        typer.secho(said, err=True)


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


def print_result(json: bool, value: object, lines: Iterable[str], found: bool) -> None:
    """Print as JSON or as lines; say so and exit with 1 if nothing was found."""
    if json:
        typer.echo(as_json(value))
    else:
        written = [line.translate(_CONTROLS) for line in lines]
        typer.echo("".join(f"{line}\n" for line in written), nl=False)
        if not written:
            typer.secho("Nothing was found.", err=True)
    if not found:
        raise typer.Exit(1)
