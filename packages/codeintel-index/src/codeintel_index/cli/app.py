"""The commands of `codeintel-index`. Exit codes as grep's: 0 found, 1 nothing found, 2 it could not be done.

Commands only parse, call `Index` and print; whatever is heavy is imported by the call itself.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from codeintel_index import Index
from codeintel_index.cli import output as show
from codeintel_index.cli.output import (
    Json,
    Limit,
    Offset,
    Root,
    fill_folder,
    make_missing_vectors,
    open_index,
    path_writer,
    print_result,
    sync_all,
    sync_rows,
    typed_path,
)
from codeintel_index.cli.serving import init, serve
from codeintel_index.errors import IndexFault

if TYPE_CHECKING:
    from codeintel_index.evaluate.measure import Figures, Outcome
    from codeintel_index.evaluate.questions import Question

HISTORY = 200
EXAMPLES = (
    "Examples: codeintel-index eval questions.jsonl   codeintel-index eval --from-history 100 --json\n\n"
    'A line of the file: {"query": "how are prices parsed", "relevant": ["shop/money.py", "shop/cart.py:10-20"]}'
)
Source = Annotated[
    str | None,
    typer.Argument(
        metavar="QUERIES.jsonl|N",
        help=f"A file with one question a line; with --from-history how many questions to make (default {HISTORY}).",
        show_default=False,
    ),
]


def evaluate(
    source: Source = None,
    from_history: Annotated[
        bool, typer.Option("--from-history", help="Make questions of commit subjects and the files they touched.")
    ] = False,
    misses: Annotated[bool, typer.Option("--misses", help="Show the questions that were not answered first.")] = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Measure the search: NDCG@10, recall in 10 answers and in 2,000 and 8,000 tokens, time."""
    from codeintel_index.evaluate.measure import measure, searching, summarize

    count = _count(source) if from_history else 0
    if source is None and not from_history:
        raise typer.BadParameter("name a file of questions, or give --from-history", param_hint="QUERIES.jsonl")
    with open_index(root) as index:
        sync_all(index, False)
        questions, origin = _questions(index, source or "", count)
        outcomes = list(measure(searching(index), questions))
        figures = summarize(origin, outcomes)
        print_result(json, figures, [*_lines(figures), *(_missed(outcomes) if misses else ())], found=True)


def _count(source: str | None) -> int:
    if source is None:
        return HISTORY
    if not source.isdecimal() or not int(source):
        raise typer.BadParameter(f"{source!r} is not a number of commits", param_hint="--from-history")
    return int(source)


def _questions(index: Index, source: str, count: int) -> "tuple[list[Question], str]":
    """The questions and where they are from; `count` above 0 means the history."""
    from codeintel_index.evaluate.questions import mine_questions, read_questions

    known = index.source_files()
    if not count:
        return read_questions(Path(source), known), source
    return mine_questions(index.root, known, count), "commit subjects, answered from the files as they are now"


def _lines(found: "Figures") -> Iterator[str]:
    yield f"{found.questions} questions from {found.source}"
    yield f"NDCG@10    {found.ndcg_10:.3f}"
    yield f"recall@10  {found.recall_10:.3f}"
    yield f"recall in 2,000 tokens {found.recall_2k:.3f}, in 8,000 tokens {found.recall_8k:.3f} of whole chunks"
    yield f"recall in 2,000 tokens {found.shown_2k:.3f} of hits as they are answered"
    yield f"time of a search p50 {found.p50_ms:.1f} ms, p95 {found.p95_ms:.1f} ms"


def _missed(outcomes: "Sequence[Outcome]") -> Iterator[str]:
    for each in sorted(outcomes, key=lambda each: each.ndcg_10):
        if each.ndcg_10 < 1:
            wanted = ", ".join(target.path for target in each.question.targets)
            first = each.answers[0].path if each.answers else "nothing"
            yield f"{each.ndcg_10:.2f}  {each.question.query}  wanted {wanted}  first {first}"


app = typer.Typer(
    name="codeintel-index",
    help="Search code by name, by text and by meaning; see what a change may reach.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"codeintel-index {version('codeintel-index')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Search code by name, by text and by meaning; see what a change may reach."""


app.command("eval", epilog=EXAMPLES)(evaluate)
app.command(epilog="Example: codeintel-index serve --root ~/app")(serve)
app.command(epilog="Example: codeintel-index init --client claude")(init)


@app.command(epilog="Example: codeintel-index sync --force")
def sync(
    force: Annotated[bool, typer.Option("--force", help="Parse every file again.")] = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Bring the index up to date, vectors included; then fill Chroma's folder, which may be interrupted."""
    with open_index(root) as index:
        done, found = sync_all(index, force), index.stats()
        complete = not found.dense
        print_result(json, done, [*show.report(done), *show.vectors(found)], found=complete)
        fill_folder(index)


@app.command(epilog="Example: codeintel-index search 'where are carts stored' -n 5")
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", hidden=True)],
    collection: Annotated[
        str, typer.Option("--collection", "-c", metavar="NAME", help="auto, map or forest.")
    ] = "auto",
    limit: Limit = 10,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find code by meaning, from a question or a name. The first time, the project is indexed; vectors follow."""
    if collection not in ("auto", "map", "forest"):
        raise typer.BadParameter("must be auto, map or forest", param_hint="--collection")
    with open_index(root) as index:
        if index.stats().state == "absent":
            sync_rows(index, False)
        page = index.search(" ".join(query), collection, limit)
        print_result(json, page, show.page(page, path_writer(index)), found=True)
        make_missing_vectors(index, page)
    if not page.hits:
        raise typer.Exit(1)


@app.command(epilog="Example: codeintel-index grep 'def \\w+_price' --glob '*.py' -C 2")
def grep(
    patterns: Annotated[list[str], typer.Argument(metavar="PATTERN", hidden=True)],
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="Only below this file or folder.")] = "",
    glob: Annotated[
        str, typer.Option("--glob", "-g", metavar="GLOB", help="Only files like this, e.g. '*.py' or 'src/**'.")
    ] = "",
    file_type: Annotated[str, typer.Option("--type", "-t", metavar="NAME", help="ripgrep's file type, e.g. py.")] = "",
    fixed: Annotated[bool, typer.Option("--fixed", "-F", help="Patterns are plain text.")] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", "-i")] = False,
    context: Annotated[int, typer.Option("--context", "-C", metavar="N", min=0, help="Lines around each match.")] = 0,
    limit: Limit = 100,
    offset: Offset = 0,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find text by regular expressions, all run at once. Needs no index."""
    with open_index(root) as index:
        results = index.grep(
            patterns,
            path=typed_path(index, path),
            glob=glob,
            file_type=file_type,
            fixed=fixed,
            case_sensitive=not ignore_case,
            context_lines=context,
            limit=limit,
            offset=offset,
        )
        print_result(
            json, results, show.matches(results, path_writer(index)), found=any(each.matches for each in results)
        )


@app.command(epilog="Example: codeintel-index defs Cart.total   codeintel-index defs price --part")
def defs(
    name: Annotated[str, typer.Argument(help="A name, qualified or not.")],
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="Only below this file or folder.")] = "",
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="Only this kind, e.g. class.")] = "",
    part: Annotated[bool, typer.Option("--part", help="Names that contain it, in any case.")] = False,
    limit: Limit = 1000,
    offset: Offset = 0,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find where a name is defined."""
    with open_index(root) as index:
        found = index.definitions(
            name, path=typed_path(index, path), kind=kind, exact=not part, limit=limit, offset=offset
        )
        lines = [*show.symbols(found, path_writer(index)), *show.rest(found, offset)]
        print_result(json, found, lines, found=bool(found))


@app.command(epilog="Example: codeintel-index refs add_prices --path shop")
def refs(
    name: Annotated[str, typer.Argument(help="A name.")],
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="Only below this file or folder.")] = "",
    limit: Limit = 200,
    offset: Offset = 0,
    root: Root = None,
    json: Json = False,
) -> None:
    """Find where a name is used, code first. Needs no index."""
    with open_index(root) as index:
        found = index.references(name, path=typed_path(index, path), limit=limit, offset=offset)
        lines = [*show.references(found, path_writer(index)), *show.rest(found, offset)]
        print_result(json, {"references": found, "total": found.total}, lines, found=bool(found))


@app.command(epilog="Example: codeintel-index symbols shop/cart.py --kind method")
def symbols(
    path: Annotated[str, typer.Argument(help="A file.")],
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="Only this kind.")] = "",
    root: Root = None,
    json: Json = False,
) -> None:
    """List the symbols of a file. Needs no index."""
    with open_index(root) as index:
        found = index.symbols(typed_path(index, path), kind)
        print_result(json, found, show.symbols(found, path_writer(index)), found=bool(found))


@app.command(epilog="Example: codeintel-index outline shop/cart.py")
def outline(
    path: Annotated[str, typer.Argument(help="A file.")],
    root: Root = None,
    json: Json = False,
) -> None:
    """Show the outline of a file. Needs no index."""
    with open_index(root) as index:
        found = index.structure(typed_path(index, path))
        print_result(json, found, show.outline(found, path_writer(index)), found=True)


@app.command(epilog="Example: codeintel-index impact shop/money.py -d 'rename add_prices'")
def impact(
    files: Annotated[list[str], typer.Argument(metavar="FILE", hidden=True)],
    description: Annotated[
        str, typer.Option("--description", "-d", metavar="TEXT", help="What changes, in words.")
    ] = "",
    limit: Limit = 50,
    root: Root = None,
    json: Json = False,
) -> None:
    """Show what a change of these files or folders may reach."""
    with open_index(root) as index:
        if index.stats().state == "absent":
            sync_rows(index, False)
        found = index.impact([typed_path(index, path) for path in files], description)
        for target in found.targets:
            if not (index.root / target).exists():
                typer.secho(f"{target}: no such file; only what mentions it is shown", err=True, fg=typer.colors.YELLOW)
        print_result(json, found, show.impact(found, path_writer(index), limit), found=True)


@app.command(epilog="Example: codeintel-index stats --json")
def stats(root: Root = None, json: Json = False) -> None:
    """Show state and size of the index."""
    with open_index(root) as index:
        found = index.stats()
        print_result(json, found, show.stats(found), found=True)


def main() -> NoReturn:
    """Run the command; a user's error is one message on stderr and exit code 2, no traceback."""
    for stream in (sys.stdout, sys.stderr):  # a pipe on Windows knows fewer characters than people's code
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(args=sys.argv[1:] or ["--help"])
    except IndexFault as error:
        typer.secho(f"codeintel-index: {error}", err=True, fg=typer.colors.RED)
        sys.exit(2)
    sys.exit(0)
