"""Retrieval on annotated repositories: this package against ripgrep, plain BM25 and itself without vectors.

    uv run python benchmarks/retrieval/run.py --set FOLDER --repos FOLDER [--ablation] [--left-out] [--only NAME …]

`--set` has `repos.json` and the questions, `--repos` one checkout a name; neither is part of this repository.
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import fit
from dataset import Repository, load
from systems import SYSTEMS, ranked

from codeintel_index import Index, IndexConfig
from codeintel_index.evaluate.measure import Outcome, Search, measure, summarize
from codeintel_index.evaluate.metrics import mean, ndcg, ranks
from codeintel_index.search.weights import OFF, WEIGHTS


@dataclass
class Results:
    """What came of all repositories. `scores` of an ablation are one NDCG a question."""

    outcomes: dict[str, list[tuple[Repository, str, Outcome]]] = field(default_factory=lambda: defaultdict(list))
    ablated: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    cases: list[fit.Case] = field(default_factory=list)
    files: int = 0
    chunks: int = 0
    rows_s: float = 0.0
    vectors_s: float = 0.0


def main() -> None:
    arguments = _arguments()
    repositories, missing = load(arguments.set, arguments.repos, arguments.only)
    results = Results()
    with tempfile.TemporaryDirectory() as folder:
        for repository in repositories:
            with _indexed(repository, Path(folder), results) as index:
                _measure(repository, index, results, arguments)
    sys.stdout.write("\n".join(_report(results, missing)) + "\n")


def _report(results: Results, missing: list[str]) -> Iterator[str]:
    yield f"{results.files} files, {results.chunks} chunks"
    yield f"rows {results.rows_s:.1f} s, vectors {results.vectors_s:.1f} s"
    for title, table in _tables(results):
        yield from ("", title, "", *("| " + " | ".join(row) + " |" for row in table))
    if results.cases:
        yield from ("", *fit.left_out(results.cases))
    if missing:
        yield f"not checked out: {', '.join(missing)}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, required=True, help="folder of repos.json and the questions")
    parser.add_argument("--repos", type=Path, required=True, help="folder of the checkouts")
    parser.add_argument("--only", nargs="*", default=[], help="names of repositories")
    parser.add_argument("--ablation", action="store_true", help="also measure with each signal off")
    parser.add_argument("--left-out", action="store_true", help="also fit the weights with repositories left out")
    return parser.parse_args()


@contextmanager
def _indexed(repository: Repository, folder: Path, results: Results) -> Iterator[Index]:
    """A fresh index of a repository, rows and vectors complete, its cost added to the results."""
    with Index.open(repository.root, IndexConfig(data_dir=folder / repository.name, chroma_mode="off")) as index:
        started = time.perf_counter()
        report = index.sync()
        rows = time.perf_counter()
        index.wait_dense()
        results.rows_s += rows - started
        results.vectors_s += time.perf_counter() - rows
        results.files += report.files
        results.chunks += report.chunks
        yield index


def _measure(repository: Repository, index: Index, results: Results, arguments: argparse.Namespace) -> None:
    for name, system in SYSTEMS.items():
        done = measure(system(index), repository.questions)
        results.outcomes[name] += [
            (repository, category, outcome) for category, outcome in zip(repository.categories, done, strict=True)
        ]
    if arguments.ablation:
        for name, off in OFF.items():
            results.ablated[name] += _scores(ranked(True, replace(WEIGHTS, **{name: off}))(index), repository)
    if arguments.left_out:
        results.cases += fit.cases(index, repository)


def _scores(search: Search, repository: Repository) -> list[float]:
    return [ndcg(ranks(each.targets, search(each.query, 10))) for each in repository.questions]


def _tables(results: Results) -> Iterator[tuple[str, list[list[str]]]]:
    yield "All questions", list(_overall(results))
    yield "NDCG@10 by kind of question", list(_by(results, lambda row: row[1]))
    yield "NDCG@10 by language", list(_by(results, lambda row: row[0].language))
    if results.ablated:
        yield "NDCG@10 with a signal off", list(_ablation(results))


def _overall(results: Results) -> Iterator[list[str]]:
    yield [
        "",
        "NDCG@10",
        "recall@10",
        "recall in 2,000 tokens as answered",
        "of whole chunks",
        "in 8,000",
        "p50 ms",
        "p95 ms",
    ]
    yield ["---"] * 8
    for name, rows in results.outcomes.items():
        found = summarize("", [outcome for _, _, outcome in rows])
        shares = (found.ndcg_10, found.recall_10, found.shown_2k, found.recall_2k, found.recall_8k)
        yield [name, *(f"{each:.3f}" for each in shares), f"{found.p50_ms:.1f}", f"{found.p95_ms:.1f}"]


def _by(results: Results, key: Callable[[tuple[Repository, str, Outcome]], str]) -> Iterator[list[str]]:
    groups = sorted({key(row) for row in results.outcomes["plain BM25"]})
    yield ["", "questions", *results.outcomes]
    yield ["---"] * (2 + len(results.outcomes))
    for group in groups:
        count = sum(key(row) == group for row in results.outcomes["plain BM25"])
        yield [group, str(count), *(f"{_mean(rows, key, group):.3f}" for rows in results.outcomes.values())]


def _mean(
    rows: Iterable[tuple[Repository, str, Outcome]], key: Callable[[tuple[Repository, str, Outcome]], str], group: str
) -> float:
    return mean([row[2].ndcg_10 for row in rows if key(row) == group])


def _ablation(results: Results) -> Iterator[list[str]]:
    whole = mean([outcome.ndcg_10 for _, _, outcome in results.outcomes["hybrid (default)"]])
    yield ["off", "NDCG@10", "difference"]
    yield ["---"] * 3
    yield ["nothing", f"{whole:.4f}", ""]
    for name, scores in results.ablated.items():
        yield [name, f"{mean(scores):.4f}", f"{mean(scores) - whole:+.4f}"]


if __name__ == "__main__":
    main()
