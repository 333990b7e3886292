"""Search in the held-out repositories: each sentence is a question, all passages of its repository may answer."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import torch
from pairs import SENTENCES, Bags, Pair, bags

from codeintel_index.embedding.static import Vocabulary

MOST = 1500  # pairs of a repository


def search_figures(pairs: Iterable[Pair], reader: Vocabulary) -> Callable[..., float]:
    """A function from a table to the mean reciprocal rank (to 10), repositories counting alike."""
    by_repository: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.kind in SENTENCES and len(by_repository[pair.repository]) < MOST:
            by_repository[pair.repository].append(pair)
    ready = [
        (bags((pair.says for pair in each), reader), bags((pair.passage for pair in each), reader))
        for each in by_repository.values()
    ]
    return lambda table: float(np.mean([_figure(table, *each) for each in ready]))


@torch.no_grad()
def _figure(table, said: Bags, shown: Bags) -> float:  # type: ignore[no-untyped-def]
    scores = (
        table("query", said.rows, said.counts, said.starts[:-1])
        @ table("passage", shown.rows, shown.counts, shown.starts[:-1]).T
    )
    ranks = (scores > scores.diagonal()[:, None]).sum(dim=1).numpy() + 1
    return float(np.where(ranks <= 10, 1 / ranks, 0).mean())
