"""Running questions against an index, and what comes of it in figures."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from codeintel_index.evaluate.metrics import DEPTH, Answer, depth_of_budget, mean, ndcg, percentiles, ranks, recall
from codeintel_index.evaluate.questions import Question
from codeintel_index.index import Index
from codeintel_index.results import Hit, as_json

SMALL_BUDGET, LARGE_BUDGET = 2000, 8000  # tokens
DEEPEST = 200  # answers asked for to fill the large budget

Search = Callable[[str, int], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over the questions, 0..1, and the time of a search for ten answers in milliseconds.

    `recall_2k` and `recall_8k` spend 2,000 and 8,000 tokens on whole chunks, `shown_2k` on hits as answers show them.
    """

    source: str
    questions: int
    ndcg_10: float
    recall_10: float
    recall_2k: float
    recall_8k: float
    shown_2k: float
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one question."""

    question: Question
    answers: tuple[Answer, ...]
    ndcg_10: float
    recall_10: float
    recall_2k: float
    recall_8k: float
    shown_2k: float
    milliseconds: float


def searching(index: Index) -> Search:
    """Adapt the Forest search of an index to `measure`. Texts of chunks are only read beyond ten answers."""

    def search(query: str, limit: int) -> list[Answer]:
        hits = index.search(query, "forest", limit).hits
        return [answer(hit, len(index.chunk(hit.chunk_id).text) if limit > DEPTH else 0) for hit in hits]

    return search


def answer(hit: Hit, characters: int) -> Answer:
    """Convert a hit, whose chunk has `characters`, to an answer."""
    return Answer(hit.path, hit.start_line, hit.end_line, characters, len(as_json(hit)))


def measure(search: Search, questions: Iterable[Question]) -> Iterator[Outcome]:
    """Ask each question twice: for ten answers, timed, and for as many as fill the large budget."""
    for question in questions:
        started = time.perf_counter()
        search(question.query, DEPTH)
        milliseconds = (time.perf_counter() - started) * 1000
        answers = search(question.query, DEEPEST)
        found = ranks(question.targets, answers)
        whole, shown = [each.characters for each in answers], [each.shown for each in answers]
        yield Outcome(
            question,
            tuple(answers[:DEPTH]),
            ndcg(found),
            recall(found),
            recall(found, depth_of_budget(whole, SMALL_BUDGET)),
            recall(found, depth_of_budget(whole, LARGE_BUDGET)),
            recall(found, depth_of_budget(shown, SMALL_BUDGET)),
            milliseconds,
        )


def summarize(source: str, outcomes: Sequence[Outcome]) -> Figures:
    """Sum up the figures of all questions. `source` says where the questions are from."""
    p50, p95 = percentiles([each.milliseconds for each in outcomes])
    return Figures(
        source,
        len(outcomes),
        mean([each.ndcg_10 for each in outcomes]),
        mean([each.recall_10 for each in outcomes]),
        mean([each.recall_2k for each in outcomes]),
        mean([each.recall_8k for each in outcomes]),
        mean([each.shown_2k for each in outcomes]),
        p50,
        p95,
    )
