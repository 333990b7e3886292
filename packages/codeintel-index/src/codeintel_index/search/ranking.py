"""The ranking: the right file first, and in it the right chunk. All numbers stand in `weights`.

Candidates come with a lexical and a dense score, which are fused into one score a chunk; the chunks of a file are
gathered into one score a file; each row of `SIGNALS` may change the scores of files; and the chunks are laid out so
that the best chunk of a good file comes before the second one of another. To add a signal, add a function and a row
here and its number in `weights`; `benchmarks/retrieval` shows what it is worth.

Words of a query are compared with words of a file's name by stem, or by how they begin. Beginnings make tables of
abbreviations and endings unnecessary: auth and authentication, err and error, recoverer and recovery.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from operator import eq

from codeintel_index.languages.file_kinds import kind_of
from codeintel_index.search.query import Query
from codeintel_index.search.weights import OFF, PENALTIES, WEIGHTS, Weights
from codeintel_index.store.chunks import Place
from codeintel_index.store.reader import FileUsage
from codeintel_index.text.tokens import fold, tokens

SHORTEST = 3  # letters that two words must begin with alike: all of the shorter one, or the share below of the longer
SHARED = 0.7


@lru_cache(maxsize=50_000)
def stem_of(path: str) -> tuple[str, ...]:
    """Split a file's name up to its first dot into terms: first the whole, then its parts, if it has any."""
    name = path.rpartition("/")[2]
    return tuple(dict.fromkeys(tokens(name.partition(".")[0] or name)))


def likeness(name: tuple[str, ...], wanted: Mapping[str, float], near: float) -> float:
    """Score how much of the wanted terms (with their rarity) a name holds, 0..1; less if it holds others too."""
    total, got = sum(wanted.values()), 0.0
    met: set[str] = set()
    for term, rarity in wanted.items():
        alike, part = max(((_alike(term, each, near), each) for each in name), default=(0.0, ""))
        if alike > 0:
            got += rarity * alike
            met.add(part)
    if not met or total <= 0:
        return 0.0
    parts = name[1:] or name
    share = 1.0 if name[0] in met else sum(each in met for each in parts) / len(parts)
    return got / total * float(share**0.5)


@lru_cache(maxsize=100_000)
def _alike(term: str, part: str, near: float) -> float:
    one, other = fold(term), fold(part)
    if one == other:
        return 1.0
    alike = sum(1 for _ in takewhile(bool, map(eq, one, other)))
    begins = alike == min(len(one), len(other)) or alike >= SHARED * max(len(one), len(other))
    return near if alike >= SHORTEST and begins else 0.0


TOP_LINES = 3  # a chunk that begins so high is the head of its file


@dataclass(slots=True)
class Candidate:
    """A chunk on its way through the ranking.

    `defines` are the symbols (name, kind) in it that the query names, `worth` what that counts for.
    """

    place: Place
    lexical: float = 0.0
    dense: float = 0.0
    score: float = 0.0
    defines: tuple[tuple[str, str], ...] = ()
    worth: float = 0.0


@dataclass(slots=True)
class File:
    """A file on its way through the ranking."""

    path: str
    chunks: list[Candidate]
    score: float = 0.0


def _no_usage(_: Sequence[str]) -> Mapping[str, FileUsage]:
    return {}


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the ranking may look at. `rarity` is how much a term of the query tells; `usage` asks the index."""

    query: Query
    candidates: Sequence[Candidate]
    rarity: Mapping[str, float] = field(default_factory=dict)
    usage: Callable[[Sequence[str]], Mapping[str, FileUsage]] = _no_usage


def fuse(evidence: Evidence, weights: Weights) -> None:
    """Give each candidate its score, 0..1: both scores as shares of the best one, weighted."""
    share = weights.dense
    best_lexical = max((each.lexical for each in evidence.candidates), default=0.0)
    best_dense = max((each.dense for each in evidence.candidates), default=0.0)
    if best_dense <= 0:
        share = 0.0
    for each in evidence.candidates:
        lexical = each.lexical / best_lexical if best_lexical > 0 else 0.0
        each.score = (1 - share) * lexical + (share * max(0.0, each.dense) / best_dense if share else 0.0)


def gather_files(evidence: Evidence, weights: Weights) -> list[File]:
    """Gather the candidates by file. A file is as good as the power mean of its chunks; the best file has 1."""
    chunks: defaultdict[str, list[Candidate]] = defaultdict(list)
    for each in evidence.candidates:
        chunks[each.place.path].append(each)
    files = [File(path, found, _power_mean(found, weights)) for path, found in chunks.items()]
    best = max((file.score for file in files), default=0.0) or 1.0
    for file in files:
        file.score /= best
    return files


def _power_mean(chunks: Iterable[Candidate], weights: Weights) -> float:
    total = 0.0
    for each in chunks:
        head = 1 + weights.head * (each.place.start_line <= TOP_LINES)
        total += (head * each.score) ** weights.gather
    return float(total ** (1 / weights.gather))


def lay_out(files: Iterable[File], weights: Weights) -> list[Candidate]:
    """Order all chunks, best first: a file's best chunk has the file's score, the ones after it ever smaller shares."""
    ranked: list[Candidate] = []
    for file in files:
        chunks = sorted(file.chunks, key=lambda each: (-each.worth, -each.score, each.place.start_line))
        best = chunks[0].score
        for at, each in enumerate(chunks):
            own = min(1.0, each.score / best) if at and best > 0 else float(at == 0)
            each.score = file.score * weights.variety**at * own
        ranked += chunks
    ranked.sort(key=lambda each: (-each.score, each.place.path, each.place.start_line))
    return ranked


_TYPES = "class enum interface module namespace object protocol record struct trait type union"
TYPES = frozenset(_TYPES.split(" "))
LIKE_FILE = 1.5  # the file bears the symbol's name
OTHER_CASE = 0.3  # the symbol is spelled in another case than in the query
OTHER_KIND = 0.5  # a query in capitals names a type, and this is something else
LOOKED_UP = 24  # best files that the index is asked about
MANY_USERS = 64

Signal = Callable[[list[File], Evidence, Weights], None]


def definition(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """Raise files that define what the query names: decisive where the query is a name, some help in a sentence."""
    for file in files:
        for each in file.chunks:
            each.worth = _worth(each, evidence, weights) if each.defines else 0.0
        file.score += max(each.worth for each in file.chunks)


def _worth(candidate: Candidate, evidence: Evidence, weights: Weights) -> float:
    whole = stem_of(candidate.place.path)[:1]
    return max(
        _trust(name, kind, evidence, weights) * (LIKE_FILE if whole == (_flat(name),) else 1.0)
        for name, kind in candidate.defines
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


def stem(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """Raise files whose names hold words of a sentence, by the rarity of these."""
    if evidence.query.is_symbol:
        return
    for file in files:
        file.score += weights.stem * likeness(stem_of(file.path), evidence.rarity, weights.near)


def popularity(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """Raise files whose definitions many files use: they answer more questions."""
    if not weights.popularity:
        return
    best = sorted(files, key=lambda each: -each.score)[:LOOKED_UP]
    usage = evidence.usage([each.path for each in best])
    for file in best:
        if file.path in usage:
            users = min(MANY_USERS, usage[file.path].users)
            file.score += weights.popularity * math.log1p(users) / math.log1p(MANY_USERS)


def penalties(files: list[File], evidence: Evidence, weights: Weights) -> None:
    """Lower tests, examples, generated files and the like, unless the query asks for them."""
    for file in files:
        kind = kind_of(file.path)
        if kind in PENALTIES and not evidence.query.asks_for(kind) and not _defines_something(file, kind):
            file.score *= PENALTIES[kind] ** weights.penalties


def _defines_something(file: File, kind: str) -> bool:
    """Whether a file that could be one of re-exports only has code of its own after all."""
    return kind == "reexport" and any(each.place.named for each in file.chunks)


SIGNALS: tuple[Signal, ...] = (definition, stem, popularity, penalties)


__all__ = ["OFF", "WEIGHTS", "Candidate", "Evidence", "Weights", "rank"]


def rank(evidence: Evidence, weights: Weights = WEIGHTS) -> list[Candidate]:
    """Order the candidates, best first, with their final scores (any scale above 0)."""
    fuse(evidence, weights)
    files = gather_files(evidence, weights)
    for signal in SIGNALS:
        signal(files, evidence, weights)
    return lay_out(files, weights)
