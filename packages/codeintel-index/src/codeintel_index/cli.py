"""`codeintel-index`: the index on a terminal. Exit codes as grep's: 0 found, 1 nothing found, 2 it could not be done.

Commands only parse, call `Index` and print; whatever is heavy is imported by the call itself.
"""

import io
import sys
from typing import Annotated, NoReturn

import typer

from codeintel_index import show
from codeintel_index.cli_eval import EXAMPLES, evaluate
from codeintel_index.errors import IndexFault
from codeintel_index.terminal import Json, Limit, Root, from_here, here, indexed, opened, printed, synced, with_vectors

app = typer.Typer(
    name="codeintel-index",
    help="Search code by name, by text and by meaning; see what a change may reach.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("eval", epilog=EXAMPLES)(evaluate)


@app.command(epilog="Example: codeintel-index sync --force")
def sync(
    force: Annotated[bool, typer.Option("--force", help="Parse every file again.")] = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Bring the index up to date, vectors included."""
    with opened(root) as index:
        done = synced(index, force)
        printed(json, done, show.report(done), found=True)


@app.command(epilog="Example: codeintel-index search 'where are carts stored' -n 5")
def search(
    query: Annotated[list[str], typer.Argument(help="A question, or a name.")],
    collection: Annotated[str, typer.Option("--collection", "-c", help="auto, map or forest.")] = "auto",
    limit: Limit = 10,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find code by meaning. The first time, the project is indexed first; vectors are made after the answer."""
    if collection not in ("auto", "map", "forest"):
        raise typer.BadParameter("must be auto, map or forest", param_hint="--collection")
    with opened(root) as index:
        if index.stats().state == "absent":
            indexed(index, False)
        page = index.search(" ".join(query), collection, limit)
        printed(json, page, show.page(page, from_here(index)), found=True)
        with_vectors(index, page)
    if not page.hits:
        raise typer.Exit(1)


@app.command(epilog="Example: codeintel-index grep 'def \\w+_price' --glob '*.py' -C 2")
def grep(
    patterns: Annotated[list[str], typer.Argument(help="Regular expressions, all run at once.")],
    path: Annotated[str, typer.Option("--path", help="Only below this file or folder.")] = "",
    glob: Annotated[str, typer.Option("--glob", "-g", help="Only files like this, e.g. '*.py' or 'src/**'.")] = "",
    file_type: Annotated[str, typer.Option("--type", "-t", help="ripgrep's file type, e.g. py.")] = "",
    fixed: Annotated[bool, typer.Option("--fixed", "-F", help="Patterns are plain text.")] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", "-i")] = False,
    context: Annotated[int, typer.Option("--context", "-C", min=0, help="Lines around each match.")] = 0,
    limit: Limit = 100,
    offset: Annotated[int, typer.Option("--offset", min=0, help="Matches to leave out.")] = 0,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find text. Needs no index."""
    with opened(root) as index:
        results = index.grep(
            patterns,
            path=here(index, path),
            glob=glob,
            file_type=file_type,
            fixed=fixed,
            case_sensitive=not ignore_case,
            context_lines=context,
            limit=limit,
            offset=offset,
        )
        printed(json, results, show.matches(results, from_here(index)), found=any(each.matches for each in results))


@app.command(epilog="Example: codeintel-index defs Cart.total   codeintel-index defs price --part")
def defs(
    name: Annotated[str, typer.Argument(help="A name, qualified or not.")],
    path: Annotated[str, typer.Option("--path", help="Only below this file or folder.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="Only this kind, e.g. class.")] = "",
    part: Annotated[bool, typer.Option("--part", help="Names that contain it, in any case.")] = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find where a name is defined."""
    with opened(root) as index:
        found = index.definitions(name, path=here(index, path), kind=kind, exact=not part)
        printed(json, found, show.symbols(found, from_here(index)), found=bool(found))


@app.command(epilog="Example: codeintel-index refs add_prices --path shop")
def refs(
    name: Annotated[str, typer.Argument(help="A name.")],
    path: Annotated[str, typer.Option("--path", help="Only below this file or folder.")] = "",
    limit: Limit = 200,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find where a name is used, code first. Needs no index."""
    with opened(root) as index:
        found, total = index.references(name, path=here(index, path), limit=limit)
        lines = [
            *show.references(found, from_here(index)),
            *([f"… {len(found)} of {total}"] if total > len(found) else []),
        ]
        printed(json, {"references": found, "total": total}, lines, found=bool(found))


@app.command(epilog="Example: codeintel-index symbols shop/cart.py --kind method")
def symbols(
    path: Annotated[str, typer.Argument(help="A file.")],
    kind: Annotated[str, typer.Option("--kind", help="Only this kind.")] = "",
    root: Root = None,
    json: Json = False,
) -> None:
    """List the symbols of a file. Needs no index."""
    with opened(root) as index:
        found = index.symbols(here(index, path), kind)
        printed(json, found, show.symbols(found, from_here(index)), found=bool(found))


@app.command(epilog="Example: codeintel-index outline shop/cart.py")
def outline(
    path: Annotated[str, typer.Argument(help="A file.")],
    root: Root = None,
    json: Json = False,
) -> None:
    """Show the outline of a file. Needs no index."""
    with opened(root) as index:
        found = index.structure(here(index, path))
        printed(json, found, show.outline(found, from_here(index)), found=True)


@app.command(epilog="Example: codeintel-index impact shop/money.py -d 'rename add_prices'")
def impact(
    files: Annotated[list[str], typer.Argument(help="Files or folders that change.")],
    description: Annotated[str, typer.Option("--description", "-d", help="What changes, in words.")] = "",
    limit: Limit = 50,
    root: Root = None,
    json: Json = False,
) -> None:
    """Show what a change may reach."""
    with opened(root) as index:
        if index.stats().state == "absent":
            indexed(index, False)
        found = index.impact([here(index, path) for path in files], description)
        for target in found.targets:
            if not (index.root / target).exists():
                typer.secho(f"{target}: no such file; only what mentions it is shown", err=True, fg=typer.colors.YELLOW)
        printed(json, found, show.impact(found, from_here(index), limit), found=True)


@app.command(epilog="Example: codeintel-index stats --json")
def stats(root: Root = None, json: Json = False) -> None:
    """Show state and size of the index."""
    with opened(root) as index:
        found = index.stats()
        printed(json, found, show.stats(found), found=True)


def main() -> NoReturn:
    """The entry point: user errors as one message on stderr and exit code 2, no traceback."""
    for stream in (sys.stdout, sys.stderr):  # a pipe on Windows knows fewer characters than people's code
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(args=sys.argv[1:] or ["--help"])
    except IndexFault as error:
        typer.secho(f"codeintel-index: {error}", err=True, fg=typer.colors.RED)
        sys.exit(2)
    sys.exit(0)
