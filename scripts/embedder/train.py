# /// script
# dependencies = ["codeintel-index", "torch==2.13.0"]
# ///
"""Learn the table: `train.py PAIRS.jsonl.gz OUT.npz [--teacher FOLDER]`, some minutes on one or two cores.

A sentence is to be nearer to its passage than to the others of its batch, and the other way round. Batches are made of
groups from one repository, so that much of what it must be told from comes from the same project, as in a search. After
each pass the held-out repositories are searched; the best pass is kept.

A word's first vector is what a teacher (a folder with `model.onnx` and `tokenizer.json`) says of it alone, turned onto
its main axes; without a teacher it is chance. Only the table is kept.
"""

import argparse
import logging
import time
from pathlib import Path

import numpy as np
import torch
from heldout import search_figures
from pairs import Bags, Pair, bags, held_out, read, vocabulary
from teacher import word_vectors
from torch import nn

from codeintel_index.embedding.static import Vocabulary

WORDS = 25_600
BUCKETS = 4_096
DIM = 256
GROUP = 64  # pairs of one repository that stand together in a batch
GROUPS = 16  # in a batch
MOST_ROWS = 96
KEEP = {"query": 0.85, "passage": 0.55}  # of a text's words in a step; the table would learn pairs by heart else
SHARE = {"doc": 1.0, "inline": 0.7, "module": 1.0, "name": 0.4, "test": 0.5, "prose": 1.0, "commit": 0.6}

log = logging.getLogger("train")


class Table(nn.Module):
    """Rows, and what each weighs in a question and in a passage (logarithms)."""

    def __init__(self, start: np.ndarray, rarity: np.ndarray) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.tensor(start))
        weight = torch.tensor(np.log(np.maximum(rarity, 0.5))).float()
        self.query = nn.Parameter(weight.clone())
        self.passage = nn.Parameter(weight.clone())
        self.heat = nn.Parameter(torch.tensor(3.0))

    def forward(self, side: str, rows: np.ndarray, counts: np.ndarray, starts: np.ndarray) -> torch.Tensor:
        """Normalised vectors of bags."""
        index = torch.from_numpy(rows).long()
        weights = torch.exp(getattr(self, side))[index] * torch.from_numpy(counts)
        sums = nn.functional.embedding_bag(
            index, self.rows, torch.from_numpy(starts).long(), mode="sum", per_sample_weights=weights
        )
        return nn.functional.normalize(sums, dim=1)


def loss_of(table: Table, said: torch.Tensor, shown: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """In-batch cross entropy in both directions; `same` marks what is no counter-example."""
    scores = (said @ shown.T) * torch.exp(table.heat).clamp(max=60)
    scores = scores.masked_fill(same, -1e4)
    right = torch.arange(len(scores))
    return (nn.functional.cross_entropy(scores, right) + nn.functional.cross_entropy(scores.T, right)) / 2


def batches(pairs: list[Pair], chance: np.random.Generator) -> list[np.ndarray]:
    """One pass: pairs by kind's share, in groups of a repository, groups shuffled into batches."""
    draw = chance.random(len(pairs))
    by_repository: dict[str, list[int]] = {}
    for at, pair in enumerate(pairs):
        if draw[at] < SHARE[pair.kind]:
            by_repository.setdefault(pair.repository, []).append(at)
    groups = []
    for members in by_repository.values():
        order = chance.permutation(members)
        groups += [order[at : at + GROUP] for at in range(0, len(order), GROUP)]
    chance.shuffle(groups)  # type: ignore[arg-type]
    return [np.concatenate(groups[at : at + GROUPS]) for at in range(0, len(groups), GROUPS)]


def train(table: Table, said: Bags, shown: Bags, pairs: list[Pair], passes: int, rate: float, check, keep) -> None:  # type: ignore[no-untyped-def]
    chance = np.random.default_rng(7)
    says = np.unique([pair.says.lower() for pair in pairs], return_inverse=True)[1]
    shows = np.unique([pair.passage[:400] for pair in pairs], return_inverse=True)[1]
    best = check(table)
    log.info("before: held out %.4f", best)
    steps = len(batches(pairs, np.random.default_rng(1))) * passes
    optimizer = torch.optim.Adam(
        [{"params": [table.rows], "lr": rate}, {"params": [table.query, table.passage, table.heat], "lr": 0.01}],
        betas=(0.9, 0.98),
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: max(0.02, min(1.0, at / 50) * (1 - at / steps)))
    for number in range(passes):
        started, losses = time.time(), []
        for batch in batches(pairs, chance):
            same = (says[batch][:, None] == says[batch]) | (shows[batch][:, None] == shows[batch])
            np.fill_diagonal(same, val=False)
            loss = loss_of(
                table,
                table("query", *said.take(batch, KEEP["query"], chance, MOST_ROWS)),
                table("passage", *shown.take(batch, KEEP["passage"], chance, MOST_ROWS)),
                torch.from_numpy(same),
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        figure = check(table)
        log.info("pass %d: %.0f s, loss %.3f, held out %.4f", number, time.time() - started, np.mean(losses), figure)
        if figure > best:
            best = figure
            keep(table)


def store(table: Table, reader: Vocabulary, out: Path) -> None:
    """The table as bytes: rows of int8, one scale a row and side that holds its length and its weight."""
    state = {key: value.numpy() for key, value in table.state_dict().items()}
    rows = state["rows"]
    largest = np.abs(rows).max(axis=1, keepdims=True).clip(1e-12)
    scales = {side: (np.exp(state[side]) * largest[:, 0] / 127) for side in ("query", "passage")}
    unit = max(each.max() for each in scales.values())  # a common factor changes no direction; float16 likes it near 1
    np.savez(
        out,
        rows=np.round(rows / largest * 127).astype(np.int8),
        query=(scales["query"] / unit).astype(np.float16),
        passage=(scales["passage"] / unit).astype(np.float16),
        words=np.frombuffer("\n".join(reader.known).encode(), dtype=np.uint8),
    )


def main() -> None:
    """Read, learn, store."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--teacher", type=Path)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(7)
    everything = read(arguments.pairs)
    apart = held_out(everything)
    pairs = [pair for pair in everything if pair.repository not in apart]
    rest = [pair for pair in everything if pair.repository in apart]
    log.info("%d pairs; %d held out, of %s", len(pairs), len(rest), ", ".join(sorted(apart)))
    reader, rarity = vocabulary(pairs, WORDS, BUCKETS)
    start = word_vectors(arguments.teacher, list(reader.known), BUCKETS, DIM)
    said, shown = bags((pair.says for pair in pairs), reader), bags((pair.passage for pair in pairs), reader)
    figures = search_figures(rest, reader)
    train(
        Table(start, rarity),
        said,
        shown,
        pairs,
        arguments.passes,
        arguments.rate,
        figures,
        lambda table: store(table, reader, arguments.out),
    )


if __name__ == "__main__":
    main()
