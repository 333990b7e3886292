"""Running questions against an index, and what comes of it in figures."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from codeintel_index.evaluate.metrics import DEPTH, Answer, depth_of_budget, mean, ndcg, percentiles, ranks, recall
from codeintel_index.evaluate.questions import Question
from codeintel_index.index import Index

SMALL_BUDGET, LARGE_BUDGET = 2000, 8000  # tokens
DEEPEST = 200  # answers asked for to fill the large budget

Search = Callable[[str, int], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over the questions, 0..1, and the time of a search for ten answers in milliseconds."""

    source: str
    questions: int
    ndcg_10: float
    recall_10: float
    recall_2k: float
    recall_8k: float
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one question came to."""

    question: Question
    answers: tuple[Answer, ...]
    ndcg_10: float
    recall_10: float
    recall_2k: float
    recall_8k: float
    milliseconds: float


def searching(index: Index) -> Search:
    """Forest search of an index as `measure` wants it. Texts of chunks are only read beyond ten answers."""

    def search(query: str, limit: int) -> list[Answer]:
        hits = index.search(query, "forest", limit).hits
        sizes = [len(index.chunk(hit.chunk_id).text) if limit > DEPTH else 0 for hit in hits]
        return [Answer(h.path, h.start_line, h.end_line, size) for h, size in zip(hits, sizes, strict=True)]

    return search


def measure(search: Search, questions: Iterable[Question]) -> Iterator[Outcome]:
    """Each question asked twice: for ten answers, timed, and for as many as fill the large budget."""
    for question in questions:
        started = time.perf_counter()
        search(question.query, DEPTH)
        milliseconds = (time.perf_counter() - started) * 1000
        answers = search(question.query, DEEPEST)
        found = ranks(question.targets, answers)
        small, large = (recall(found, depth_of_budget(answers, each)) for each in (SMALL_BUDGET, LARGE_BUDGET))
        yield Outcome(question, tuple(answers[:DEPTH]), ndcg(found), recall(found), small, large, milliseconds)


def summed_up(source: str, outcomes: Sequence[Outcome]) -> Figures:
    """The figures of all questions together. `source` says where the questions are from."""
    p50, p95 = percentiles([each.milliseconds for each in outcomes])
    return Figures(
        source,
        len(outcomes),
        mean([each.ndcg_10 for each in outcomes]),
        mean([each.recall_10 for each in outcomes]),
        mean([each.recall_2k for each in outcomes]),
        mean([each.recall_8k for each in outcomes]),
        p50,
        p95,
    )
