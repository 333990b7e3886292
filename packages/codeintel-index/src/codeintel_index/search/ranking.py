"""The ranking: the right file first, and in it the right chunk. All numbers stand in `weights`.

Candidates come with a lexical and a dense score, which are fused into one score a chunk; the chunks of a file are
gathered into one score a file; each row of `SIGNALS` may change the scores of files; and the chunks are laid out so
that the best chunk of a good file comes before the second one of another. To add a signal, add a function and a row
here and its number in `weights`; `benchmarks/retrieval` shows what it is worth.

Words of a query are compared with words of a file's name by stem, or by how they begin. Beginnings make tables of
abbreviations and endings unnecessary: auth and authentication, err and error, recoverer and recovery.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from operator import eq
from typing import NamedTuple

import numpy as np

from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.search.query import Query
from codeintel_index.search.weights import PENALTIES, Weights
from codeintel_index.store.chunks import Chunks, Numbers, Scores
from codeintel_index.text.tokens import fold, tokens

SHORTEST = 3  # letters that two words must begin with alike: all of the shorter one, or the share below of the longer
SHARED = 0.7


@lru_cache(maxsize=50_000)
def stem_of(path: str) -> tuple[str, ...]:
    """Split a file's name up to its first dot into terms: first the whole, then its parts, if it has any."""
    name = path.rpartition("/")[2]
    return tuple(dict.fromkeys(tokens(name.partition(".")[0] or name)))


@lru_cache(maxsize=50_000)
def _beginnings(path: str) -> frozenset[str]:
    """How the words of a file's name begin: a word that begins as none of them is like none of them."""
    return frozenset(map(_beginning, stem_of(path)))


def _beginning(term: str) -> str:
    return fold(term)[:SHORTEST]


def likeness(path: str, wanted: Mapping[str, float], near: float) -> float:
    """Score how much of the wanted terms (with their rarity) a file's name holds, 0..1; less if it holds others too."""
    name, beginnings = stem_of(path), _beginnings(path)
    got = 0.0
    met: set[str] = set()
    for term, rarity in wanted.items():
        if _beginning(term) in beginnings:
            alike, part = max((_alike(term, each, near), each) for each in name)
            if alike > 0:
                got += rarity * alike
                met.add(part)
    if not met or got <= 0:
        return 0.0
    parts = name[1:] or name
    share = 1.0 if name[0] in met else sum(each in met for each in parts) / len(parts)
    return got / sum(wanted.values()) * float(share**0.5)


@lru_cache(maxsize=100_000)
def _alike(term: str, part: str, near: float) -> float:
    one, other = fold(term), fold(part)
    if one == other:
        return 1.0
    alike = sum(1 for _ in takewhile(bool, map(eq, one, other)))
    begins = alike == min(len(one), len(other)) or alike >= SHARED * max(len(one), len(other))
    return near if alike >= SHORTEST and begins else 0.0


TOP_LINES = 3  # a chunk that begins so high is the head of its file
Defines = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the ranking may look at: candidates, by their numbers among the `chunks`, with both scores of each.

    `defines` are the symbols (name, kind) in a candidate that the query names, by its number. `rarity` is how much a
    term of the query tells; `users` asks the index how many files use the best known definition of each file.
    """

    query: Query
    chunks: Chunks
    numbers: Numbers
    lexical: Scores
    dense: Scores
    defines: Mapping[int, Defines] = field(default_factory=dict)
    rarity: Mapping[str, float] = field(default_factory=dict)
    users: Callable[[Sequence[str]], Mapping[str, int]] = lambda paths: {}


@dataclass(slots=True)
class Files:
    """The files of the candidates on their way through the ranking. `of` is the place of each candidate's file.

    `worth` is what the symbols count for that a candidate defines.
    """

    paths: list[str]
    of: Numbers
    scores: Scores
    worth: Scores


class Ranked(NamedTuple):
    """Numbers of chunks, best first, and their final scores (any scale above 0)."""

    numbers: Numbers
    scores: Scores


def fuse(evidence: Evidence, weights: Weights) -> Scores:
    """Give each candidate its score, 0..1: both scores as shares of the best one, weighted."""
    best_lexical = evidence.lexical.max(initial=0.0)
    best_dense = evidence.dense.max(initial=0.0)
    share = weights.dense if best_dense > 0 else 0.0
    fused = (1 - share) * (evidence.lexical / (best_lexical or 1.0))
    if share:
        fused += share * np.maximum(0.0, evidence.dense) / best_dense
    return fused


def gather_files(evidence: Evidence, scores: Scores, weights: Weights) -> Files:
    """Gather the candidates by file. A file is as good as the power mean of its chunks; the best file has 1."""
    numbers: dict[int, int] = {}
    of = np.array([numbers.setdefault(file, len(numbers)) for file in evidence.chunks.file[evidence.numbers].tolist()])
    head = 1 + weights.head * (evidence.chunks.start[evidence.numbers] <= TOP_LINES)
    gathered = np.bincount(of, (head * scores) ** weights.gather) ** (1 / weights.gather)
    paths = [evidence.chunks.paths[file] for file in numbers]
    return Files(paths, of, gathered / (gathered.max() or 1.0), np.zeros(len(of)))


def lay_out(evidence: Evidence, files: Files, scores: Scores, weights: Weights) -> Ranked:
    """Order all chunks, best first: a file's best chunk has the file's score, the ones after it ever smaller shares."""
    start = evidence.chunks.start[evidence.numbers]
    order = np.lexsort((start, -scores, -files.worth, files.of))
    of, own = files.of[order], scores[order]
    first = np.searchsorted(of, of)  # of the same file
    nth, best = np.arange(len(of)) - first, own[first]
    own = np.minimum(1.0, np.divide(own, best, out=np.zeros_like(own), where=best > 0))
    own[nth == 0] = 1.0
    variety = np.array([weights.variety**place for place in range(nth.max() + 1)])
    final = files.scores[of] * variety[nth] * own
    by_path = np.argsort(sorted(range(len(files.paths)), key=files.paths.__getitem__))
    ranked = np.lexsort((start[order], by_path[of], -final))
    return Ranked(evidence.numbers[order][ranked], final[ranked])


_TYPES = "class enum interface module namespace object protocol record struct trait type union"
TYPES = frozenset(_TYPES.split(" "))
LIKE_FILE = 1.5  # the file bears the symbol's name
OTHER_CASE = 0.3  # the symbol is spelled in another case than in the query
OTHER_KIND = 0.5  # a query in capitals names a type, and this is something else
LOOKED_UP = 24  # best files that the index is asked about
MANY_USERS = 64

Signal = Callable[[Files, Evidence, Weights], None]


def definition(files: Files, evidence: Evidence, weights: Weights) -> None:
    """Raise files that define what the query names: decisive where the query is a name, some help in a sentence."""
    if not evidence.defines:
        return
    for at, number in enumerate(evidence.numbers.tolist()):
        if defines := evidence.defines.get(number):
            files.worth[at] = _worth(files.paths[files.of[at]], defines, evidence, weights)
    most = np.zeros(len(files.paths))
    np.maximum.at(most, files.of, files.worth)
    files.scores += most


def _worth(path: str, defines: Defines, evidence: Evidence, weights: Weights) -> float:
    whole = stem_of(path)[:1]
    return max(
        _trust(name, kind, evidence, weights) * (LIKE_FILE if whole == (_flat(name),) else 1.0)
        for name, kind in defines
    )


def _trust(name: str, kind: str, evidence: Evidence, weights: Weights) -> float:
    query = evidence.query
    case = 1.0 if name in query.names or name in query.types else OTHER_CASE
    if not query.is_name:
        return case * weights.named * _telling(name, evidence.rarity)
    of_kind = OTHER_KIND if query.text.strip()[:1].isupper() and kind not in TYPES else 1.0
    return case * of_kind * (weights.definition if query.is_symbol else weights.definition / 2)


def _telling(name: str, rarity: Mapping[str, float]) -> float:
    """How much a name in a sentence tells beside the other words: the project's own, in every file, tells little."""
    most = max(rarity.values(), default=0.0)
    return rarity.get(_flat(name), most) / most if most > 0 else 1.0


def _flat(name: str) -> str:
    return name.replace("_", "").lower()


def stem(files: Files, evidence: Evidence, weights: Weights) -> None:
    """Raise files whose names hold words of a sentence, by the rarity of these."""
    if evidence.query.is_symbol:
        return
    wanted = frozenset(map(_beginning, evidence.rarity))
    for at, path in enumerate(files.paths):
        if not wanted.isdisjoint(_beginnings(path)):
            files.scores[at] += weights.stem * likeness(path, evidence.rarity, weights.near)


def popularity(files: Files, evidence: Evidence, weights: Weights) -> None:
    """Raise files whose definitions many files use: they answer more questions."""
    if not weights.popularity:
        return
    best = np.argsort(-files.scores, kind="stable")[:LOOKED_UP].tolist()
    users = evidence.users([files.paths[at] for at in best])
    for at in best:
        known = min(MANY_USERS, users.get(files.paths[at], 0))
        files.scores[at] += weights.popularity * math.log1p(known) / math.log1p(MANY_USERS)


def penalties(files: Files, evidence: Evidence, weights: Weights) -> None:
    """Lower tests, examples, generated files and the like, unless the query asks for them."""
    for at, path in enumerate(files.paths):
        kind = kind_of(path)
        if (
            kind in PENALTIES
            and not evidence.query.asks_for(kind)
            and not _defines_something(at, kind, files, evidence)
        ):
            files.scores[at] *= PENALTIES[kind] ** weights.penalties


def _defines_something(at: int, kind: str, files: Files, evidence: Evidence) -> bool:
    """Whether a file that could be one of re-exports only has code of its own after all."""
    return kind == "reexport" and bool(evidence.chunks.named[evidence.numbers[files.of == at]].any())


SIGNALS: tuple[Signal, ...] = (definition, stem, popularity, penalties)


def rank(evidence: Evidence, weights: Weights) -> Ranked:
    """Order the candidates, best first."""
    scores = fuse(evidence, weights)
    if not len(scores):
        return Ranked(evidence.numbers, scores)
    files = gather_files(evidence, scores, weights)
    for signal in SIGNALS:
        signal(files, evidence, weights)
    return lay_out(evidence, files, scores, weights)
