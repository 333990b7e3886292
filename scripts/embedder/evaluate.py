# /// script
# dependencies = ["codeintel-index"]
# ///
"""What the table is worth: `evaluate.py PAIRS.jsonl.gz [TABLE.npz]`, without TABLE for the one that is shipped.

Each sentence of a held-out repository is a question, all passages of that repository may answer; compared are hashed
words (no learning), BM25 over the same words and stems, the table, and the sum of BM25 and the table.
"""

import argparse
import hashlib
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from pairs import SENTENCES, Pair, held_out, read

from codeintel_index.embedding.static import StaticEmbedder
from codeintel_index.text.tokens import STOP_WORDS, fold, tokens

MOST = 1000  # pairs of a repository
K1, B = 1.5, 0.75
Scores = np.ndarray


def hashed(says: Sequence[str], passages: Sequence[str]) -> Scores:
    """Cosine of texts whose stems were hashed to 256 places, with 1 + log of their counts."""
    return _hashed(says) @ _hashed(passages).T


def _hashed(texts: Sequence[str]) -> np.ndarray:
    out = np.zeros((len(texts), 256))
    for row, text in zip(out, texts, strict=True):
        for term, count in Counter(_terms(text)).items():
            digest = hashlib.blake2b(term.encode(), digest_size=8).digest()
            for place, sign in zip(digest[::2], digest[1::2], strict=True):
                row[place] += (1 if sign & 1 else -1) * (1 + math.log(count))
    return out / np.linalg.norm(out, axis=1, keepdims=True).clip(1e-9)


def bm25(says: Sequence[str], passages: Sequence[str]) -> Scores:
    """Okapi's, over split and stemmed words."""
    counts = [Counter(_terms(text)) for text in passages]
    lengths = np.array([sum(each.values()) for each in counts], dtype=float)
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, each in enumerate(counts):
        for term, count in each.items():
            postings[term].append((at, count))
    out = np.zeros((len(says), len(passages)))
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    for row, text in zip(out, says, strict=True):
        for term in set(_terms(text)):
            rarity = math.log(1 + (len(passages) - len(postings[term]) + 0.5) / (len(postings[term]) + 0.5))
            for at, count in postings[term]:
                row[at] += rarity * count * (K1 + 1) / (count + norm[at])
    return out


def _terms(text: str) -> list[str]:
    return [fold(term) for term in tokens(text) if term not in STOP_WORDS]


def together(one: Scores, other: Scores) -> Scores:
    """Both from 0 to 1 for each question, added."""
    return _spread(one) + _spread(other)


def _spread(scores: Scores) -> Scores:
    least = scores.min(axis=1, keepdims=True)
    return (scores - least) / (scores.max(axis=1, keepdims=True) - least).clip(1e-9)


def figures(scores: Scores) -> tuple[float, float]:
    """Mean reciprocal rank and recall, both to rank 10. Ties count against the right answer."""
    ranks = (scores >= scores.diagonal()[:, None] - 1e-9).sum(axis=1)
    return float(np.where(ranks <= 10, 1 / ranks, 0).mean()), float((ranks <= 10).mean())


def rows(pairs: Sequence[Pair], model: StaticEmbedder) -> Iterator[tuple[str, str, int, list[tuple[float, float]]]]:
    """Language, repository, questions and the figures of each system."""
    found: dict[str, list[Pair]] = defaultdict(list)
    apart = held_out(pairs)
    for pair in pairs:
        if pair.repository in apart and pair.kind in SENTENCES and len(found[pair.repository]) < MOST:
            found[pair.repository].append(pair)
    for repository, some in found.items():
        says, passages = [pair.says for pair in some], [pair.passage for pair in some]
        learned = model.embed_queries(says) @ model.embed(passages).T
        lexical = bm25(says, passages)
        systems = (hashed(says, passages), lexical, learned, together(lexical, learned))
        language = Counter(pair.language for pair in some).most_common(1)[0][0]
        yield language, repository, len(some), [figures(each) for each in systems]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", type=Path)
    parser.add_argument("table", type=Path, nargs="?")
    arguments = parser.parse_args()
    model = StaticEmbedder(arguments.table.read_bytes() if arguments.table else None)
    sys.stdout.write(
        "| language | repository | questions | hashed | BM25 | table | both |\n|---|---|---|---|---|---|---|\n"
    )
    every = []
    for language, repository, count, measured in sorted(rows(read(arguments.pairs), model)):
        every.append(measured)
        sys.stdout.write(_line(language, repository, str(count), measured))
    sys.stdout.write(_line("mean", "", "", np.array(every).mean(axis=0).tolist()))


def _line(language: str, repository: str, count: str, measured: Sequence[Sequence[float]]) -> str:
    cells = " | ".join(f"{mrr:.3f} / {recall:.2f}" for mrr, recall in measured)
    return f"| {language} | {repository} | {count} | {cells} |\n"


if __name__ == "__main__":
    main()
