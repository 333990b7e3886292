"""Fitting the weights by coordinate ascent, with repositories left out: what a fit is worth elsewhere.

What was found for a question is kept, and only its ordering is done again; so weights of BM25's fields and of joined
words stay as they are.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dataset import Repository

from codeintel_index import Index
from codeintel_index.evaluate.metrics import Answer, Target, mean, ndcg, ranks
from codeintel_index.search.forest import DENSE_DEPTH, collect
from codeintel_index.search.query import Query
from codeintel_index.search.ranking import Evidence, rank
from codeintel_index.search.weights import WEIGHTS, Weights

FOLDS = 5
PASSES = 2
LEAST_GAIN = 0.0005  # a change that brings less is no change
GRID: Mapping[str, tuple[float, ...]] = {
    "gather": (2.0, 2.5, 3.0, 4.0),
    "stem": (0.3, 0.6, 0.9, 1.2),
    "near": (0.0, 0.4, 0.7, 0.9),
    "head": (0.0, 0.15, 0.3, 0.5),
    "popularity": (0.0, 0.1, 0.2, 0.3),
    "definition": (2.0, 3.0, 5.0),
    "named": (0.0, 0.5, 1.0, 1.5),
    "penalties": (0.5, 1.0, 1.5),
    "variety": (0.1, 0.2, 0.35, 0.5),
    "dense": (0.0, 0.15, 0.25, 0.35, 0.5),
}


@dataclass(frozen=True)
class Case:
    """A question of a repository with what was found for it; `lines` are where each chunk is, by row."""

    repository: str
    targets: tuple[Target, ...]
    evidence: Evidence
    lines: Mapping[int, tuple[str, int, int]]


def cases(index: Index, repository: Repository) -> list[Case]:
    """The cases of a repository; whatever its index would be asked for later is fetched now."""
    found = []
    for each in repository.questions:
        near = dict(index._dense.nearest(each.query, DENSE_DEPTH))
        with index._reader.snapshot():
            evidence = collect(index._reader, Query(each.query), near)
            files = {evidence.chunks.file[number] for number in evidence.numbers}
            users = index._reader.users([evidence.chunks.paths[file] for file in files])
            rows = evidence.chunks.row[evidence.numbers].tolist()
            lines = {
                row: (each.path, each.start_line, each.end_line) for row, each in index._reader.chunks(rows).items()
            }
        found.append(Case(repository.name, each.targets, replace(evidence, users=partial(_same, users)), lines))
    return found


def _same(users: Mapping[str, int], _: Sequence[str]) -> Mapping[str, int]:
    return users


def left_out(found: Sequence[Case]) -> Iterator[str]:
    """Lines that say what weights fitted without some repositories are worth on those."""
    names = sorted({case.repository for case in found})
    random.Random(5).shuffle(names)
    fitted, elsewhere = _ascend(found), 0.0
    yield f"as they are {_score(found, WEIGHTS):.4f}; fitted to all {_score(found, fitted):.4f} with {_changes(fitted)}"
    for fold in (names[at::FOLDS] for at in range(FOLDS)):
        rest = [case for case in found if case.repository in fold]
        weights = _ascend([case for case in found if case.repository not in fold])
        elsewhere += _score(rest, weights) * len(rest) / len(found)
        here, there = _score(rest, WEIGHTS), _score(rest, weights)
        yield f"left out {', '.join(fold)}: {there:.4f} with {_changes(weights)}; as they are {here:.4f}"
    yield f"fitted with repositories left out: {elsewhere:.4f}"


def _ascend(found: Sequence[Case]) -> Weights:
    best, weights = _score(found, WEIGHTS), WEIGHTS
    for _ in range(PASSES):
        before = weights
        for name, values in GRID.items():
            for value in values:
                other = replace(weights, **{name: value})
                score = _score(found, other)
                if score > best + LEAST_GAIN:
                    best, weights = score, other
        if weights == before:
            break
    return weights


def _score(found: Sequence[Case], weights: Weights) -> float:
    return mean([ndcg(ranks(case.targets, _answers(case, weights))) for case in found])


def _answers(case: Case, weights: Weights) -> list[Answer]:
    numbers, scores = rank(case.evidence, weights)
    best = numbers[scores > 0][:10]
    return [Answer(*case.lines[row]) for row in case.evidence.chunks.row[best].tolist()]


def _changes(weights: Weights) -> str:
    changed = [
        f"{name} {getattr(weights, name):g}" for name in GRID if getattr(weights, name) != getattr(WEIGHTS, name)
    ]
    return ", ".join(changed) or "no change"
