"""Every number of the ranking, in one table, and the value at which each does nothing (for ablations).

They were fitted manually and by coordinate ascent on repositories in twenty languages, with repositories left out to
see what carries over; docs/benchmarks.md has the figures. Near these values the result changes little: none is
delicate.
"""

from collections.abc import Mapping
from dataclasses import dataclass

PENALTIES: Mapping[str, float] = {
    "test": 0.4,
    "example": 0.4,
    "docs": 0.6,
    "legacy": 0.5,
    "generated": 0.3,
    "vendored": 0.4,
    "factory": 0.6,
    "migration": 0.6,
    "config": 0.7,
    "stub": 0.75,
    "reexport": 0.6,
}


@dataclass(frozen=True, slots=True)
class Weights:
    """The table. Scores of chunks and files are between 0 and 1 when the signals come to add to them.

    path, body: fields of BM25. Both at 1 would be its usual saturation; a body below 1 lets a term that occurs ten
    times say more than one that occurs twice.
    joined: weight of a term made of neighbouring words of a query ("event loop" as eventloop).
    dense: share of the vectors in the fused score.
    head: how much more a match at the top of a file counts, where it says what it is for.
    gather: exponent of the power mean that makes a file's score of its chunks' ones; high: only the best chunk counts.
    definition: for the file that defines the name that the whole query is; half if it is a plain word.
    named: for the file that defines an identifier, or a word with a capital, in a sentence.
    stem, near: for words of a sentence in a file's name; share for those that only begin alike.
    popularity: for files whose definitions many files use.
    penalties: exponent of the table above.
    variety: what remains of a file's score for its second, third … chunk.
    """

    path: float = 3.0
    body: float = 0.25
    joined: float = 0.75
    dense: float = 0.25
    head: float = 0.3
    gather: float = 3.0
    definition: float = 3.0
    named: float = 1.0
    stem: float = 0.3
    near: float = 0.7
    popularity: float = 0.2
    penalties: float = 1.0
    variety: float = 0.2


WEIGHTS = Weights()
OFF: Mapping[str, float] = {
    "path": 0.25,  # as the body
    "body": 1.0,
    "joined": 0.0,
    "dense": 0.0,
    "head": 0.0,
    "gather": 30.0,
    "definition": 0.0,
    "named": 0.0,
    "stem": 0.0,
    "near": 0.0,
    "popularity": 0.0,
    "penalties": 0.0,
    "variety": 1.0,
}
