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
from codeintel_index.search.forest import collect
from codeintel_index.search.query import Query
from codeintel_index.search.ranking import Evidence, rank
from codeintel_index.search.weights import WEIGHTS, Weights
from codeintel_index.store.reader import FileUsage

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
    """A question of a repository with what was found for it."""

    repository: str
    targets: tuple[Target, ...]
    evidence: Evidence


def cases(index: Index, repository: Repository) -> list[Case]:
    """The cases of a repository; whatever its index would be asked for later is fetched now."""
    found = []
    for each in repository.questions:
        evidence, _ = collect(index._reader, index._dense, Query(each.query))
        paths = list({candidate.place.path for candidate in evidence.candidates})
        usage = index._reader.usage(paths)
        kept = Evidence(evidence.query, evidence.candidates, evidence.rarity, partial(_same, usage))
        found.append(Case(repository.name, each.targets, kept))
    return found


def _same(usage: Mapping[str, FileUsage], _: Sequence[str]) -> Mapping[str, FileUsage]:
    return usage


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
    return mean([ndcg(ranks(case.targets, _answers(case.evidence, weights))) for case in found])


def _answers(evidence: Evidence, weights: Weights) -> list[Answer]:
    ranked = rank(evidence, weights)[:10]
    return [Answer(each.place.path, each.place.start_line, each.place.end_line) for each in ranked if each.score > 0]


def _changes(weights: Weights) -> str:
    changed = [
        f"{name} {getattr(weights, name):g}" for name in GRID if getattr(weights, name) != getattr(WEIGHTS, name)
    ]
    return ", ".join(changed) or "no change"
