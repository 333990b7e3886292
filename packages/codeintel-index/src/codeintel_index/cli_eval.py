"""`codeintel-index eval`: how well the search answers questions whose answers are known."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeintel_index import Index
from codeintel_index.terminal import Json, Root, opened, printed, synced

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
    from codeintel_index.evaluate.measure import measure, searching, summed_up

    count = _count(source) if from_history else 0
    if source is None and not from_history:
        raise typer.BadParameter("name a file of questions, or give --from-history", param_hint="QUERIES.jsonl")
    with opened(root) as index:
        synced(index, False)
        questions, origin = _questions(index, source or "", count)
        outcomes = list(measure(searching(index), questions))
        figures = summed_up(origin, outcomes)
        printed(json, figures, [*_lines(figures), *(_missed(outcomes) if misses else ())], found=True)


def _count(source: str | None) -> int:
    if source is None:
        return HISTORY
    if not source.isdecimal() or not int(source):
        raise typer.BadParameter(f"{source!r} is not a number of commits", param_hint="--from-history")
    return int(source)


def _questions(index: Index, source: str, count: int) -> "tuple[list[Question], str]":
    """The questions and where they are from; `count` above 0 means the history."""
    from codeintel_index.evaluate.history import mine
    from codeintel_index.evaluate.questions import read_questions

    known = index.source_files()
    if not count:
        return read_questions(Path(source), known), source
    return mine(index.root, known, count), "commit subjects, answered from the files as they are now"


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
