"""How hits are ordered: the right file first, and in it the right chunk. All numbers stand in `weights`.

A search hands in candidates with a lexical and a dense score. Both are fused into one score a chunk, the chunks of a
file are gathered into one score a file, each row of `SIGNALS` may change the scores of files, and the chunks are laid
out so that the best chunk of a good file comes before the second one of another. To add a signal, add a function and a
row in `signals` and its number in `weights`; `benchmarks/retrieval` shows what it is worth.
"""

from codeintel_index.ranking.candidates import Candidate, Evidence, fused, gathered, laid_out
from codeintel_index.ranking.signals import SIGNALS
from codeintel_index.ranking.weights import OFF, WEIGHTS, Weights

__all__ = ["OFF", "WEIGHTS", "Candidate", "Evidence", "Weights", "rank"]


def rank(evidence: Evidence, weights: Weights = WEIGHTS) -> list[Candidate]:
    """The candidates, best first, with their final scores (any scale above 0)."""
    fused(evidence, weights)
    files = gathered(evidence, weights)
    for signal in SIGNALS:
        signal(files, evidence, weights)
    return laid_out(files, weights)
